import pytest

from orchestrate.errors import OrchestrateError
from orchestrate.shipped import shipped


@pytest.mark.parametrize("name", ["templates", "plans", "examples"])
def test_a_shipped_folder_is_found_in_a_checkout(name):
    assert any(shipped(name).iterdir())


def test_a_folder_that_is_missing_is_told():
    with pytest.raises(OrchestrateError, match="the folder nonsense is missing"):
        shipped("nonsense")
