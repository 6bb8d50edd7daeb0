"""Whether the plan's bounds fit each other, the plan and this machine. The run keeps them, so most are warnings."""

import os
from collections.abc import Iterator

from orchestrate.cli.checks.findings import Check, Finding, fault, good, warning
from orchestrate.cli.messages import listed
from orchestrate.core.budgets import RESERVE_CENTS
from orchestrate.model.plan import Plan
from orchestrate.model.vocabulary import RuntimeKind, TaskType

#: Agents a core, beyond which they hold each other up more than they wait for their models.
_AGENTS_A_CORE = 8
_NAMED = 3


def check_limits(plan: Plan, *, kind: RuntimeKind, max_concurrent: int, depth: int) -> list[Finding]:
    """What does not fit, or how many tasks run at a time."""
    told = [
        *_too_many_at_once(plan, kind=kind, max_concurrent=max_concurrent),
        *_money(plan),
        *_agents(plan),
    ]
    found = [*_depth(plan, depth=depth), *(warning(Check.LIMITS, message) for message in told)]
    if found:
        return found
    return [good(Check.LIMITS, f"{max_concurrent} at a time, and nothing contradicts")]


def _too_many_at_once(plan: Plan, *, kind: RuntimeKind, max_concurrent: int) -> Iterator[str]:
    in_repository = plan.limits.max_concurrent_per_repo
    if in_repository is not None and in_repository > max_concurrent:
        yield (
            f"limits.maxConcurrentPerRepo is {in_repository} and never reached: {max_concurrent} run at a time at most"
        )
    cores = os.cpu_count() or 1
    if kind is RuntimeKind.LOCAL and min(max_concurrent, len(plan.tasks)) > cores * _AGENTS_A_CORE:
        yield f"{max_concurrent} agents at a time share {cores} cores of this machine"


def _money(plan: Plan) -> Iterator[str]:
    budget, reserve = plan.limits.budget_cents, plan.limits.reserve_cents
    if budget is None:
        return
    first = RESERVE_CENTS if reserve is None else reserve
    if first > budget:
        name = "limits.reserveCents" if reserve is not None else "the reserve of a launch (limits.reserveCents)"
        yield f"{name} is {first:g} and limits.budgetCents {budget:g}: nothing would be launched"


def _agents(plan: Plan) -> Iterator[str]:
    most = plan.limits.max_agents
    if most is not None and most < len(plan.tasks):
        yield f"limits.maxAgents is {most} and the plan has {len(plan.tasks)} tasks: the rest would not be launched"


def _depth(plan: Plan, *, depth: int) -> Iterator[Finding]:
    deepest = plan.limits.max_depth
    planners = [task.name for task in plan.tasks if task.type is TaskType.SUBPLANNER]
    if deepest is not None and planners and depth + 1 >= deepest:
        names = listed(planners, at_most=_NAMED)
        words = (
            f"limits.maxDepth is {deepest}: the subplanners {names} stand at depth {depth + 1} and can launch nothing"
        )
        yield fault(Check.LIMITS, words, hint="set limits.maxDepth higher, or have workers do it")
