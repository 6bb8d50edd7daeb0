from argparse import ArgumentTypeError

import pytest

from orchestrate.cli.numbers import count, port, seconds, seconds_from_zero


@pytest.mark.parametrize(
    ("read", "text", "number"),
    [
        (count, "1", 1),
        (count, "0012", 12),
        (port, "0", 0),
        (port, "65535", 65535),
        (seconds, "0.5", 0.5),
        (seconds, "3300", 3300),
        (seconds_from_zero, "0", 0),
    ],
)
def test_a_number_is_read(read, text, number):
    assert read(text) == number


@pytest.mark.parametrize(
    ("read", "text"),
    [
        *((count, text) for text in ("0", "-1", "1.5", "", "3abc", "²", "9" * 5000)),
        *((port, text) for text in ("65536", "-1", "x", "9" * 5000)),
        *((seconds, text) for text in ("0", "-1", "nan", "inf", "", "3abc")),
        *((seconds_from_zero, text) for text in ("-0.1", "nan", "inf", "soon")),
    ],
)
def test_anything_else_is_refused_with_what_was_typed(read, text):
    with pytest.raises(ArgumentTypeError) as refusal:
        read(text)
    assert str(refusal.value).startswith(f'"{text}" is no ')
