import pytest

from orchestrate.cloud.paths import agent_path, run_path
from orchestrate.errors import Refused


def test_ids_are_parts_of_a_path():
    assert agent_path("bc-1") == "/v1/agents/bc-1"
    assert run_path("bc-1", "run-2") == "/v1/agents/bc-1/runs/run-2"


@pytest.mark.parametrize("bad", ["", "..", "a/b", "a?b", "a#b", "a%2f", "ä", "-a", "a b", "x" * 201])
def test_what_is_no_id_is_no_part_of_a_path(bad):
    with pytest.raises(Refused, match="no id"):
        agent_path(bad)
    with pytest.raises(Refused, match="no id"):
        run_path("bc-1", bad)
