"""Branches: which one a task really has, and who follows it.

Before the handoff a task has a placeholder. After it, every task that still starts from that placeholder gets the
real branch; ``ref_from`` remembers whose branch it follows, should that task land elsewhere later. A ref that the
planner chose otherwise is never touched.
"""

from dataclasses import replace

from orchestrate.core.changes import NOTHING, AttentionRaised, Decision, RowChanged, change
from orchestrate.core.state import State
from orchestrate.model.handoff import Handoff
from orchestrate.model.names import Timestamp, is_valid_ref, placeholder_branch
from orchestrate.model.plan import Plan
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import TaskStatus


def pushed_branch(state: State, handoff: Handoff) -> str | None:
    """The branch that the task pushed, by its own word or the service's; None when all signs say that it pushed none."""
    branch = handoff.branch
    if branch is None or not is_valid_ref(branch) or branch == state.plan.base_branch:
        return None
    return branch


def has_real_branch(plan: Plan, row: TaskRow) -> bool:
    """True once the task handed off on a branch that it pushed; of a foreign row, on one that was not merely planned."""
    if row.status != TaskStatus.HANDED_OFF or not is_valid_ref(row.branch):
        return False
    if row.on_remote is not None and row.on_remote.is_there is not None:
        return row.on_remote.is_there
    if row.pushed is not None:
        return row.pushed
    return row.branch not in (placeholder_branch(plan.root_slug, row.name, task_type=row.type), plan.base_branch)


def names_branch(plan: Plan, row: TaskRow) -> bool:
    """True where handoff, run or person named a branch that is more than the planned one."""
    planned = placeholder_branch(plan.root_slug, row.name, task_type=row.type)
    return row.branch != planned or row.accepted is not None


def propagate(state: State, source: TaskRow, *, at: Timestamp) -> Decision:
    """The rows that start from this task's placeholder, moved to its real branch, each with an attention line."""
    placeholder = placeholder_branch(state.plan.root_slug, source.name, task_type=source.type)
    decision = NOTHING
    assert state.blueprint is not None
    for name in state.blueprint.followers.get(source.name, ()):
        row = state.rows[name]
        follows = row.starting_ref == placeholder or row.ref_from == source.name
        if row.status != TaskStatus.PENDING or not follows or row.starting_ref == source.branch:
            continue
        moved = replace(row, starting_ref=source.branch, ref_from=source.name, last_update=at)
        told = AttentionRaised(
            f"{name} starts from {source.branch} now, the branch of {source.name} (was {row.starting_ref})"
        )
        decision += change(RowChanged(moved), told)
    return decision
