from decimal import Decimal

import pytest

from orchestrate.text.quantities import Pair, Quantity, bare, pairs, quantities


@pytest.mark.parametrize(
    ("value", "readings"),
    [
        ("12", [("12", "")]),
        ("-1.5 ms", [("-1.5", "ms")]),
        ("+ 7", [("7", "")]),
        (".5", [(".5", "")]),
        ("1e3", [("1e3", "")]),
        ("1,234", [("1234", ""), ("1.234", "")]),
        ("1.234", [("1.234", ""), ("1234", "")]),
        ("0,123", [("0.123", "")]),
        ("12,5 %", [("12.5", "%")]),
        ("1234,567", [("1234.567", "")]),
        ("1.234.567", [("1234567", "")]),
        ("1,234.5", [("1234.5", "")]),
        ("1.234,5", [("1234.5", "")]),
        ("1 234", [("1234", "")]),
        ("1 234,5", [("1234.5", "")]),
        ("1'234.5", [("1234.5", "")]),
        ("1_000", [("1000", "")]),
        ("12 tests.", [("12", "test")]),
        ("3 passes", [("3", "passe")]),
        ("4 class", [("4", "class")]),
        ("$ 5", [("5", "$")]),
        ("5 €", [("5", "€")]),
        ("~120 KB", [("120", "kb")]),
        ("1,23,456", []),
        ("1.2.3", []),
        ("12, 5", []),
        ("3 of 5", []),
        ("v1", []),
        ("", []),
        ("1" * 101, []),
    ],
)
def test_a_value_has_every_reading_the_likeliest_first(value, readings):
    assert quantities(value) == tuple(Quantity(Decimal(amount), unit) for amount, unit in readings)


@pytest.mark.parametrize(
    ("marked", "plain"),
    [("**`120`** ms", "120 ms"), ("_12_", "12"), ("1_000", "1000".replace("10", "1_0")), ("−5\u202f%", "-5 %")],
)
def test_marks_of_markdown_are_no_part_of_a_value(marked, plain):
    assert bare(marked) == plain


def only(value):
    (found,) = quantities(value)
    return (found,)


def test_one_unit_is_compared_as_it_is():
    assert pairs(only("2 ms"), only("3 ms")) == [Pair(Decimal(2), Decimal(3), is_sure=True)]


def test_known_units_of_one_kind_are_made_one():
    assert [(float(pair.one), float(pair.other), pair.is_sure) for pair in pairs(only("2 s"), only("1500 ms"))] == [
        (2.0, 1.5, True)
    ]


def test_a_kilobyte_may_have_1000_or_1024_bytes():
    found = pairs(only("1 KB"), only("1000 B"))
    assert [(int(pair.one), int(pair.other), pair.is_sure) for pair in found] == [
        (1000, 1000, False),
        (1024, 1000, False),
    ]


def test_a_number_without_a_unit_has_the_unit_of_the_other_first():
    first, *others = pairs(only("2 s"), only("1500"))
    assert first == Pair(Decimal(2), Decimal(1500), is_sure=True)
    assert any(pair.one == 2 and pair.other == Decimal("1.500") for pair in others)
    assert not any(pair.is_sure for pair in others)


def test_units_that_have_nothing_in_common_are_not_compared():
    assert pairs(only("2 rows"), only("2 lines")) == []
    assert pairs(only("2 ms"), only("2 MB")) == []
