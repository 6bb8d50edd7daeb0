import pytest

from orchestrate.model.javascript_classes import ANY, NEVER, character_class
from orchestrate.model.javascript_escapes import Source


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("]", NEVER),
        ("^]", ANY),
        ("ab]", "[ab]"),
        ("^ab]", "[^ab]"),
        ("a-c]", "[a-c]"),
        ("[]", "[\\U0000005b]"),
        ("\\d]", "[0-9]"),
        ("\\D]", "[^0-9]"),
        ("x\\D]", "(?:[x]|[^0-9])"),
        ("^x\\D]", f"(?:(?![x]|[^0-9]){ANY})"),
    ],
)
def test_a_class_in_the_words_of_the_library(text, written):
    source = Source(text, "")
    assert character_class(source) == written
    assert source.is_at_end
