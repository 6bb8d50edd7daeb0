"""What agent programs report of their usage, and what that adds up to. What is not reported is not known, never 0."""

import math
from collections.abc import Mapping, Sequence

from pydantic import ValidationError

from orchestrate.model.vocabulary import RunStatus
from orchestrate.model.wire import Cost, TokenUsage, WireModel
from orchestrate.server.records import RunRecord


class UsageReport(WireModel):
    """What an agent program writes, as JSON, into the file that ``ORCHESTRATE_USAGE_FILE`` names."""

    usage: TokenUsage | None = None
    cost: Cost | None = None


class UsageUnreadable(Exception):
    """A report that makes no sense; the message says why."""


def read_usage(content: bytes) -> Mapping[str, object] | None:
    """The report as it is kept; None if it says nothing that we know."""
    try:
        report = UsageReport.model_validate_json(content)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        raise UsageUnreadable(f"{place}: {first['msg']}") from error
    return check_usage(report)


def check_usage(report: UsageReport) -> Mapping[str, object] | None:
    """The report as it is kept; raises UsageUnreadable for numbers that cannot be."""
    kept: dict[str, dict[str, float]] = report.model_dump(by_alias=True, exclude_none=True)
    for part, numbers in kept.items():
        for name, number in numbers.items():
            if not (math.isfinite(number) and number >= 0):
                raise UsageUnreadable(f"{part}.{name}: must be 0 or more")
    return {part: numbers for part, numbers in kept.items() if numbers} or None


def usage_answer(runs: Sequence[RunRecord]) -> dict[str, object]:
    """Usage on the wire; a total stands there only if every run that was at work and has ended told its share."""
    cost = _total(runs, "cost")
    return {
        "totalUsage": _total(runs, "usage"),
        **({"cost": cost} if cost else {}),
        "runs": [{"id": run.id, "usage": {}, **run.usage} for run in runs if run.usage is not None],
    }


def _total(runs: Sequence[RunRecord], part: str) -> dict[str, float]:
    shares = [_part(run, part) for run in runs if _has_worked(run)]
    if not shares:
        return {}
    told_by_all = [name for name in shares[0] if all(name in share for share in shares)]
    return {name: sum(share[name] for share in shares) for name in told_by_all}


def _has_worked(run: RunRecord) -> bool:
    """Whether the run has ended and an agent was at work in it: one that was never begun took nothing."""
    return run.status.is_terminal and (run.started_at is not None or run.status is RunStatus.FINISHED)


def _part(run: RunRecord, part: str) -> Mapping[str, float]:
    numbers = (run.usage or {}).get(part)
    return numbers if isinstance(numbers, Mapping) else {}
