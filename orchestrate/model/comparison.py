"""A claim beside what was measured."""

from dataclasses import dataclass

from orchestrate.model.vocabulary import MeasurementOutcome


@dataclass(frozen=True, slots=True)
class Comparison:
    """What became of one declared measurement."""

    outcome: MeasurementOutcome
    #: How far the measured value is from the claimed one, as a part of that: 0.1 is a tenth, up or down. Of a bound that
    #: holds it is 0. None where there is none: no numbers, or a claim of 0 that is not met.
    drift: float | None
    #: Why, in one line.
    detail: str
