"""The TASK argument of verbs that look at one task."""

from collections.abc import Iterable

from orchestrate.errors import InputRefused
from orchestrate.model.faults import quoted
from orchestrate.model.names import TaskName


def known_task(word: str, names: Iterable[str], *, plan: str) -> TaskName:
    """The task of that name, or a refusal with the nearest one."""
    known = list(names)
    if word in known:
        return TaskName(word)
    from orchestrate.model.nearest import Nearest

    nearest = Nearest(known).to(word)
    hint = f"orchestrate status {plan} -v shows all tasks" if nearest is None else f"write {quoted(nearest)}"
    raise InputRefused(f"there is no task {quoted(word)} in {plan_in_words(plan)}.", hint=hint)


def plan_in_words(plan: str) -> str:
    """PLAN inside a sentence, where a lone full stop would be read as the end of it."""
    return "this folder's plan" if plan == "." else plan
