"""Sending messages: looked first, sent once, watched as any run.

The agent's newest run is written down before a message leaves. Without an answer only a look at the agent's runs says
whether the message began one; until it does nothing is sent again. What positively was not taken waits, and is looked
at anew before it leaves, since others may talk to the agent as well.
"""

from dataclasses import replace

from orchestrate.core import finishing
from orchestrate.core.budgets import uncharged_for_message
from orchestrate.core.changes import NOTHING, AttentionRaised, Decision, Phase, RowChanged, change
from orchestrate.core.effects import Effect, LookUpRuns, SendFollowUp, SetTimer, WatchRun
from orchestrate.core.events import AccessLost, EffectFailed, Timer, TimerFired, TimerKind
from orchestrate.core.follow_up_events import (
    FollowUpDelayed,
    FollowUpOutcomeUnknown,
    FollowUpRefused,
    FollowUpSent,
    RunsSeen,
)
from orchestrate.core.pacing import LONGEST_ASKED_SECONDS, spread
from orchestrate.core.state import State, apply
from orchestrate.core.turns import is_between_runs, looked_at, with_first
from orchestrate.core.watching import cancel_orders, deadline_timer, unwatched, watched_again
from orchestrate.model.messages import FollowUpRun
from orchestrate.model.names import RunId, Timestamp
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import MessageDelay, TaskStatus

#: First waits in seconds; they double with each answer that says "later".
_FIRST = {
    MessageDelay.BUSY: 0.5,
    MessageDelay.RATE_LIMIT: 3.0,
    MessageDelay.UNREACHABLE: 1.0,
    MessageDelay.UNKNOWN_OUTCOME: 1.0,
}
_LONGEST = 30.0
_MOST_DOUBLINGS = 10
_Answer = RunsSeen | FollowUpSent | FollowUpDelayed | FollowUpRefused | FollowUpOutcomeUnknown
_ORDERS = frozenset({LookUpRuns.__name__, SendFollowUp.__name__})


def on_runs_seen(state: State, event: RunsSeen) -> Decision:
    """The message has its run already, or leaves now: what is newest is written down before it does."""
    row = _awaits(state, event)
    if row is None:
        return NOTHING
    if event.found is not None:
        return _delivered(state, row, event.found, at=event.at)
    if row.cancel is not None:
        return change(RowChanged(given_up(row, at=event.at)))
    if state.session.phase != Phase.RUNNING:
        return NOTHING  # the next engine looks again
    message = row.queue[0]
    base = message.base_run_id if message.sent_at is not None else event.newest
    row = with_first(row, at=event.at, base_run_id=base, sent_at=message.sent_at or event.at, delay=None)
    return change(RowChanged(row), effects=[SendFollowUp(row=row)])


def on_follow_up_sent(state: State, event: FollowUpSent) -> Decision:
    """The message is delivered, and its run is watched."""
    row = _awaits(state, event)
    return NOTHING if row is None else _delivered(state, row, event.run_id, at=event.at)


def on_follow_up_delayed(state: State, event: FollowUpDelayed) -> Decision:
    """Nothing was sent: the message waits, for as long as it takes."""
    row = _awaits(state, event)
    if row is None:
        return NOTHING
    if row.cancel is not None:
        return change(RowChanged(given_up(row, at=event.at)))
    return _postponed(_not_sent(row), event.delay, asked_seconds=event.retry_after_seconds, at=event.at)


def on_follow_up_unknown(state: State, event: FollowUpOutcomeUnknown) -> Decision:
    """Silence is no refusal: the agent's runs are looked at, at once the first time."""
    row = _awaits(state, event)
    if row is None:
        return NOTHING
    if row.queue[0].delays == 0:
        return looked_at(with_first(row, at=event.at, delays=1), at=event.at)
    return _postponed(row, MessageDelay.UNKNOWN_OUTCOME, at=event.at)


def on_follow_up_refused(state: State, event: FollowUpRefused) -> Decision:
    """This message will never be taken; those behind it have their turn, or the task stands where it stood."""
    row = _awaits(state, event)
    if row is None:
        return NOTHING
    message = row.queue[0]
    told = AttentionRaised(f"{row.name}: message {message.id} of {message.by} was refused: {event.message}")
    if row.cancel is not None:
        return change(told, RowChanged(given_up(row, at=event.at)))
    return change(told) + without_first(state, row, at=event.at)


def on_message_due(state: State, event: TimerFired) -> Decision:
    """A message that had to wait is looked at again."""
    row = state.rows.get(event.timer.task) if event.timer.task else None
    if row is None or not is_between_runs(row) or state.session.phase != Phase.RUNNING:
        return NOTHING
    message = row.queue[0]
    if message.step != event.timer.attempt or message.delay is None:
        return NOTHING
    return looked_at(row, at=event.at)


def on_access_lost(state: State, event: AccessLost) -> Decision:
    """The key was refused: the next engine with a good one goes on with the message."""
    row = state.rows.get(event.task)
    if row is None or not is_between_runs(row) or event.run_id != row.run_id:
        return NOTHING
    return change(unwatched(state, row))


def on_effect_failed(state: State, event: EffectFailed) -> Decision:
    """A bug of ours: the next engine goes on with the message."""
    row = state.rows.get(event.task) if event.task and event.effect in _ORDERS else None
    return NOTHING if row is None or not is_between_runs(row) else change(unwatched(state, row))


def without_first(state: State, row: TaskRow, *, at: Timestamp) -> Decision:
    """The row between two runs without the message whose turn it was."""
    row = uncharged_for_message(row)
    first, *others = row.queue
    row = replace(row, status=first.former or TaskStatus.HANDED_OFF, queue=tuple(others))
    if not others:
        return finishing.settled(state, row, at=at)
    return finishing.goes_on(apply(state, [RowChanged(row)]), row, at=at)


def _not_sent(row: TaskRow) -> TaskRow:
    """The row whose message positively has not left."""
    first, *others = row.queue
    return replace(row, queue=(replace(first, sent_at=None), *others))


def given_up(row: TaskRow, *, at: Timestamp) -> TaskRow:
    """The row whose cancel was asked for between two runs: there is nothing to stop but the message."""
    assert row.cancel is not None
    note = row.note or f"cancelled by {row.cancel.by} before the next message was sent"
    row = uncharged_for_message(row)
    return replace(row, status=TaskStatus.CANCELLED, cancel=None, note=note, finished_at=at, last_update=at)


def _awaits(state: State, event: _Answer) -> TaskRow | None:
    """The row whose first message is at this step; None for a late answer, which changes nothing."""
    row = state.rows.get(event.task)
    if row is None or not is_between_runs(row):
        return None
    return row if (row.queue[0].id, row.queue[0].step) == (event.message_id, event.step) else None


def _delivered(state: State, row: TaskRow, run_id: RunId, *, at: Timestamp) -> Decision:
    first = row.queue[0]
    run = FollowUpRun(id=run_id, message=first.id, attempt=row.attempts, at=at, after=first.base_run_id)
    row = with_first(row, at=at, run_id=run_id, delay=None)
    row = replace(
        row,
        run_id=run_id,
        runs=(*row.runs, run),
        started_at=at,
        result_status=None,
        failure_mode=None,
        note=None,
        stalled_since=None,
        archived_at=None,
    )
    cancels = () if row.cancel is None else cancel_orders(row)
    effects: list[Effect] = [WatchRun(row=row), *cancels, *deadline_timer(state, row, now=at)]
    return change(RowChanged(row), *watched_again(state, row), effects=effects)


def _postponed(row: TaskRow, delay: MessageDelay, *, at: Timestamp, asked_seconds: float | None = None) -> Decision:
    message = row.queue[0]
    doubled = min(_LONGEST, _FIRST[delay] * 2.0 ** min(message.delays, _MOST_DOUBLINGS))
    own = spread(doubled, seed=f"{message.id}/{message.delays}")
    seconds = max(own, min(asked_seconds or 0.0, LONGEST_ASKED_SECONDS))
    row = with_first(row, at=at, delay=delay, delays=message.delays + 1)
    timer = SetTimer(timer=Timer(TimerKind.MESSAGE, row.name, row.queue[0].step), delay_seconds=seconds)
    return change(RowChanged(row), effects=[timer])
