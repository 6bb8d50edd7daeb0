"""The model of a task for which the plan names none, chosen from what the account has.

Names of models age within weeks, so families are named here, by the words that their ids share; of a family the plain
model with the highest number is taken. An account that has none of them keeps its own default.
"""

import re

from orchestrate.model.catalogue import Catalogue
from orchestrate.model.vocabulary import TaskType
from orchestrate.model.wire import Model

#: Families in the order of preference. Workers are many, so they go by price; planners are few and steer the rest; a
#: verifier is of another family than a worker where it can be, because it shares fewer of its blind spots.
FAMILIES: dict[TaskType, tuple[tuple[str, ...], ...]] = {
    TaskType.WORKER: (("composer",), ("sonnet",), ("gpt",)),
    TaskType.SUBPLANNER: (("opus",), ("gpt",), ("composer",)),
    TaskType.VERIFIER: (("gpt",), ("opus",), ("composer",)),
}

_NUMBER = re.compile(r"\d+")


def default_model(task_type: TaskType, catalogue: Catalogue) -> Model | None:
    """The first family that the account has, in its plainest and newest form; None leaves it to the service."""
    for family in FAMILIES[task_type]:
        members = [model for model in catalogue.models if set(family) <= set(_words(model))]
        if members:
            return min(members, key=_rank)
    return None


def _words(model: Model) -> list[str]:
    return model.id.casefold().split("-")


def _rank(model: Model) -> tuple[int, list[int], str]:
    """Fewest words beside its number first (``-mini``, ``-fast`` are words), then the highest number."""
    numbers = [int(digits[:9]) for digits in _NUMBER.findall(model.id)]
    names = [word for word in _words(model) if not word[:1].isdigit()]
    return len(names), [-number for number in numbers], model.id
