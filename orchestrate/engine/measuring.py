"""Taking measurements: the plan's commands on the commit that was handed off, beside what the handoff claims."""

from collections.abc import Sequence

import anyio.to_thread

from orchestrate.core.effects import TakeMeasurements
from orchestrate.core.measurement_events import MeasurementsTaken
from orchestrate.errors import MeasurementError, OrchestrateError
from orchestrate.model.comparison import Comparison
from orchestrate.model.handoff import MeasurementClaim
from orchestrate.model.names import Timestamp
from orchestrate.model.plan import Measurement
from orchestrate.model.rows import Measured, TaskRow
from orchestrate.model.timestamps import to_timestamp
from orchestrate.model.vocabulary import MeasurementOutcome
from orchestrate.ports import Archive, Bench, BenchCommand, Clock, Ran
from orchestrate.text.comparing import claims_of, compared
from orchestrate.text.handoffs import parse_handoff
from orchestrate.text.measurements import extracted
from orchestrate.text.redaction import Redactor

#: Of a detail, what a row keeps.
_LONGEST_DETAIL = 400


class Measurer:
    """Runs and compares; whatever goes wrong is an outcome."""

    def __init__(self, bench: Bench, *, archive: Archive, clock: Clock, redactor: Redactor) -> None:
        self._bench = bench
        self._archive = archive
        self._clock = clock
        self._redactor = redactor

    async def take(self, effect: TakeMeasurements) -> MeasurementsTaken:
        """What became of each declared measurement."""
        row, specs = effect.row, effect.measurements
        assert row.head_sha is not None, row
        text = await self._archive.read_handoff(row.name) or ""
        ran = await self._ran(row, specs)
        comparisons = await anyio.to_thread.run_sync(lambda: _compared(specs, ran, _claims(text, row)))
        at = to_timestamp(self._clock.now())
        pairs = zip(specs, comparisons, strict=True)
        measured = tuple(self._measured(spec, *found, sha=row.head_sha, at=at) for spec, found in pairs)
        return MeasurementsTaken(task=row.name, sha=row.head_sha, measured=measured)

    async def _ran(self, row: TaskRow, specs: Sequence[Measurement]) -> Sequence[Ran]:
        assert row.head_sha is not None
        commands = [BenchCommand(spec.command, has_network=spec.network) for spec in specs]
        try:
            return await self._bench.run(branch=row.branch, sha=row.head_sha, commands=commands)
        except OrchestrateError as error:
            return [Ran(not_run=f"the commit cannot be had: {error.message}") for _ in specs]

    def _measured(
        self, spec: Measurement, value: str | None, comparison: Comparison, *, sha: str, at: Timestamp
    ) -> Measured:
        redact = self._redactor.redact
        return Measured(
            name=spec.name,
            outcome=comparison.outcome,
            at=at,
            sha=sha,
            value=None if value is None else redact(value),
            drift=comparison.drift,
            detail=redact(" ".join(comparison.detail.split()))[:_LONGEST_DETAIL],
        )


def judged(spec: Measurement, ran: Ran, claims: Sequence[MeasurementClaim]) -> tuple[str | None, Comparison]:
    """What became of one measurement: the value that was read, if any, and how it stands beside the claims."""
    if ran.not_run is not None:
        return None, Comparison(MeasurementOutcome.NOT_RUN, None, ran.not_run)
    if ran.failure is not None:
        return None, Comparison(MeasurementOutcome.COMMAND_FAILED, None, ran.failure)
    try:
        value = extracted(spec.parser, ran.stdout)
    except MeasurementError as error:
        return None, Comparison(MeasurementOutcome.PARSE_FAILED, None, error.message)
    found = claims_of(spec.name, claims)
    if len({(claim.op, claim.after) for claim in found}) > 1:
        words = f"measured {value}; the handoff claims different things of it"
        return value, Comparison(MeasurementOutcome.CLAIM_MISSING, None, words)
    claim = found[0] if found else None
    return value, compared(name=spec.name, tolerance=spec.tolerance_fraction, measured=value, claim=claim)


def _claims(text: str, row: TaskRow) -> Sequence[MeasurementClaim]:
    return parse_handoff(text, task_type=row.type).measurements


def _compared(
    specs: Sequence[Measurement], ran: Sequence[Ran], claims: Sequence[MeasurementClaim]
) -> list[tuple[str | None, Comparison]]:
    return [judged(spec, each, claims) for spec, each in zip(specs, ran, strict=True)]
