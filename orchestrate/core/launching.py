"""From an intent to a run: one agent for an attempt, whatever the answers are.

The intent, with an id and a key derived from it, is on disk before the request leaves. An answer that says "later"
repeats the same request; silence is looked up by the id that we chose; only a positive "not there" sends it again.
"""

from dataclasses import replace

from orchestrate.core.changes import (
    NOTHING,
    AttentionRaised,
    Decision,
    Phase,
    RowChanged,
    SessionChanged,
    change,
)
from orchestrate.core.effects import CancelRun, LaunchAgent, LookUpAgent, SetTimer, WatchRun
from orchestrate.core.events import (
    AccessLost,
    AgentLaunched,
    AgentNotFound,
    LaunchDelayed,
    LaunchOutcomeUnknown,
    LaunchRefused,
    Timer,
    TimerFired,
    TimerKind,
)
from orchestrate.core.pacing import delay_seconds
from orchestrate.core.state import State
from orchestrate.core.watching import deadline_timer
from orchestrate.model.names import AgentId, TaskName, Timestamp, agent_id_for, idempotency_key_for
from orchestrate.model.rows import Launch, TaskRow
from orchestrate.model.timestamps import later_by
from orchestrate.model.vocabulary import FailureMode, LaunchDelay, TaskStatus

#: After an answer with one of these codes an agent may exist, and only its id can tell.
CONFLICT_CODES = frozenset({"agent_id_conflict", "idempotency_conflict"})


def intended(state: State, row: TaskRow, *, at: Timestamp) -> TaskRow:
    """The row with a fresh intent to launch its next attempt."""
    attempt, workspace_id = row.attempts + 1, state.workspace.workspace_id
    intent = Launch(
        agent_id=agent_id_for(workspace_id, row.name, attempt),
        idempotency_key=idempotency_key_for(workspace_id, row.name, attempt),
        attempt=attempt,
        at=at,
    )
    return replace(
        row,
        status=TaskStatus.RUNNING,
        launch=intent,
        attempts=attempt,
        started_at=at,
        last_update=at,
        finished_at=None,
        result_status=None,
        failure_mode=None,
        note=None,
        not_before=None,
    )


def launch(state: State, row: TaskRow) -> LaunchAgent:
    """The order to send the first request of this row's intent."""
    return LaunchAgent(row=row, upstream=tuple(state.rows[name] for name in row.depends_on if name in state.rows))


def resend(state: State, row: TaskRow) -> LaunchAgent:
    """The order to send this row's request again, as it was."""
    return replace(launch(state, row), may_have_been_sent=True)


def awaits(state: State, task: TaskName, agent_id: AgentId | None) -> TaskRow | None:
    """The row if it waits for the answer to just this launch; None for a late answer, which changes nothing."""
    row = state.rows.get(task)
    if row is None or row.status != TaskStatus.RUNNING or row.run_id is not None:
        return None
    return row if row.launch is not None and row.launch.agent_id == agent_id else None


def on_agent_launched(state: State, event: AgentLaunched) -> Decision:
    """The agent runs: its ids are set together, and the watch begins."""
    row = awaits(state, event.task, event.agent_id)
    if row is None or row.launch is None:
        return NOTHING
    note, told = _oddity(event)
    row = replace(
        row,
        agent_id=event.answered_id,
        run_id=event.run_id,
        parent_agent_id=_parent_id(state),
        url=event.url,
        launch=replace(row.launch, note=note, delay=None),
        not_before=None,
        last_update=event.at,
    )
    watch = WatchRun(row=row)
    decision = change(RowChanged(row), *told, effects=(watch, *deadline_timer(state, row, now=event.at)))
    if row.cancel is None:
        return decision
    return decision + change(effects=[CancelRun(task=row.name, agent_id=event.answered_id, run_id=event.run_id)])


def on_launch_refused(state: State, event: LaunchRefused) -> Decision:
    """A refusal is final: the task is in error and is never launched again by itself."""
    row = awaits(state, event.task, event.agent_id)
    if row is None:
        return NOTHING
    words = f"error before launch: {event.message}"
    row = replace(
        row,
        status=TaskStatus.ERROR,
        failure_mode=FailureMode.UNKNOWN,
        note=words if event.hint is None else f"{words} ({event.hint})",
        finished_at=event.at,
        last_update=event.at,
        not_before=None,
    )
    told = AttentionRaised(f"{row.name} {words} No agent was made.")
    return change(RowChanged(row), told, SessionChanged(replace(state.session, has_new_error=True)))


def on_launch_delayed(state: State, event: LaunchDelayed) -> Decision:
    """Nothing was done: the same bytes go out again after a while, and no try is counted."""
    row = awaits(state, event.task, event.agent_id)
    if row is None:
        return NOTHING
    seconds = _next_delay(row, event.delay, asked_seconds=event.retry_after_seconds)
    return _postponed(row, event.delay, seconds=seconds, at=event.at) + _told_once(row, event)


def on_launch_outcome_unknown(state: State, event: LaunchOutcomeUnknown) -> Decision:
    """Silence is not refusal: only a look-up may tell whether there is an agent."""
    row = awaits(state, event.task, event.agent_id)
    if row is None or row.launch is None:
        return NOTHING
    if row.launch.delays or state.session.phase != Phase.RUNNING:
        seconds = _next_delay(row, LaunchDelay.UNKNOWN_OUTCOME)
        return _postponed(row, LaunchDelay.UNKNOWN_OUTCOME, seconds=seconds, at=event.at)
    row = replace(row, launch=replace(row.launch, delays=1), last_update=event.at)
    return change(RowChanged(row), effects=[LookUpAgent(row=row, code=event.code)])


def on_agent_not_found(state: State, event: AgentNotFound) -> Decision:
    """There is no agent of this intent: the same request goes out again, unless the service contradicts itself."""
    row = awaits(state, event.task, event.agent_id)
    if row is None or row.launch is None:
        return NOTHING
    if event.code in CONFLICT_CODES:
        return on_launch_refused(state, _contradiction(event))
    if row.launch.delays > 1 or state.session.phase != Phase.RUNNING:
        seconds = _next_delay(row, LaunchDelay.UNREACHABLE)
        return _postponed(row, LaunchDelay.UNREACHABLE, seconds=seconds, at=event.at)
    return change(effects=[resend(state, row)])


def on_launch_access_lost(state: State, event: AccessLost) -> Decision:
    """The key was refused, so nothing was made: the intent goes back, and nothing more is launched."""
    row = awaits(state, event.task, event.agent_id)
    if row is None or row.launch is None:
        return NOTHING
    row = replace(
        row,
        status=TaskStatus.PENDING,
        attempts=row.launch.attempt - 1,
        launch=None,
        started_at=None,
        not_before=None,
        last_update=event.at,
    )
    return change(RowChanged(row))


def on_relaunch_due(state: State, event: TimerFired) -> Decision:
    """The moment of a delayed launch has come; after an unknown outcome it is a look-up."""
    timer = event.timer
    row = state.rows.get(timer.task) if timer.task else None
    if row is None or row.launch is None or row.launch.delay is None or row.run_id is not None:
        return NOTHING
    if row.status != TaskStatus.RUNNING or row.attempts != timer.attempt:
        return NOTHING
    asked = replace(row, launch=replace(row.launch, delay=None), not_before=None, last_update=event.at)
    if row.launch.delay == LaunchDelay.UNKNOWN_OUTCOME:
        return change(RowChanged(asked), effects=[LookUpAgent(row=asked)])
    return change(RowChanged(asked), effects=[resend(state, asked)])


def relaunch_timer(row: TaskRow, *, seconds: float) -> SetTimer:
    """The timer of a delayed launch."""
    return SetTimer(timer=Timer(TimerKind.RELAUNCH, row.name, row.attempts), delay_seconds=seconds)


def _parent_id(state: State) -> AgentId | None:
    own = state.plan.self_agent_id
    return None if own is None else AgentId(own)


def _oddity(event: AgentLaunched) -> tuple[str | None, tuple[AttentionRaised, ...]]:
    if event.answered_id != event.agent_id:
        note = f"asked for {event.agent_id}, the service answered {event.answered_id}"
        return note, (AttentionRaised(f"{event.task}: {note}; that agent is watched."),)
    if event.adopted:
        note = "the launch had no answer; looked up, it runs"
        return note, (AttentionRaised(f"{event.task}: {note}. No second agent was made."),)
    return None, ()


def _contradiction(event: AgentNotFound) -> LaunchRefused:
    return LaunchRefused(
        at=event.at,
        id=event.id,
        task=event.task,
        agent_id=event.agent_id,
        code=event.code,
        message=f"the service answered {event.code}, and knows no agent {event.agent_id}.",
    )


def _next_delay(row: TaskRow, kind: LaunchDelay, *, asked_seconds: float | None = None) -> float:
    assert row.launch is not None
    seed = row.launch.agent_id
    return delay_seconds(kind, delays=row.launch.delays + 1, seed=seed, asked_seconds=asked_seconds)


def _postponed(row: TaskRow, kind: LaunchDelay, *, seconds: float, at: Timestamp) -> Decision:
    assert row.launch is not None
    intent = replace(row.launch, delays=row.launch.delays + 1, delay=kind)
    row = replace(row, launch=intent, not_before=later_by(at, seconds), last_update=at)
    return change(RowChanged(row), effects=[relaunch_timer(row, seconds=seconds)])


def _told_once(row: TaskRow, event: LaunchDelayed) -> Decision:
    """An attention for the first delay of its kind; the row and the screen tell the later ones."""
    assert row.launch is not None
    if row.launch.delays:
        return NOTHING
    words = {
        LaunchDelay.CAPACITY: "the service takes no more agents now; it waits its turn, no try was counted",
        LaunchDelay.QUOTA: "the account's quota is used up; it waits, no try was counted",
        LaunchDelay.RATE_LIMIT: "the service asks for fewer calls; it waits, no try was counted",
    }.get(event.delay)
    return NOTHING if words is None else change(AttentionRaised(f"{row.name}: {words} ({event.message})."))
