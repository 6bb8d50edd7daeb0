import re

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
    RepositoryPath,
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
        (RepositoryPath, ".orchestrate/x/state.json"),
        (RepositoryPath, "..x/a.."),
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
        (RepositoryPath, " "),
        (RepositoryPath, "/etc/passwd"),
        (RepositoryPath, "./state.json"),
        (RepositoryPath, "a/../b"),
        (RepositoryPath, "a//b"),
        (RepositoryPath, "a/.."),
        (RepositoryPath, "a/"),
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


@pytest.mark.parametrize(
    "path", ["a", "..x", "a..", "a/b", ".a/...", "", ".", "..", "/a", "a/", "a//b", "a/./b", "a/..", "../a"]
)
def test_the_schema_knows_the_paths_that_the_check_knows(path):
    adapter = TypeAdapter(RepositoryPath)
    pattern = adapter.json_schema()["pattern"]
    try:
        adapter.validate_python(path)
    except ValidationError:
        assert re.search(pattern, path) is None
    else:
        assert re.search(pattern, path) is not None
