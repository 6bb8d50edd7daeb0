"""Who waits for a branch: a task that starts from the branch of one that it depends on.

It starts once that branch was looked up, whether it is there or nobody could tell. Only a branch that the remote
positively lacks holds it any longer. No other task ever waits for a look.
"""

from orchestrate.core.blueprint import Blueprint
from orchestrate.model.names import is_valid_ref, placeholder_branch
from orchestrate.model.plan import Plan
from orchestrate.model.rows import TaskRow


def starts_from(row: TaskRow, source: TaskRow, *, blueprint: Blueprint) -> bool:
    """True for a task that starts from the branch of ``source``, planned or real; the base branch is nobody's.

    A try that goes on from the task's own branch has all it needs there.
    """
    if row.ref_from == row.name:
        return False
    if row.ref_from == source.name or blueprint.leaders.get(row.name) == source.name:
        return True
    return row.starting_ref == source.branch and source.branch != blueprint.plan.base_branch


def holds(source: TaskRow, row: TaskRow, *, blueprint: Blueprint) -> bool:
    """True while ``row`` waits for the branch of a task that has handed off."""
    if not starts_from(row, source, blueprint=blueprint):
        return False
    return source.on_remote is None or source.on_remote.is_there is False


def branch_to_look_up(plan: Plan, row: TaskRow) -> str:
    """The row's branch; its placeholder where the row of another tool has none that could be one.

    Only a person may say that a task is done on the base branch.
    """
    if is_valid_ref(row.branch) and (row.branch != plan.base_branch or row.accepted is not None):
        return row.branch
    return placeholder_branch(plan.root_slug, row.name, task_type=row.type)
