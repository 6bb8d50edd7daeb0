import pytest

from orchestrate.errors import Refused
from orchestrate.server.runners.directives import find_directive


@pytest.mark.parametrize(
    "prompt",
    ['x: {"a": 1}', 'text\n> - `x: {"a": 1}` and more', 'x:\n  {"a":\n 1}\nx: {"b": 2}'],
)
def test_the_first_value_is_found_wherever_it_stands(prompt):
    assert find_directive(prompt, name="x") == {"a": 1}


def test_a_prompt_without_the_name_has_none():
    assert find_directive("about x and y", name="x") is None


def test_a_name_without_a_value_is_refused():
    with pytest.raises(Refused, match="not followed by JSON"):
        find_directive("x: nothing", name="x")
