import pytest

from orchestrate.text.terminal import escape_for_terminal


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 漢", "plain é 漢"),
        ("\x1b[31m", r"\x1b[31m"),
        ("a\u202eb", r"a\u202eb"),
        ("a\tb\r\n", r"a\tb\r\n"),
        ("\x9b\x7f\0", r"\x9b\x7f\x00"),
        ("\ud800\u2028", r"\ud800\u2028"),
    ],
)
def test_control_characters_are_shown(text, shown):
    assert escape_for_terminal(text) == shown


def test_line_ends_are_kept_when_asked_for():
    assert escape_for_terminal("a\nb\x1b\r", keep_newlines=True) == "a\nb\\x1b\\r"
