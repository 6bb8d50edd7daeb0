"""Whatever foreign text is: none of its characters is obeyed by a terminal."""

import unicodedata

from hypothesis import given, strategies as st

from orchestrate.text.terminal import escape_for_terminal
from tests.support.fuzzing import fuzzed, odd_text

#: Control characters, invisible ones, halves of characters, and those that end a line or a paragraph.
OBEYED = {"Cc", "Cs", "Zl", "Zp"}
BIDI = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def is_obeyed(character: str) -> bool:
    return unicodedata.category(character) in OBEYED or character in BIDI


@fuzzed
@given(st.one_of(odd_text, st.text()))
def test_no_control_character_is_left(text):
    shown = escape_for_terminal(text)

    assert not any(map(is_obeyed, shown))
    assert escape_for_terminal(shown) == shown


@fuzzed
@given(st.one_of(odd_text, st.text()))
def test_only_line_ends_are_left_where_they_are_kept(text):
    shown = escape_for_terminal(text, keep_newlines=True)

    assert shown.count("\n") == text.count("\n")
    assert not any(is_obeyed(character) for character in shown if character != "\n")


def test_every_character_that_is_obeyed_is_spelled_out():
    everything = [chr(number) for number in range(0x11_0000)]
    assert [
        character for character in everything if is_obeyed(character) and escape_for_terminal(character) == character
    ] == []
