"""What comes back of a subplanner's share: only what is certain, once nobody below it works any more.

When its run has ended the service is asked which agents stand below it, whether they are over, and what they cost. As
long as that is not known all of the share counts as used; it is asked for again after longer and longer pauses.
"""

from collections.abc import Iterable
from dataclasses import replace

from orchestrate.core.budgets import bound_ahead, has_bounds
from orchestrate.core.changes import NOTHING, Count, Decision, RowChanged, SessionChanged, change
from orchestrate.core.effects import CountSubtree, SetTimer
from orchestrate.core.events import Timer, TimerFired, TimerKind
from orchestrate.core.grant_events import SubtreeCounted
from orchestrate.core.state import State
from orchestrate.model.grants import Share, Used
from orchestrate.model.names import TaskName, Timestamp
from orchestrate.model.rows import TaskRow
from orchestrate.model.timestamps import seconds_between
from orchestrate.model.vocabulary import TaskStatus

#: Seconds between two questions; the last pause repeats.
_PAUSES = (2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 300.0)


def asked(state: State, rows: Iterable[TaskRow], *, at: Timestamp) -> Decision:
    """The questions what is left of the shares of these rows' attempts that are over."""
    if state.session.settings.answers_only or not has_bounds(state):
        return NOTHING
    counts, effects = state.session.counting, list[CountSubtree]()
    for row in rows:
        for share in row.shares_out:
            key = (row.name, share.attempt)
            if share.is_open and key not in counts and _is_over(row, share):
                counts = counts.set(key, Count(since=row.finished_at or row.last_update or at))
                effects.append(_question(row.name, share))
    if not effects:
        return NOTHING
    return change(SessionChanged(replace(state.session, counting=counts)), effects=effects)


def on_subtree_counted(state: State, event: SubtreeCounted) -> Decision:
    """What the subtree took counts from now on in the place of its share; what nobody knows is asked again."""
    key = (event.task, event.attempt)
    row, count = state.rows.get(event.task), state.session.counting.get(key)
    share = None if row is None else _share(row, event.attempt)
    if row is None or count is None or not count.is_asked:
        return NOTHING
    if share is None or not _is_over(row, share):
        return change(_with_counts(state, key, None))
    used = share.used if event.agents is None else Used(event.agents, event.cents)
    after = replace(share, used=used)
    shares = tuple(after if each.attempt == share.attempt else each for each in row.shares)
    decision = change(RowChanged(replace(row, shares=shares))) if after != share else NOTHING
    if not after.is_open:
        return decision + change(_with_counts(state, key, None))
    pause = _PAUSES[min(count.answers, len(_PAUSES) - 1)]
    passed = seconds_between(count.since, event.at) or 0.0
    given_up = count.is_given_up or passed >= state.session.settings.cost_patience_seconds
    count = replace(count, answers=count.answers + 1, is_asked=False, is_given_up=given_up)
    timer = SetTimer(timer=Timer(TimerKind.SUBTREE, row.name, share.attempt), delay_seconds=pause)
    return decision + change(_with_counts(state, key, count), effects=[timer])


def on_count_due(state: State, event: TimerFired) -> Decision:
    """The pause is over: the subtree is counted again, unless its planner runs again."""
    row = state.rows.get(event.timer.task) if event.timer.task else None
    share = None if row is None else _share(row, event.timer.attempt)
    if row is None or share is None:
        return NOTHING
    key = (row.name, share.attempt)
    count = state.session.counting.get(key)
    if count is None or count.is_asked:
        return NOTHING
    if not _is_over(row, share):
        return change(_with_counts(state, key, None))
    return change(_with_counts(state, key, replace(count, is_asked=True)), effects=[_question(row.name, share)])


def no_longer_counted(state: State, task: TaskName) -> SessionChanged:
    """The session in which nobody counts what stands below this task."""
    left = state.session.counting
    for key in [key for key in left if key[0] == task]:
        left = left.delete(key)
    return SessionChanged(replace(state.session, counting=left))


def awaits_first_count(state: State) -> bool:
    """True while a subplanner has just ended and nobody knows what it took."""
    return any(count.answers == 0 for count in state.session.counting.values())


def awaits_shares(state: State) -> bool:
    """True while only a limit holds the next task, and what comes back of a share may still make room."""
    if bound_ahead(state) is None:
        return False
    return any(not count.is_given_up for count in state.session.counting.values())


def _is_over(row: TaskRow, share: Share) -> bool:
    return row.status != TaskStatus.RUNNING or share.attempt != row.attempts


def _share(row: TaskRow, attempt: int) -> Share | None:
    return next((share for share in row.shares if share.attempt == attempt), None)


def _question(task: TaskName, share: Share) -> CountSubtree:
    wants_cost = share.grant.cents is not None
    return CountSubtree(task=task, attempt=share.attempt, agent_id=share.agent_id, wants_cost=wants_cost)


def _with_counts(state: State, key: tuple[TaskName, int], count: Count | None) -> SessionChanged:
    counts = state.session.counting
    counts = counts.delete(key) if count is None else counts.set(key, count)
    return SessionChanged(replace(state.session, counting=counts))
