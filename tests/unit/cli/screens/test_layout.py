import pytest

from orchestrate.cli.screens.layout import (
    Look,
    Span,
    Tint,
    command,
    cut,
    cut_middle,
    drawn_width,
    folded,
    line,
    padded,
    rendered,
    spread,
    width_of,
    wrapped,
)


def shown(spans, **look) -> str:
    return rendered([spans], Look(**look))[0]


def test_names_are_cut_in_the_middle():
    assert cut_middle("migrate-user-tests", 15) == "migrate…r-tests"
    assert cut_middle("short", 15) == "short"
    assert cut_middle("abcdef", 2) == "a…"


@pytest.mark.parametrize("columns", range(20))
def test_nothing_is_ever_wider_than_asked(columns):
    for text in ("plain text that is long", "日本語の名前はとても長い", "e\u0301" * 20, "✓ ● · …" * 4):
        assert width_of(cut(text, columns)) <= columns
        assert width_of(cut_middle(text, columns)) <= columns


def test_wide_letters_take_two_columns():
    assert width_of("日本") == 4
    assert width_of("✓ ab") == 4
    assert width_of("a\x07b日") == 4
    assert padded("日本", 6) == "日本  "
    assert padded("ab", 4, to_right=True) == "  ab"


def test_a_line_is_cut_to_the_screen():
    assert shown(line("0123456789", "abc"), columns=12) == "0123456789a…"
    assert shown(line("0123456789", "abc", "never"), columns=10) == "0123456789"


def test_a_command_is_never_cut():
    spans = command("  do: ", "orchestrate handoff . a-long-name")
    assert shown(spans, columns=20) == "  do: orchestrate handoff . a-long-name"
    assert drawn_width(spans, Look(columns=20)) == 39
    assert drawn_width(line("x" * 39), Look(columns=20)) == 20


def test_colour_repeats_the_meaning_and_only_where_it_may():
    spans = (Span("✗", Tint.ERROR), Span(" a"))
    assert shown(spans, has_color=True) == "\x1b[31m✗\x1b[0m a"
    assert shown(spans) == "✗ a"


def test_without_unicode_the_signs_have_twins():
    assert shown(line("✓ ● · ○ ◌ ✗ …"), has_unicode=False) == "+ * . o ? x ~"
    assert shown(line("0123456789"), columns=5, has_unicode=False) == "0123~"


def test_links_are_made_where_the_terminal_takes_them_and_the_address_is_harmless():
    spans = (Span("a", url="https://example.org/a"),)
    assert shown(spans, has_links=True) == "\x1b]8;;https://example.org/a\x1b\\a\x1b]8;;\x1b\\"
    assert shown(spans) == "a"
    for address in ("javascript:alert(1)", "https://x\x1b\\y", "local:bc-1", "https://exämple.org"):
        assert shown((Span("a", url=address),), has_links=True) == "a"


def test_foreign_text_cannot_steer_the_terminal():
    assert "\x1b" not in shown(line("a\x1b[2Jb"))


def test_words_are_wrapped_whole_and_long_ones_over_lines():
    assert wrapped("one two three", 7) == ["one two", "three"]
    assert wrapped("a 0123456789", 4) == ["a", "0123", "4567", "89"]
    assert wrapped("", 4) == [""]


def test_the_right_end_stands_at_the_edge_or_right_behind():
    assert spread(line("ab"), "cd", columns=10)[1].text == " " * 6
    assert spread(line("ab"), "cd", columns=4)[1].text == "   "
    assert spread(line("ab"), "", columns=4) == line("ab")


def test_items_are_folded_and_the_rest_is_counted():
    assert folded(["aa", "bb", "cc"], columns=6) == ["aa  bb", "cc"]
    assert folded(["aa", "bb", "cc", "dd", "ee"], columns=6, at_most=2) == ["aa  bb", "cc  dd", "+ 1 more"]
    assert folded([], columns=6) == []


def test_the_long_form_begins_at_a_hundred_columns():
    assert not Look(columns=99).is_long
    assert Look(columns=100).is_long
    assert Look(argument="work", program="python -m orchestrate").command("status", "-v") == (
        "python -m orchestrate status work -v"
    )
