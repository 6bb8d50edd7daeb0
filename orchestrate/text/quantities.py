"""What a value under ``## Measurements`` may mean as a number with a unit: every reading of it, the likeliest first.

Numbers are read as programs and English texts write them: ``1,234`` is one thousand and more, ``1.234`` a little more
than one. Where another convention would read another number, that is a second reading: it never makes a match, but it
keeps a comparison from being called a mismatch.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

#: Longer values are no numbers.
_LONGEST_VALUE = 100
_VALUE = re.compile(
    r"(?:[~≈≃]|about |approx(?:\.|imately)? |ca\.? )?\s*(?P<sign>[+-]?)\s?(?P<currency>[$€£¥]?)\s?"
    r"(?P<digits>\.?[0-9][0-9.,'’_ ]*+)(?P<exponent>[eE][+-]?[0-9]{1,2}(?![0-9]))?(?P<unit>[^0-9]*)\Z"
)
_MARKS = re.compile(r"[`*]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
_SPACES = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
_GROUPED = re.compile(r"[1-9][0-9]{0,2}(?:(?P<sign>[.,'’_ ])[0-9]{3})(?:(?P=sign)[0-9]{3})*")
_ONE_GROUP = re.compile(r"[1-9][0-9]{0,2}[.,][0-9]{3}\Z")
_PLURAL_FROM = 3

_SECONDS = {
    "ns": "1e-9", "µs": "1e-6", "us": "1e-6", "ms": "1e-3", "msec": "1e-3", "millisecond": "1e-3", "s": "1", "sec": "1",
    "second": "1", "min": "60", "minute": "60", "h": "3600", "hr": "3600", "hour": "3600", "day": "86400",
}  # fmt: skip
_BYTES = {"b": (1,), "byte": (1,)} | {
    spelling: tuple(base**power for base in bases)
    for power, letter in enumerate("kmgt", start=1)
    for spelling, bases in {f"{letter}b": (1000, 1024), f"{letter}ib": (1024,)}.items()
}
_SCALES: dict[str, dict[str, tuple[Decimal, ...]]] = {
    "time": {unit: (Decimal(factor),) for unit, factor in _SECONDS.items()},
    "size": {unit: tuple(map(Decimal, factors)) for unit, factors in _BYTES.items()},
    "share": {"%": (Decimal("0.01"),), "percent": (Decimal("0.01"),), "pct": (Decimal("0.01"),)},
}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number and the unit beside it, as it is compared: in lower case, singular, empty if there is none."""

    amount: Decimal
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two amounts in one unit; ``is_sure`` if nothing but the likeliest reading of both was taken for it."""

    one: Decimal
    other: Decimal
    is_sure: bool


def bare(value: str) -> str:
    """The value without marks of markdown, spaces and minus signs made plain."""
    plain = _MARKS.sub("", _SPACES.sub(" ", value).replace("\u2212", "-"))
    return " ".join(plain.split())


def quantities(value: str) -> tuple[Quantity, ...]:
    """The readings of a bare value, the likeliest first; none if it is no number."""
    match = _VALUE.match(value) if len(value) <= _LONGEST_VALUE else None
    if match is None:
        return ()
    digits = match["digits"].rstrip(".,'’_ ")
    unit = _unit(match["currency"] + match["digits"][len(digits) :].lstrip(" ") + match["unit"])
    exponent = match["exponent"] or ""
    amounts = (Decimal(f"{match['sign']}{number}{exponent}") for number in _numbers(digits))
    return tuple(Quantity(amount=amount, unit=unit) for amount in amounts)


def pairs(one: tuple[Quantity, ...], other: tuple[Quantity, ...]) -> list[Pair]:
    """What there is to compare, the likeliest first; empty if the units have nothing in common."""
    found: dict[tuple[Decimal, Decimal], bool] = {}
    for first_place, first in enumerate(one):
        for second_place, second in enumerate(other):
            for amounts, is_sure in _in_one_unit(first, second):
                found.setdefault(amounts, is_sure and first_place == second_place == 0)
    return [Pair(one=amounts[0], other=amounts[1], is_sure=is_sure) for amounts, is_sure in found.items()]


def _in_one_unit(one: Quantity, other: Quantity) -> Iterator[tuple[tuple[Decimal, Decimal], bool]]:
    if one.unit == other.unit or not one.unit or not other.unit:
        yield (one.amount, other.amount), True
    if one.unit == other.unit:
        return
    for scale in _SCALES.values():
        if not {one.unit, other.unit} <= {*scale, ""}:
            continue
        firsts, seconds = _factors(scale, one.unit), _factors(scale, other.unit)
        is_sure = bool(one.unit and other.unit) and len(firsts) == len(seconds) == 1
        for first in firsts:
            for second in seconds:
                yield (one.amount * first, other.amount * second), is_sure


def _factors(scale: dict[str, tuple[Decimal, ...]], unit: str) -> tuple[Decimal, ...]:
    """Of no unit any may be meant."""
    return scale[unit] if unit else (*{factor: None for each in scale.values() for factor in each}, Decimal(1))


def _unit(text: str) -> str:
    unit = text.strip(" .,;:()[]").lower().replace("μ", "µ")
    is_plural = len(unit) >= _PLURAL_FROM and unit.endswith("s") and not unit.endswith("ss")
    return unit[:-1] if is_plural else unit


def _numbers(digits: str) -> Iterator[str]:
    """The digits with a point where the fraction begins, for each way to read them."""
    signs = [sign for sign in digits if not sign.isdigit()]
    if not signs:
        yield digits
    elif _ONE_GROUP.match(digits):
        whole, fraction = re.split(r"[.,]", digits)
        readings = (f"{whole}{fraction}", f"{whole}.{fraction}")
        yield from readings if "," in digits else reversed(readings)
    elif _GROUPED.fullmatch(digits):
        yield re.sub(r"\D", "", digits)
    elif len(signs) == 1 and signs[0] in ".,":
        yield digits.replace(",", ".")
    else:
        yield from _grouped_with_fraction(digits)


def _grouped_with_fraction(digits: str) -> Iterator[str]:
    """``1,234.5`` and ``1.234,5``: the last sign stands before the fraction, and is another than the one before."""
    place = max(digits.rfind("."), digits.rfind(","))
    whole, fraction = digits[:place], digits[place + 1 :]
    if place > 0 and fraction.isdigit() and digits[place] not in whole and _GROUPED.fullmatch(whole):
        yield f"{re.sub(r'[^0-9]', '', whole)}.{fraction}"
