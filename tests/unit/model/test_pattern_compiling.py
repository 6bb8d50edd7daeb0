import pytest

from orchestrate.model.javascript_escapes import PatternRefused
from orchestrate.model.pattern_compiling import compiled


def test_a_pattern_finds_the_first_match_as_its_flags_say():
    assert compiled("B", flags="i")("abb").group() == "b"
    assert compiled("b")("aB") is None
    assert compiled("b", flags="y")("ab") is None


@pytest.mark.parametrize("pattern", ["(", r"\p{Nothing}"])
def test_what_cannot_be_used_is_refused(pattern):
    with pytest.raises(PatternRefused):
        compiled(pattern, flags="u")
