"""Whether a task's definition in the plan is still the one that its agent was given.

Rows keep no definition. What is known of it is the row's own facts and the request that was sent; a text that was
taken out of the plan since leaves no trace in either, so the answer names changes that can be shown, and no more.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from orchestrate.model.model_choice import LEFT_TO_SERVICE, named_models
from orchestrate.model.plan import Plan, Task
from orchestrate.model.rows import TaskRow


@dataclass(frozen=True, slots=True)
class Sent:
    """What the latest request of a task said."""

    prompt: str
    #: The model, by the name that the plan had for it; None where the choice was left to the service.
    model: str | None = None


def changed_fields(plan: Plan, row: TaskRow, sent: Sent | None) -> tuple[str, ...]:
    """The fields of the task, by their names in the plan, that differ from what it ran with; none for one outside the plan."""
    task = plan.tasks_by_name.get(row.name)
    if task is None:
        return ()
    return (*_of_row(task, row), *(() if sent is None else _of_request(plan, task, sent)))


def _of_row(task: Task, row: TaskRow) -> Iterator[str]:
    if row.type != task.type:
        yield "type"
    if row.launch is not None and set(row.depends_on) != set(task.depends_on):
        yield "dependsOn"
    names_ref = row.launch is not None and task.starting_ref is not None and row.ref_from is None
    if names_ref and row.starting_ref != task.starting_ref:
        yield "startingRef"


def _of_request(plan: Plan, task: Task, sent: Sent) -> Iterator[str]:
    texts = {
        "scopedGoal": [task.scoped_goal],
        "brief": [task.brief or ""],
        "pathsAllowed": task.paths_allowed,
        "pathsForbidden": task.paths_forbidden,
        "acceptance": task.acceptance,
        "verify": [task.verify or ""],
    }
    lines = frozenset(line.strip() for line in sent.prompt.splitlines())
    for field, values in texts.items():
        if not all(_is_in(value, sent.prompt, lines) for value in values):
            yield field
    _, models = named_models(plan, task)
    if (sent.model or LEFT_TO_SERVICE) not in ({model.id for model in models} or {LEFT_TO_SERVICE}):
        yield "model"


def _is_in(text: str, prompt: str, lines: frozenset[str]) -> bool:
    """True if each line of the text stands in the prompt, with whatever the template puts around it."""
    wanted = (line.strip() for line in text.splitlines())
    return all(line in lines or line in prompt for line in wanted)
