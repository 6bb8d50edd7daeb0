"""What the remote says of a branch, and what follows: commit and findings in the row, and who may start or must wait."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from orchestrate.core import retrying
from orchestrate.core.branches import names_branch
from orchestrate.core.changes import NOTHING, AttentionRaised, Decision, RowChanged, change
from orchestrate.core.events import EffectFailed, TimerFired
from orchestrate.core.findings import told, with_findings
from orchestrate.core.holding import branch_to_look_up
from orchestrate.core.look_ups import followers, look_number, no_longer_looked_up
from orchestrate.core.measuring import measure, not_measured
from orchestrate.core.notes import with_note, without_note
from orchestrate.core.pacing import LOOK_UP_PATIENCE_SECONDS
from orchestrate.core.path_checks import check_paths
from orchestrate.core.ref_events import RefsSeen, SeenRef
from orchestrate.core.state import State, apply, owns_branch
from orchestrate.core.verdicts import judged_with_findings, on_other_commit
from orchestrate.model.names import TaskName, Timestamp, placeholder_branch
from orchestrate.model.rows import Finding, OnRemote, TaskRow
from orchestrate.model.vocabulary import FindingKind, HandoffStatus, TaskStatus, TaskType

NOT_ON_REMOTE = "not on the remote"
#: How the service names branches that nobody named.
_NAMED_BY_SERVICE = "cursor/"
_SUCCESS = "it says success but pushed nothing"
_OF_BRANCH = (FindingKind.NOTHING_PUSHED, FindingKind.NOT_ON_REMOTE, FindingKind.OTHER_NAME)


def on_refs_seen(state: State, event: RefsSeen) -> Decision:
    """Each row takes in what was said of its present branch; of a former one it means nothing any more."""
    decision = change(no_longer_looked_up(state, (ref.task for ref in event.refs)))
    for ref in event.refs:
        now = apply(state, decision.changes)
        row = now.rows.get(ref.task)
        if row is not None and row.status == TaskStatus.PENDING:
            decision += retrying.on_own_branch_seen(now, row, ref, event)
        elif row is not None and _is_about(now, row, ref):
            decision += _taken_in(now, row, ref, event)
    return decision


def on_look_up_late(state: State, event: TimerFired) -> Decision:
    """Those that start from the branch waited long enough; the answer counts when it comes all the same."""
    row = state.rows.get(event.timer.task) if event.timer.task else None
    if row is None or look_number(row) != event.timer.attempt or row.status != TaskStatus.HANDED_OFF:
        return NOTHING
    return _not_seen(state, row, f"no answer within {LOOK_UP_PATIENCE_SECONDS:g} seconds", at=event.at)


def on_look_up_failed(state: State, event: EffectFailed) -> Decision:
    """A bug of ours holds nobody up."""
    decision = change(no_longer_looked_up(state, state.session.looking_up))
    for name in sorted(state.session.looking_up):
        now = apply(state, decision.changes)
        decision += _not_seen(now, now.rows[name], event.message, at=event.at)
    return decision


def _taken_in(state: State, row: TaskRow, ref: SeenRef, event: RefsSeen) -> Decision:
    if event.unknown is not None:
        return _not_seen(state, row, event.unknown, at=event.at)
    return _seen(state, row, ref, at=event.at)


def _is_about(state: State, row: TaskRow, ref: SeenRef) -> bool:
    is_present = (row.attempts, len(row.runs)) == (ref.attempt, ref.runs)
    return row.status == TaskStatus.HANDED_OFF and is_present and branch_to_look_up(state.plan, row) == ref.branch


def _not_seen(state: State, row: TaskRow, reason: str, *, at: Timestamp) -> Decision:
    """Nobody can tell; what was known stays known."""
    if row.on_remote is not None:
        return NOTHING
    branch = branch_to_look_up(state.plan, row)
    after = replace(row, on_remote=OnRemote(at, unknown=reason), last_update=at)
    if row.pushed is False and claims_success(row):
        after = with_findings(after, _OF_BRANCH, [Finding(FindingKind.NOTHING_PUSHED, f"{_SUCCESS}.")])
    known = told(row, after)
    known += not_measured(apply(state, known.changes), after, f"its branch could not be looked up: {reason}", at=at)
    named = [follower.name for follower in followers(state, row)]
    if not named:
        return known
    words = (
        f"{branch} of {row.name} could not be looked up ({reason}); the service has the last word on {_those(named)}"
    )
    return known + change(AttentionRaised(f"{words}."))


def _seen(state: State, row: TaskRow, ref: SeenRef, *, at: Timestamp) -> Decision:
    """The row with what the remote says; told where it is news, and those that start from the branch know it."""
    after = _with_sight(state, row, ref, at=at)
    decision = told(row, after)
    now = apply(state, decision.changes)
    if ref.sha is None:
        decision += not_measured(now, after, "its branch is not on the remote", at=at)
        return decision + _held(apply(state, decision.changes), after, ref.branch, at=at)
    decision += measure(now, [after])
    now = apply(state, decision.changes)
    decision += _shared(now, after, at=at) + _let_go(now, after, at=at)
    return decision if row.pushed or not after.pushed else decision + check_paths(now, [after])


def _with_sight(state: State, row: TaskRow, ref: SeenRef, *, at: Timestamp) -> TaskRow:
    is_there = ref.sha is not None
    after = on_other_commit(row, ref.sha)
    pushed = row.pushed if row.pushed is None else is_there and not _is_at_start(row, ref)
    if row.on_remote is None or row.on_remote.is_there is not is_there:
        after = replace(after, on_remote=OnRemote(at, is_there=is_there))
    if pushed is not row.pushed:
        after = replace(after, pushed=pushed)
    after = without_note(after, NOT_ON_REMOTE) if is_there else _noted(after)
    if row.type != TaskType.VERIFIER:
        after = with_findings(after, _OF_BRANCH, _findings(state, row, ref))
    after = after if row.pushed is None else judged_with_findings(state, after)
    return row if after == row else replace(after, last_update=at)


def _noted(row: TaskRow) -> TaskRow:
    return row if row.type == TaskType.VERIFIER else with_note(row, NOT_ON_REMOTE)


def _is_at_start(row: TaskRow, ref: SeenRef) -> bool:
    """True for a head that is where the attempt began; of what a person named there is no such point."""
    return row.accepted is None and ref.sha in {sha for sha in (ref.start_sha, row.starting_sha) if sha is not None}


def _findings(state: State, row: TaskRow, ref: SeenRef) -> Iterator[Finding]:
    success = _SUCCESS if claims_success(row) else None
    if ref.sha is None:
        reported = f"; the run reports {row.reported_branch}" if row.reported_branch else ""
        if names_branch(state.plan, row):
            words = f"{ref.branch} is not on the remote{reported}"
            yield Finding(FindingKind.NOT_ON_REMOTE, f"{success}: {words}." if success else f"{words}.")
        elif success:
            yield Finding(FindingKind.NOTHING_PUSHED, f"{success}{reported}.")
    elif _is_at_start(row, ref):
        if success:
            words = f"{ref.branch} has no commit beyond {row.starting_ref}"
            yield Finding(FindingKind.NOTHING_PUSHED, f"{success}: {words}.")
    elif _has_other_name(state, row, ref.branch):
        planned = placeholder_branch(state.plan.root_slug, row.name, task_type=row.type)
        yield Finding(FindingKind.OTHER_NAME, f"it pushed under another name, {ref.branch}, not {planned}.")


def claims_success(row: TaskRow) -> bool:
    """True for work that its own handoff calls a success; a verifier pushes nothing, and a person knows what they do."""
    return row.handoff_status == HandoffStatus.SUCCESS and row.type != TaskType.VERIFIER and row.accepted is None


def _has_other_name(state: State, row: TaskRow, branch: str) -> bool:
    """True where an agent chose the name; the service and people may name branches as they like."""
    is_own_choice = names_branch(state.plan, row) and row.accepted is None and row.pushed is not None
    return is_own_choice and not branch.startswith(_NAMED_BY_SERVICE)


def _shared(state: State, row: TaskRow, *, at: Timestamp) -> Decision:
    """Findings in both rows where another task handed off on the same branch."""
    if not owns_branch(row):
        return NOTHING
    decision = NOTHING
    for name in sorted(state.owners.get(row.branch, frozenset())):
        other = state.rows.get(name)
        if other is not None and name != row.name and owns_branch(other) and other.branch == row.branch:
            decision += _of_both(apply(state, decision.changes), row, other, at=at)
    return decision


def _of_both(state: State, row: TaskRow, other: TaskRow, *, at: Timestamp) -> Decision:
    decision = NOTHING
    for each, rival in ((row, other), (other, row)):
        before = state.rows[each.name]
        finding = Finding(FindingKind.SHARED_BRANCH, f"its branch {row.branch} is that of {rival.name} as well.")
        if finding not in before.findings:
            decision += told(before, replace(before, findings=(*before.findings, finding), last_update=at))
    return decision


def _held(state: State, row: TaskRow, branch: str, *, at: Timestamp) -> Decision:
    """Each that starts from a branch that is not there has a note that says what to type."""
    words = _held_words(row, branch)
    changed = _renoted(state, row, lambda each: with_note(each, words), at=at)
    if not changed:
        return NOTHING
    names = _those([change.row.name for change in changed])
    waits = "waits" if len(changed) == 1 else "wait"
    return change(*changed, AttentionRaised(f"{names} {waits}: {words}."))


def _let_go(state: State, row: TaskRow, *, at: Timestamp) -> Decision:
    words = _held_words(row, branch_to_look_up(state.plan, row))
    return change(*_renoted(state, row, lambda each: without_note(each, words), at=at))


def _renoted(
    state: State, source: TaskRow, renoted: Callable[[TaskRow], TaskRow], *, at: Timestamp
) -> tuple[RowChanged, ...]:
    pairs = ((row, renoted(row)) for row in followers(state, source))
    return tuple(RowChanged(replace(after, last_update=at)) for row, after in pairs if after != row)


def _held_words(row: TaskRow, branch: str) -> str:
    do = f"push it, then type orchestrate accept . {row.name} --branch BRANCH"
    return f"{branch}, the branch of {row.name}, is not on the remote: {do}"


def _those(names: list[TaskName]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
