"""Measurements: after the handoff the plan's commands are run on the commit that was handed off.

What comes of them stands beside the claims and changes no verification. Nobody waits for it but the end of the run.
"""

from collections.abc import Iterable
from dataclasses import replace

from orchestrate.core.changes import NOTHING, AttentionRaised, Decision, Phase, RowChanged, SessionChanged, change
from orchestrate.core.effects import TakeMeasurements
from orchestrate.core.findings import with_findings
from orchestrate.core.measurement_events import MeasurementsTaken
from orchestrate.core.state import State, apply
from orchestrate.model.names import TaskName, Timestamp
from orchestrate.model.plan import Measurement
from orchestrate.model.rows import Finding, Measured, TaskRow
from orchestrate.model.vocabulary import FindingKind, MeasurementOutcome, TaskStatus

_NO_FINDING = frozenset({MeasurementOutcome.MATCH, MeasurementOutcome.NOT_RUN})


def measure(state: State, rows: Iterable[TaskRow]) -> Decision:
    """The orders to measure these rows' commits, where the plan declares something and it was not done yet."""
    if state.session.settings.answers_only or state.session.phase != Phase.RUNNING:
        return NOTHING  # the next engine takes it up
    effects = [
        TakeMeasurements(row=row, measurements=due)
        for row in rows
        if row.name not in state.session.measuring and (due := _due(state, row))
    ]
    if not effects:
        return NOTHING
    measuring = state.session.measuring | {effect.row.name for effect in effects}
    return change(SessionChanged(replace(state.session, measuring=measuring)), effects=effects)


def not_measured(state: State, row: TaskRow, reason: str, *, at: Timestamp) -> Decision:
    """What a row says of measurements that cannot be taken; told once."""
    declared = () if row.measured else _declared(state, row)
    measured = tuple(Measured(each.name, MeasurementOutcome.NOT_RUN, at, detail=reason) for each in declared)
    return _taken_in(row, measured, at=at) if measured else NOTHING


def on_measurements_taken(state: State, event: MeasurementsTaken) -> Decision:
    """What was measured of the row's present commit; of a former one it means nothing, and the present one's turn comes."""
    over = change(no_longer_measured(state, event.task))
    row = state.rows.get(event.task)
    if row is None or row.status != TaskStatus.HANDED_OFF:
        return over
    if row.head_sha != event.sha:
        return over + measure(apply(state, over.changes), [row])
    return over + _taken_in(row, event.measured, at=event.at)


def no_longer_measured(state: State, task: TaskName) -> SessionChanged:
    """The session in which nobody takes this task's measurements."""
    return SessionChanged(replace(state.session, measuring=state.session.measuring - {task}))


def _taken_in(row: TaskRow, measured: tuple[Measured, ...], *, at: Timestamp) -> Decision:
    names = {each.name for each in measured}
    whole = (*(each for each in row.measured if each.name not in names), *measured)
    found = (_finding(each) for each in whole if each.outcome not in _NO_FINDING)
    after = replace(row, measured=whole, last_update=at)
    after = with_findings(after, [FindingKind.MEASUREMENT], found)
    lines = (AttentionRaised(f"{row.name}: measurement {_words(each)}") for each in measured)
    return change(RowChanged(after), *lines)


def _finding(measured: Measured) -> Finding:
    return Finding(FindingKind.MEASUREMENT, _words(measured))


def _words(measured: Measured) -> str:
    return f"{measured.name}: {measured.outcome}: {measured.detail}."


def _due(state: State, row: TaskRow) -> tuple[Measurement, ...]:
    """What is declared and not measured on the present commit; what was not run is due again if that is asked for."""
    if row.head_sha is None or row.on_remote is None or not row.on_remote.is_there:
        return ()
    done = {each.name for each in row.measured if each.sha == row.head_sha and _stands(state, each)}
    return tuple(each for each in _declared(state, row) if each.name not in done)


def _stands(state: State, measured: Measured) -> bool:
    return measured.outcome != MeasurementOutcome.NOT_RUN or not state.session.settings.measures


def _declared(state: State, row: TaskRow) -> tuple[Measurement, ...]:
    """The task's measurements; what a person handed off makes no claims, and what another tool did is not ours."""
    task = state.plan.tasks_by_name.get(row.name)
    is_ours = row.status == TaskStatus.HANDED_OFF and row.accepted is None and row.pushed is not None
    return task.measurements if task is not None and is_ours else ()
