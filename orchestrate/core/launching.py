"""From an intent to a run: one agent for an attempt, whatever the answers are.

The intent, with an id and a key derived from it, is on disk before the request leaves. An answer that says "later"
repeats the same request; silence is looked up by the id that we chose; only a positive "not there" sends it again.
"""

from dataclasses import replace

from orchestrate.core.bounds import bounds_of
from orchestrate.core.budgets import charged, recharged, reshared, shared_with, uncharged
from orchestrate.core.changes import (
    NOTHING,
    AttentionRaised,
    Change,
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
from orchestrate.core.holding import starts_from
from orchestrate.core.latecomers import on_unawaited_agent
from orchestrate.core.pacing import delay_seconds
from orchestrate.core.state import HELD_DELAYS, State, has_left_plan, with_error
from orchestrate.core.watching import deadline_timer, unwatched, watched_again
from orchestrate.model.names import AgentId, TaskName, Timestamp, agent_id_for, idempotency_key_for
from orchestrate.model.rows import Launch, TaskRow
from orchestrate.model.timestamps import later_by
from orchestrate.model.vocabulary import FailureMode, LaunchDelay, TaskStatus, TaskType

#: After an answer with one of these codes an agent may exist, and only its id can tell.
CONFLICT_CODES = frozenset({"agent_id_conflict", "idempotency_conflict"})
#: Levels of agents that a subplanner needs: its own, and that of its tasks.
_LEVELS_OF_PLANNER = 2
OUT_OF_PLAN = "it is not in the plan any more"


#: How soon a launch that a raised andon holds back is looked at again.
_ANDON_SECONDS = 5.0


def intended(state: State, row: TaskRow, *, at: Timestamp) -> TaskRow:
    """The row with a fresh intent to launch its next attempt."""
    attempt, workspace_id = row.attempts + 1, state.workspace.workspace_id
    agent_id = agent_id_for(workspace_id, row.name, attempt)
    intent = Launch(
        agent_id=agent_id,
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
        cancel=None,
        handoff_status=None,
        self_report=None,
        verification=None,
        verdicts=(),
        pushed=None,
        on_remote=None,
        head_sha=None,
        reported_branch=None,
        starting_sha=starting_sha(state, row),
        findings=(),
        measured=(),
        accepted=None,
        paths_check=None,
        charges=charged(state, row, attempt=attempt, agent_id=agent_id),
        shares=shared_with(state, row, attempt=attempt, agent_id=agent_id),
        archived_at=None,
    )


def too_deep(state: State, row: TaskRow, *, at: Timestamp) -> Decision | None:
    """The refusal of a subplanner below which no agent may stand any more; None for any other task."""
    levels = bounds_of(state).levels
    if row.type != TaskType.SUBPLANNER or levels is None or levels >= _LEVELS_OF_PLANNER:
        return None
    granted = state.workspace.grant is not None and state.workspace.grant.grant.levels == levels
    limit = "the planner above granted" if granted else "limits.maxDepth allows"
    count = {0: "no level of agents", 1: "1 level of agents"}[levels]
    note = f"error before launch: {limit} {count} below this plan, and a subplanner needs one more for its own"
    return _in_error(state, row, note=note, told=f"{note}. No agent was made; have a worker do it.", at=at)


def starting_sha(state: State, row: TaskRow) -> str | None:
    """The commit that the task finds where it starts: the head of its target, or of the task whose branch it takes up."""
    assert state.blueprint is not None
    task = state.plan.tasks_by_name.get(row.name)
    target = None if task is None else task.verifies
    sources = (state.rows[name] for name in ((target,) if target else row.depends_on) if name in state.rows)
    taken_up = (source for source in sources if target or starts_from(row, source, blueprint=state.blueprint))
    return next((source.head_sha for source in taken_up), None)


def launch(state: State, row: TaskRow) -> LaunchAgent:
    """The order to send the first request of this row's intent."""
    assert state.blueprint is not None
    upstream = tuple(state.rows[name] for name in row.depends_on if name in state.rows)
    return LaunchAgent(row=row, upstream=upstream, rank=state.blueprint.rank(row.name), plan=state.plan)


def resend(state: State, row: TaskRow) -> LaunchAgent:
    """The order to send this row's request again, as it was."""
    return replace(launch(state, row), may_have_been_sent=True)


def awaits_just(state: State, event: LaunchDelayed | LaunchOutcomeUnknown | AgentNotFound) -> TaskRow | None:
    """The row if this answers what was asked last: that nothing was done before says nothing of a later request."""
    row = awaits(state, event.task, event.agent_id)
    if row is None or row.launch is None or row.launch.delay is not None or row.launch.delays != event.delays:
        return None
    return row


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
        return on_unawaited_agent(state, event)
    note, told = _oddity(event, row.launch)
    row = replace(
        row,
        agent_id=event.answered_id,
        run_id=event.run_id,
        parent_agent_id=_parent_id(state),
        url=event.url,
        launch=replace(row.launch, note=note, delay=None),
        charges=recharged(row, event.answered_id),
        shares=reshared(row, event.answered_id),
        not_before=None,
        last_update=event.at,
    )
    changes: tuple[Change, ...] = (RowChanged(row), *watched_again(state, row), *told)
    decision = change(*changes, effects=(WatchRun(row=row), *deadline_timer(state, row, now=event.at)))
    if row.cancel is None:
        return decision
    return decision + change(effects=[CancelRun(task=row.name, agent_id=event.answered_id, run_id=event.run_id)])


def on_launch_refused(state: State, event: LaunchRefused) -> Decision:
    """A refusal is final: the task is in error and is never launched again by itself."""
    row = awaits(state, event.task, event.agent_id)
    if row is None:
        return NOTHING
    row = replace(row, charges=uncharged(row, row.attempts))
    words = f"error before launch: {event.message}"
    note = words if event.hint is None else f"{words} ({event.hint})"
    return _in_error(state, row, note=note, told=f"{words} No agent was made.", at=event.at)


def on_launch_delayed(state: State, event: LaunchDelayed) -> Decision:
    """Nothing was done: the same bytes go out again, after a while or when it is their turn, and no try is counted."""
    row = awaits_just(state, event)
    if row is None:
        return NOTHING
    if row.cancel is not None:
        return change(RowChanged(given_up(row, at=event.at)))
    if event.delay in HELD_DELAYS:
        seconds = max(_next_delay(row, event.delay), event.retry_after_seconds or 0.0)
        return change(RowChanged(_put_off(row, event.delay, seconds=seconds, at=event.at)))
    seconds = _next_delay(row, event.delay, asked_seconds=event.retry_after_seconds)
    return _postponed(row, event.delay, seconds=seconds, at=event.at)


def on_launch_outcome_unknown(state: State, event: LaunchOutcomeUnknown) -> Decision:
    """Silence is not refusal: only a look-up may tell whether there is an agent."""
    row = awaits_just(state, event)
    if row is None or row.launch is None:
        return NOTHING
    # A conflict is an answer: the look-up needs no pause, and must know what it is about.
    is_hopeless_now = row.launch.delays > 0 and event.code not in CONFLICT_CODES
    if is_hopeless_now or state.session.phase != Phase.RUNNING:
        seconds = _next_delay(row, LaunchDelay.UNKNOWN_OUTCOME)
        return _postponed(row, LaunchDelay.UNKNOWN_OUTCOME, seconds=seconds, at=event.at)
    row = doubtful(row, at=event.at)
    return change(RowChanged(row), effects=[LookUpAgent(row=row, code=event.code)])


def on_agent_not_found(state: State, event: AgentNotFound) -> Decision:
    """There is no agent of this intent: the same request goes out again, unless the service contradicts itself."""
    row = awaits_just(state, event)
    if row is None or row.launch is None:
        return NOTHING
    if event.code in CONFLICT_CODES:
        return _contradicted(state, row, event)
    if row.cancel is not None:
        return change(RowChanged(given_up(row, at=event.at)))
    if has_left_plan(state, row):
        return change(RowChanged(withdrawn(row, TaskStatus.PRUNED, at=event.at)))
    if row.launch.delays > 1 or state.session.phase != Phase.RUNNING or _is_held_by_andon(state):
        seconds = _next_delay(row, LaunchDelay.UNREACHABLE)
        return _postponed(row, LaunchDelay.UNREACHABLE, seconds=seconds, at=event.at)
    counted = replace(row, launch=replace(row.launch, delays=row.launch.delays + 1))
    return sent_again(state, counted, at=event.at)


def on_launch_access_lost(state: State, event: AccessLost) -> Decision:
    """The key was refused, so nothing was made: the intent goes back; one that is in doubt waits for a good key."""
    row = awaits(state, event.task, event.agent_id)
    if row is None or row.launch is None:
        return NOTHING
    if row.launch.delays == 0 and row.cancel is not None:
        return change(RowChanged(given_up(row, at=event.at)))
    if row.launch.delays == 0:
        return change(RowChanged(withdrawn(row, TaskStatus.PENDING, at=event.at)))
    unknown = replace(row.launch, delay=LaunchDelay.UNKNOWN_OUTCOME)
    return change(RowChanged(replace(row, launch=unknown, last_update=event.at)), unwatched(state, row))


def on_relaunch_due(state: State, event: TimerFired) -> Decision:
    """The moment of a delayed launch has come; after an unknown outcome it is a look-up."""
    timer = event.timer
    row = state.rows.get(timer.task) if timer.task else None
    if row is None or row.launch is None or row.launch.delay is None or row.run_id is not None:
        return NOTHING
    if row.status != TaskStatus.RUNNING or row.attempts != timer.attempt or state.session.phase != Phase.RUNNING:
        return NOTHING
    if row.launch.delay == LaunchDelay.UNKNOWN_OUTCOME:
        asked = doubtful(row, at=event.at)
        return change(RowChanged(asked), effects=[LookUpAgent(row=asked)])
    if row.launch.delay in HELD_DELAYS:
        return NOTHING
    if _is_held_by_andon(state):
        return change(effects=[SetTimer(timer=timer, delay_seconds=_ANDON_SECONDS)])
    return taken_on(state, row, at=event.at)


def taken_on(state: State, row: TaskRow, *, at: Timestamp) -> Decision:
    """It is this delayed launch's turn: its request goes out, unless nobody wants it any more."""
    if row.cancel is not None:
        return change(RowChanged(given_up(row, at=at)))
    if has_left_plan(state, row):
        return change(RowChanged(withdrawn(row, TaskStatus.PRUNED, at=at)))
    return sent_again(state, row, at=at)


def doubtful(row: TaskRow, *, at: Timestamp) -> TaskRow:
    """The row while it is asked whether its intent has an agent."""
    assert row.launch is not None
    intent = replace(row.launch, delay=None, delays=max(row.launch.delays, 1))
    return replace(row, launch=intent, not_before=None, last_update=at)


def given_up(row: TaskRow, *, at: Timestamp) -> TaskRow:
    """The row whose cancel was asked for before an agent was made; the intent stays, so that its id is never used again."""
    assert row.cancel is not None
    return replace(
        row,
        status=TaskStatus.CANCELLED,
        cancel=None,
        charges=uncharged(row, row.attempts),
        note=row.note or f"cancelled by {row.cancel.by}; no agent was made",
        not_before=None,
        finished_at=at,
        last_update=at,
    )


def look_for_agent(name: TaskName) -> str:
    """What a person does where nobody here can tell whether a task has an agent."""
    return f"Look for one named like {name} at the service and cancel it, then type orchestrate respawn . {name}"


def relaunch_timer(row: TaskRow, *, seconds: float) -> SetTimer:
    """The timer of a delayed launch."""
    return SetTimer(timer=Timer(TimerKind.RELAUNCH, row.name, row.attempts), delay_seconds=seconds)


def _parent_id(state: State) -> AgentId | None:
    own = state.plan.self_agent_id
    return None if own is None else AgentId(own)


def _oddity(event: AgentLaunched, intent: Launch) -> tuple[str | None, tuple[AttentionRaised, ...]]:
    if event.answered_id != event.agent_id:
        note = f"asked for {event.agent_id}, the service answered {event.answered_id}"
        told = f"{event.task}: {note}; that agent is watched."
        if intent.delays and not event.adopted:  # no look-up by our id can tell what became of the former request
            told += f" A request before it may have made one too: look for others named like {event.task}."
        return note, (AttentionRaised(told),)
    if event.adopted:
        note = "the launch had no answer; looked up, it runs"
        return note, (AttentionRaised(f"{event.task}: {note}. No second agent was made."),)
    return None, ()


def sent_again(state: State, row: TaskRow, *, at: Timestamp) -> Decision:
    """The same request, now; a task's time counts from the request that made its agent."""
    assert row.launch is not None
    row = replace(row, launch=replace(row.launch, delay=None), not_before=None, started_at=at, last_update=at)
    return change(RowChanged(row), effects=[resend(state, row)])


def withdrawn(row: TaskRow, status: TaskStatus, *, at: Timestamp) -> TaskRow:
    """The row without its intent, of which nothing was made: no try is counted."""
    assert row.launch is not None
    return replace(
        row,
        status=status,
        attempts=row.launch.attempt - 1,
        launch=None,
        charges=uncharged(row, row.launch.attempt),
        started_at=None,
        not_before=None,
        last_update=at,
        note=OUT_OF_PLAN if status == TaskStatus.PRUNED else None,
    )


def _contradicted(state: State, row: TaskRow, event: AgentNotFound) -> Decision:
    """The service says that there is an agent and that there is none: only a person can tell."""
    note = (
        f"the service answered {event.code} and knows no agent {event.agent_id}; an agent may exist. "
        f"{look_for_agent(row.name)}"
    )
    return _in_error(state, row, note=note, told=f"is in error: {note}.", at=event.at)


def _in_error(state: State, row: TaskRow, *, note: str, told: str, at: Timestamp) -> Decision:
    row = replace(
        row,
        status=TaskStatus.ERROR,
        failure_mode=FailureMode.UNKNOWN,
        note=note,
        finished_at=at,
        last_update=at,
        not_before=None,
    )
    attention = AttentionRaised(f"{row.name} {told}")
    return change(RowChanged(row), attention, SessionChanged(with_error(state, row)))


def _next_delay(row: TaskRow, kind: LaunchDelay, *, asked_seconds: float | None = None) -> float:
    assert row.launch is not None
    seed = row.launch.agent_id
    return delay_seconds(kind, delays=row.launch.delays + 1, seed=seed, asked_seconds=asked_seconds)


def _is_held_by_andon(state: State) -> bool:
    """True while a request that made no agent may not go out again."""
    return state.workspace.andon is not None and state.workspace.andon.is_raised


def _postponed(row: TaskRow, kind: LaunchDelay, *, seconds: float, at: Timestamp) -> Decision:
    row = _put_off(row, kind, seconds=seconds, at=at)
    return change(RowChanged(row), effects=[relaunch_timer(row, seconds=seconds)])


def _put_off(row: TaskRow, kind: LaunchDelay, *, seconds: float, at: Timestamp) -> TaskRow:
    assert row.launch is not None
    intent = replace(row.launch, delays=row.launch.delays + 1, delay=kind)
    return replace(row, launch=intent, not_before=later_by(at, seconds), last_update=at)
