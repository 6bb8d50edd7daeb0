import pytest

from orchestrate.errors import MeasurementError
from orchestrate.model.plan_parts import LineCountParser, RegexParser
from orchestrate.text.measurements import LONGEST_OUTPUT, LONGEST_VALUE, extracted

LINES = LineCountParser(kind="wc-l")


def pattern(text, flags=""):
    return RegexParser(kind="regex", pattern=text, flags=flags)


@pytest.mark.parametrize(("stdout", "count"), [("", "0"), ("a\n\n b\n  \n\r\nc", "3"), ("a", "1"), ("\n\n", "0")])
def test_lines_that_are_not_blank_are_counted(stdout, count):
    assert extracted(LINES, stdout) == count


@pytest.mark.parametrize(
    ("parser", "stdout", "value"),
    [
        (pattern(r"(\d+) passed", "gi"), "1 failed, 12 Passed, 13 passed", "12"),
        (pattern(r"\d+ passed"), "12 passed", "12 passed"),
        (pattern(r"(x)?y(z)"), "yz", "yz"),
        (pattern(r"total:(.*)$", "m"), "total:  5 \nmore", "5"),
        (pattern("a", "y"), "ab", "a"),
    ],
)
def test_group_1_or_the_whole_match_is_the_value(parser, stdout, value):
    assert extracted(parser, stdout) == value


@pytest.mark.parametrize(
    ("parser", "stdout", "reason"),
    [
        (pattern("x"), "y", "matches nothing"),
        (pattern("b", "y"), "ab", "matches nothing"),
        (pattern("a( *)b"), "a  b", "is empty"),
        (pattern(".*"), "x" * (LONGEST_VALUE + 1), "too long"),
        (pattern("("), "", "cannot be used"),
        (pattern(r"\p{Nothing}", "u"), "", "cannot be used"),
        (LINES, "x" * (LONGEST_OUTPUT + 1), "printed more"),
    ],
)
def test_where_there_is_no_value_the_reason_is_told(parser, stdout, reason):
    with pytest.raises(MeasurementError, match=reason):
        extracted(parser, stdout)


def test_a_pattern_that_would_take_for_ever_is_given_up():
    with pytest.raises(MeasurementError, match="takes too long"):
        extracted(pattern("(?:.*){10}[XY]"), "a" * 100_000)
