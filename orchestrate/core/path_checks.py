"""Whether the branch of a task kept to the paths that the plan gave it: looked at after the handoff, in the background.

A broken rule is a finding for people and stops nothing. What could not be told is noted in the row and not tried again.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from orchestrate.core.branches import has_real_branch
from orchestrate.core.changes import NOTHING, AttentionRaised, Decision, RowChanged, SessionChanged, change
from orchestrate.core.effects import CheckPaths
from orchestrate.core.events import PathsChecked
from orchestrate.core.state import State
from orchestrate.model.names import TaskName
from orchestrate.model.rows import PathFinding, PathsCheck, TaskRow
from orchestrate.model.vocabulary import TaskStatus

#: Files that a line for the operator names.
_NAMED = 5


def check_paths(state: State, rows: Iterable[TaskRow]) -> Decision:
    """The orders to look at these rows' branches, where the plan binds their tasks to paths."""
    if state.session.settings.answers_only:
        return NOTHING  # the next engine takes it up
    effects = [effect for row in rows for effect in _orders(state, row)]
    if not effects:
        return NOTHING
    checking = state.session.checking | {effect.row.name for effect in effects}
    return change(SessionChanged(replace(state.session, checking=checking)), effects=effects)


def on_paths_checked(state: State, event: PathsChecked) -> Decision:
    """What was found of the row's present branch; of a former one it means nothing any more."""
    session = no_longer_checked(state, event.task)
    row = state.rows.get(event.task)
    if row is None or row.status != TaskStatus.HANDED_OFF or row.branch != event.branch:
        return change(session)
    check = PathsCheck(event.at, event.findings, total=event.total, unknown=event.unknown)
    looked_at = change(session, RowChanged(replace(row, paths_check=check, last_update=event.at)))
    return looked_at if not event.total else looked_at + change(AttentionRaised(_words(row, event)))


def no_longer_checked(state: State, task: TaskName) -> SessionChanged:
    """The session in which nobody compares this task's paths."""
    return SessionChanged(replace(state.session, checking=state.session.checking - {task}))


def _orders(state: State, row: TaskRow) -> Iterator[CheckPaths]:
    task = state.plan.tasks_by_name.get(row.name)
    if task is None or not (task.paths_allowed or task.paths_forbidden):
        return
    is_new = row.paths_check is None and row.pushed is True and has_real_branch(state.plan, row)
    if is_new and row.starting_ref and row.branch not in (row.starting_ref, state.plan.base_branch):
        yield CheckPaths(row=row, allowed=tuple(task.paths_allowed), forbidden=tuple(task.paths_forbidden))


def _words(row: TaskRow, event: PathsChecked) -> str:
    files = "a file" if event.total == 1 else f"{event.total} files"
    return f"{row.name} changed {files} that the plan does not give it: {_listed(event.findings, event.total)}"


def _listed(findings: tuple[PathFinding, ...], total: int) -> str:
    shown = ", ".join(map(str, findings[:_NAMED]))
    return f"{shown} and {total - _NAMED} more" if total > _NAMED else shown
