"""Parsers, declared measurements and claims as others have them, in the shapes of JSON, taken in at the border."""

import math
from collections.abc import Mapping
from functools import cache

from pydantic import TypeAdapter, ValidationError

from orchestrate.errors import MeasurementError
from orchestrate.model.handoff import MeasurementClaim
from orchestrate.model.plan_parts import DEFAULT_TOLERANCE, LineCountParser, Parser, RegexParser


def parser_of(given: object) -> Parser:
    """A parser of ``plan.json``; without one, lines are counted."""
    if given is None:
        return LineCountParser(kind="wc-l")
    if isinstance(given, LineCountParser | RegexParser):
        return given
    try:
        return _parsers().validate_python(given)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"][1:])) or "parser"
        raise MeasurementError(
            f"the parser cannot be used: {place}: {first['msg'].removeprefix('Value error, ')}"
        ) from error


def name_and_tolerance_of(spec: object) -> tuple[str, float]:
    """What a comparison needs of a declared measurement."""
    name = _field(spec, "name")
    tolerance = _field(spec, "toleranceFraction", "tolerance_fraction")
    if not isinstance(name, str):
        raise MeasurementError("the measurement has no name")
    if tolerance is None:
        return name, DEFAULT_TOLERANCE
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float):
        raise MeasurementError(f"toleranceFraction of {name} is no number")
    if not math.isfinite(tolerance) or tolerance < 0:
        raise MeasurementError(f"toleranceFraction of {name} is no part of a whole")
    return name, tolerance


def claim_of(given: object) -> MeasurementClaim | None:
    """A claim of a handoff; None stays None."""
    if given is None or isinstance(given, MeasurementClaim):
        return given
    name, before, op, after = (_text(_field(given, key)) for key in ("name", "before", "op", "after"))
    return MeasurementClaim(name=name, before=before, op=op, after=after)


def value_of(measured: object) -> str | None:
    """What was measured, as text."""
    return None if measured is None else _text(measured)


def _field(given: object, *names: str) -> object:
    if isinstance(given, Mapping):
        return next((given[name] for name in names if name in given), None)
    return next((getattr(given, name) for name in names if hasattr(given, name)), None)


def _text(value: object) -> str:
    return "" if value is None else str(value)


@cache
def _parsers() -> TypeAdapter[Parser]:
    return TypeAdapter(Parser)
