"""Whether each prompt can be rendered and is small enough for the service.

Rendering ten thousand prompts takes longer than it tells: one of each task type shows whether the templates work, and
of the others only those are rendered whose texts could come near the limit.
"""

from collections.abc import Iterator, Sequence

from orchestrate.cli.checks.findings import Check, Finding, fault, good
from orchestrate.cli.rendering import PromptRenderer
from orchestrate.errors import InputRefused
from orchestrate.model.plan import Plan, Task
from orchestrate.text.shortening import UPSTREAM_BUDGET_BYTES

#: A template may repeat a text of the plan, and JSON may double it.
_GROWTH = 4
#: How many large prompts are told.
_TOLD = 20


async def check_prompts(plan: Plan, tasks: Sequence[Task], renderer: PromptRenderer, *, limit: int) -> list[Finding]:
    """Prompts that cannot be rendered or are too large are faults."""
    findings, largest = [], 0
    for task in _worth_rendering(plan, tasks, limit=limit):
        try:
            size = len((await renderer.request(task.name))["prompt"]["text"].encode())
        except InputRefused as error:
            findings.append(fault(Check.PROMPTS, f"{task.name}: {error.message}", hint=error.hint))
            continue
        largest = max(largest, size)
        if size > limit:
            findings.append(too_large(task, size, limit=limit))
    return findings[:_TOLD] or [good(Check.PROMPTS, f"the largest looked at has {largest:,} bytes of {limit:,}")]


def too_large(task: Task, size: int, *, limit: int) -> Finding:
    """The fault of a prompt that the service would refuse."""
    return fault(
        Check.PROMPTS,
        f"the prompt of {task.name} has {size:,} bytes; the service takes {limit:,}",
        hint="shorten the goal, the brief or the lists of that task; long texts belong into the repository",
    )


def _worth_rendering(plan: Plan, tasks: Sequence[Task], *, limit: int) -> Iterator[Task]:
    seen = set()
    common = _size(plan.goal, *plan.acceptance_criteria) + UPSTREAM_BUDGET_BYTES
    for task in tasks:
        target = plan.task(task.verifies) if task.verifies is not None else task
        own = _own_size(task) + (_own_size(target) if target is not task else 0)
        if task.type not in seen or _GROWTH * (common + own) > limit:
            seen.add(task.type)
            yield task


def _own_size(task: Task) -> int:
    lists = (*task.paths_allowed, *task.paths_forbidden, *task.acceptance)
    return _size(task.scoped_goal, task.brief or "", task.verify or "", *lists)


def _size(*texts: str) -> int:
    return sum(len(text) for text in texts)
