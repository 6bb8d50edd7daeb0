"""The end of a run: what its task is from now on, and what that means for the tasks that follow it.

While messages wait for the agent the task is not over: what its run said is kept, and the next message has its turn.
"""

from dataclasses import replace

from orchestrate.core.branches import propagate, pushed_branch
from orchestrate.core.budgets import bound_for_message
from orchestrate.core.changes import NOTHING, AttentionRaised, Decision, RowChanged, SessionChanged, change
from orchestrate.core.events import Reply, RunEnded
from orchestrate.core.look_ups import look_up
from orchestrate.core.path_checks import check_paths
from orchestrate.core.retrying import retry
from orchestrate.core.state import State, apply, with_error
from orchestrate.core.turns import called, is_follow_up, next_turn, undelivered, without_ended, without_queue
from orchestrate.core.verdicts import judged, pass_on_verdict
from orchestrate.core.watching import BY_DEADLINE, watched
from orchestrate.model.names import Timestamp
from orchestrate.model.rows import TaskRow
from orchestrate.model.timestamps import later_by, seconds_between
from orchestrate.model.vocabulary import FailureMode, HandoffStatus, OnUnstructured, RunStatus, TaskStatus

_WROTE_NOTHING = "the agent finished and wrote nothing"
_NO_REASON = "the service says no reason"


def on_run_ended(state: State, event: RunEnded) -> Decision:
    """The row takes in how its run ended; a late or foreign end changes nothing."""
    row = watched(state, event.task, event.run_id)
    if row is None:
        return NOTHING
    row = _ended(without_ended(row, event.run_id), event)
    match event.status:
        case RunStatus.FINISHED if _hands_off(state, event):
            return _handed_off(state, row, event)
        case RunStatus.CANCELLED:
            return _cancelled(row)
        case _:
            return _in_error(state, row, event)


def _hands_off(state: State, event: RunEnded) -> bool:
    """Whether a finished run hands its task off. Without a handoff the plan decides, else there must be some text."""
    if event.reply.handoff.structured:
        return True
    task = state.plan.tasks_by_name.get(event.task)
    rule = (None if task is None else task.on_unstructured) or state.plan.on_unstructured
    return not event.reply.is_empty if rule is None else rule == OnUnstructured.HANDED_OFF


def _ended(row: TaskRow, event: RunEnded) -> TaskRow:
    return replace(
        row,
        result_status=event.status.value.lower(),
        handoff_path=event.reply.path or row.handoff_path,
        finished_at=_end_of(row, event),
        last_update=event.at,
        stalled_since=None,
    )


def _end_of(row: TaskRow, event: RunEnded) -> Timestamp:
    """When the run ended; a clock of the service by which that was before the launch, or is to come, is not believed."""
    lasted, since = seconds_between(row.started_at, event.ended_at), seconds_between(event.ended_at, event.at)
    is_believed = lasted is not None and since is not None and lasted >= 0 and since >= 0
    return later_by(event.at, -since) if is_believed and since is not None else event.at


def _handed_off(state: State, row: TaskRow, event: RunEnded) -> Decision:
    handoff = event.reply.handoff
    branch = pushed_branch(state, handoff)
    is_over = not row.queue or _was_to_end(row)
    row = replace(
        row,
        status=TaskStatus.HANDED_OFF,
        cancel=None,
        branch=branch or row.branch,
        pushed=branch is not None or (is_follow_up(row) and row.pushed is True),
        on_remote=None,
        reported_branch=event.reported_branch if event.reported_branch != branch else None,
        handoff_status=handoff.status,
        self_report=handoff.verification,
        failure_mode=handoff.failure_mode,
        pr_number=handoff.pr_number if handoff.pr_number is not None else row.pr_number,
        note=None if handoff.structured else _lacking(event.reply),
    )
    notes = change(*(AttentionRaised(f"{row.name}: {note}") for note in _oddities(row, event)))
    if not is_over:
        return notes + goes_on(state, row, at=event.at)
    if row.queue:
        notes += without_queue(row)
        row = replace(row, queue=())
    return notes + _handed_on(state, judged(state, row), at=event.at)


def goes_on(state: State, row: TaskRow, *, at: Timestamp) -> Decision:
    """A row whose run has ended runs on with its next message, or stands there until the budget has room for it."""
    if bound_for_message(state, row) is None:
        return next_turn(state, row, at=at)
    row = called(row, at=at)
    return (
        _handed_on(state, judged(state, row), at=at) if row.status == TaskStatus.HANDED_OFF else change(RowChanged(row))
    )


def settled(state: State, row: TaskRow, *, at: Timestamp) -> Decision:
    """A row whose last message came to nothing stands where its last run left it."""
    row = replace(row, finished_at=at, last_update=at)
    if row.status == TaskStatus.HANDED_OFF:
        return _handed_on(state, judged(state, row), at=at)
    return change(RowChanged(row), SessionChanged(with_error(state, row)))


def _handed_on(state: State, row: TaskRow, *, at: Timestamp) -> Decision:
    decision = change(RowChanged(row)) + pass_on_verdict(state, row, at=at)
    if row.pushed:
        decision += propagate(state, row, at=at) + check_paths(state, [row])
    return decision + look_up(apply(state, decision.changes), [row])


def _oddities(row: TaskRow, event: RunEnded) -> list[str]:
    handoff = event.reply.handoff
    found = list(handoff.notes)
    if not handoff.structured:
        do = "look at its branch" if event.reply.is_empty else "read it"
        found.append(f"{_lacking(event.reply)}; {do} before you build on it.")
    if row.handoff_status == HandoffStatus.BLOCKED:
        found.append("it handed off blocked; the tasks that depend on it wait unless the plan says otherwise.")
    return found


def _lacking(reply: Reply) -> str:
    """What a finished run left instead of a handoff."""
    return _WROTE_NOTHING if reply.is_empty else "the reply has none of the handoff's headings"


def _cancelled(row: TaskRow) -> Decision:
    """Cancelled is cancelled, whoever asked for it, and no policy tries it again."""
    row = replace(row, status=TaskStatus.CANCELLED, note=row.note or _by_whom(row), cancel=None)
    return change(RowChanged(row), AttentionRaised(f"{row.name} was cancelled: {row.note}."))


def _by_whom(row: TaskRow) -> str:
    return (
        "somebody cancelled it at the service"
        if row.cancel is None
        else f"cancelled by {row.cancel.by} at {row.cancel.at}"
    )


def _in_error(state: State, row: TaskRow, event: RunEnded) -> Decision:
    words = _lacking(event.reply) if event.status == RunStatus.FINISHED else event.message or _NO_REASON
    mode = event.failure_mode or FailureMode.UNKNOWN
    was_to_end, is_first_run = _was_to_end(row), not is_follow_up(row)
    row = replace(row, status=TaskStatus.ERROR, failure_mode=mode, note=words, handoff_status=None, cancel=None)
    row = replace(row, reported_branch=event.reported_branch)
    again = retry(state, row, at=event.at) if is_first_run and not was_to_end else None
    if again is not None:
        return again
    if undelivered(row) and not was_to_end:
        told = AttentionRaised(
            f"{row.name}: a run is in error: {mode}: {words}; the next message is sent all the same."
        )
        return change(told) + goes_on(state, row, at=event.at)
    tries = "1 try" if row.attempts == 1 else f"{row.attempts} tries"
    told = AttentionRaised(f"{row.name} is in error after {tries}: {mode}: {words}")
    return change(RowChanged(row), told, SessionChanged(with_error(state, row)))


def _was_to_end(row: TaskRow) -> bool:
    """True where somebody asked for the task's end."""
    return row.cancel is not None and row.cancel.by != BY_DEADLINE
