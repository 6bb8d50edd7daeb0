import pytest
from pydantic import TypeAdapter, ValidationError

from orchestrate.model.plan_fields import (
    Amount,
    Count,
    CountFromZero,
    Flag,
    Fraction,
    NameText,
    Rank,
    Ref,
    RegexFlags,
    SlugText,
    Text,
    VariableName,
)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (Text, "x"),
        (NameText, "a"),
        (NameText, "fix-date-2"),
        (NameText, "x" * 64),
        (SlugText, "x" * 200),
        (Ref, "feature/a.b"),
        (Ref, "a" * 40),
        (VariableName, "_A1"),
        (RegexFlags, "gimsuy"),
        (Flag, False),
        (Count, 1),
        (CountFromZero, 0),
        (Rank, -5),
        (Amount, 0.5),
        (Amount, 3),
        (Fraction, 0),
        (Fraction, 1.0),
    ],
)
def test_good_values_are_taken_as_they_are(kind, value):
    assert TypeAdapter(kind).validate_python(value) == value


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (Text, "\n"),
        (NameText, "a-"),
        (NameText, "a--b"),
        (NameText, "a\n"),
        (NameText, "a_b"),
        (SlugText, "x" * 201),
        (Ref, "@"),
        (Ref, "a b"),
        (VariableName, "1A"),
        (VariableName, "A\n"),
        (VariableName, ""),
        (RegexFlags, "gx"),
        (Flag, 1),
        (Flag, "true"),
        (Count, 0),
        (Count, 1.0),
        (Count, True),
        (Count, 1_000_000_001),
        (CountFromZero, -1),
        (Rank, -1_000_000_001),
        (Amount, 0),
        (Amount, float("inf")),
        (Amount, True),
        (Fraction, 1.1),
        (Fraction, float("nan")),
    ],
)
def test_bad_values_are_refused(kind, value):
    with pytest.raises(ValidationError):
        TypeAdapter(kind).validate_python(value)
