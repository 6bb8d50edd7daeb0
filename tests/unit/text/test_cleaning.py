import pytest

from orchestrate.text.cleaning import excerpt, readable


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\r\nb\rc\u2028d\x85e\x0bf", "a\nb\nc\nd\ne\nf"),
        ("\ufeffa\u200bb\u202ec\u2066\u00ad\ufe0f", "abc"),
        ("a\u00a0b\u3000c", "a b c"),
        ("unit\u2011test", "unit-test"),
        ("\x1b[1;32mgreen\x1b[0m", "green"),
        ("\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x07", "link"),
        ("\x9b1mbold", "bold"),
        ("\x1b(Bplain\x1b", "plain"),
        ("a\0b\x07c\td", "abc\td"),
        ("\ud800é", "\ufffdé"),
    ],
)
def test_what_nobody_sees_is_gone(text, seen):
    assert readable(text) == seen


def test_an_excerpt_is_one_short_line():
    assert excerpt("a\n  b") == "a b"
    assert excerpt("word " * 100, limit=10) == "word word…"
