"""Numbers on a command line: how they are read, and the words with which anything else is refused."""

from argparse import ArgumentTypeError

#: More digits are a mistake, whatever is counted.
_MOST_DIGITS = 9


def count(text: str) -> int:
    """A whole number from 1 on."""
    number = _whole(text)
    if not number:
        raise ArgumentTypeError(f'"{text}" is no number from 1 on')
    return number


def port(text: str) -> int:
    """A port; 0 is any free one."""
    number, largest = _whole(text), 65535
    if number is None or number > largest:
        raise ArgumentTypeError(f'"{text}" is no port (0 to {largest})')
    return number


def seconds(text: str) -> float:
    """A span of time that is not empty."""
    number = _decimal(text)
    if number is None or number == 0:
        raise ArgumentTypeError(f'"{text}" is no number of seconds above 0')
    return number


def seconds_from_zero(text: str) -> float:
    """A span of time; 0 is none."""
    number = _decimal(text)
    if number is None:
        raise ArgumentTypeError(f'"{text}" is no number of seconds from 0 on')
    return number


def _whole(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else None


def _decimal(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None
