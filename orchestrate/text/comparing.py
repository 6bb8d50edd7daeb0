"""A measured value beside the one that the handoff claims.

``→`` and ``==`` claim a value: the measured one may differ by the tolerance, a part of the claimed value. Near zero that
is a part of very little, and at zero nothing at all: a claim of 0 is met by 0 only. The other operators claim a bound,
which holds or does not; the tolerance does not move it. What could be read in two ways is never called a mismatch.
"""

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal

from orchestrate.model.comparison import Comparison
from orchestrate.model.handoff import MeasurementClaim
from orchestrate.model.vocabulary import MeasurementOutcome
from orchestrate.text.claims import operator_of
from orchestrate.text.cleaning import excerpt
from orchestrate.text.quantities import Pair, Quantity, bare, pairs, quantities

_BOUNDS: Mapping[str, Callable[[Decimal, Decimal], bool]] = {
    "<=": operator.le,
    "<": operator.lt,
    ">": operator.gt,
    ">=": operator.ge,
}


def claims_of(name: str, claims: Sequence[MeasurementClaim]) -> list[MeasurementClaim]:
    """The claims of that measurement, whatever marks and capitals its name is written with."""
    return [claim for claim in claims if same_name(claim.name, name)]


def same_name(one: str, other: str) -> bool:
    """True for names that differ only in marks, capitals and the width of spaces."""
    return bare(one).casefold() == bare(other).casefold()


def compared(*, name: str, tolerance: float, measured: str | None, claim: MeasurementClaim | None) -> Comparison:
    """What became of the claim; ``measured`` is None where no command ran."""
    if measured is None:
        return _without_drift(MeasurementOutcome.NOT_RUN, "it was not measured")
    value = bare(measured)
    if claim is None or not same_name(claim.name, name):
        return _without_drift(
            MeasurementOutcome.CLAIM_MISSING, f"measured {excerpt(value)}; the handoff claims nothing of that name"
        )
    op, claimed = operator_of(claim.op), bare(claim.after)
    if op is None or not claimed:
        return _without_drift(
            MeasurementOutcome.PARSE_FAILED, f"the claim has no value or operator: {excerpt(claim.op)}"
        )
    if not value:
        return _without_drift(MeasurementOutcome.PARSE_FAILED, "what was measured is empty")
    return _judged(claimed, value, op=op, tolerance=Decimal(str(tolerance)))


def _judged(claimed: str, measured: str, *, op: str, tolerance: Decimal) -> Comparison:
    is_bound = op in _BOUNDS
    if claimed == measured and not is_bound:
        return Comparison(MeasurementOutcome.MATCH, 0.0, f"measured {excerpt(measured)}, as claimed")
    ours, theirs = quantities(measured), quantities(claimed)
    if not ours and not theirs and not is_bound:
        return _without_drift(
            MeasurementOutcome.VALUE_MISMATCH, f"claimed {excerpt(claimed)}, measured {excerpt(measured)}"
        )
    unread = [text for text, found in ((claimed, theirs), (measured, ours)) if not found]
    if unread:
        return _without_drift(MeasurementOutcome.PARSE_FAILED, f"{excerpt(unread[0])} cannot be read as a number")
    return _numbers_judged(theirs, ours, said=_said(claimed, measured, op=op), op=op, tolerance=tolerance)


def _numbers_judged(
    claimed: tuple[Quantity, ...], measured: tuple[Quantity, ...], *, said: str, op: str, tolerance: Decimal
) -> Comparison:
    found = pairs(claimed, measured)
    if not found:
        return _without_drift(MeasurementOutcome.PARSE_FAILED, f"{said}: the units cannot be compared")
    holds = [_holds(pair, op=op, tolerance=tolerance) for pair in found]
    sure = [held for pair, held in zip(found, holds, strict=True) if pair.is_sure]
    if any(sure) or all(holds):
        drift = _drift(found[holds.index(True)], op=op, holds=True)
        return Comparison(MeasurementOutcome.MATCH, drift, f"{said}{_allowed(drift, op=op, tolerance=tolerance)}")
    if any(holds):
        return _without_drift(MeasurementOutcome.PARSE_FAILED, f"{said}: a number or unit can be read in two ways")
    drift = _drift(found[0], op=op, holds=False)
    return Comparison(MeasurementOutcome.VALUE_MISMATCH, drift, f"{said}{_missed(drift, op=op, tolerance=tolerance)}")


def _holds(pair: Pair, *, op: str, tolerance: Decimal) -> bool:
    bound = _BOUNDS.get(op)
    if bound is not None:
        return bound(pair.other, pair.one)
    return abs(pair.other - pair.one) <= tolerance * abs(pair.one)


def _drift(pair: Pair, *, op: str, holds: bool) -> float | None:
    if pair.one == pair.other or (op in _BOUNDS and holds):
        return 0.0
    if not pair.one:
        return None
    drift = float(abs(pair.other - pair.one) / abs(pair.one))
    return drift if math.isfinite(drift) else None


def _said(claimed: str, measured: str, *, op: str) -> str:
    sign = f"{op} " if op in _BOUNDS else ""
    return f"claimed {sign}{excerpt(claimed)}, measured {excerpt(measured)}"


def _allowed(drift: float | None, *, op: str, tolerance: Decimal) -> str:
    return "" if op in _BOUNDS or not drift else f": {drift:.2%} off, {tolerance:.2%} is allowed"


def _missed(drift: float | None, *, op: str, tolerance: Decimal) -> str:
    if op in _BOUNDS:
        return ": the bound does not hold"
    if drift is None:
        return ": nothing but 0 meets a claim of 0"
    return f": {drift:.2%} off, {tolerance:.2%} is allowed"


def _without_drift(outcome: MeasurementOutcome, detail: str) -> Comparison:
    return Comparison(outcome=outcome, drift=None, detail=detail)
