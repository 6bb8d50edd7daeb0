import pytest

from orchestrate.model.catalogue import Catalogue
from orchestrate.model.default_models import default_model
from orchestrate.model.vocabulary import TaskType
from orchestrate.model.wire import Model


def chosen(task_type: TaskType, *ids: str) -> str | None:
    found = default_model(task_type, Catalogue(tuple(Model(id=name) for name in ids)))
    return None if found is None else found.id


@pytest.mark.parametrize(
    ("task_type", "ids", "model"),
    [
        # the newest of the first family
        (TaskType.WORKER, ("gpt-5.4", "composer-1", "composer-2", "composer-1.5"), "composer-2"),
        # numbers are numbers
        (TaskType.WORKER, ("composer-9", "composer-10"), "composer-10"),
        # the plain one before its faster or smaller variants
        (TaskType.VERIFIER, ("gpt-5.5-mini", "gpt-5.4", "gpt-5.5-fast"), "gpt-5.4"),
        # the words of a family may stand anywhere
        (TaskType.SUBPLANNER, ("claude-4.6-opus", "claude-opus-4.7", "gpt-5.5"), "claude-opus-4.7"),
        # a word is a whole word
        (TaskType.SUBPLANNER, ("opusculum-3", "gpt-1"), "gpt-1"),
        # the next family
        (TaskType.VERIFIER, ("composer-2", "claude-sonnet-4"), "composer-2"),
        # an account that has none of them
        (TaskType.WORKER, ("grok-9",), None),
        (TaskType.WORKER, (), None),
    ],
)
def test_a_default_is_of_the_first_family_that_the_account_has(task_type, ids, model):
    assert chosen(task_type, *ids) == model


@pytest.mark.parametrize("task_type", list(TaskType))
def test_the_order_of_the_catalogue_does_not_matter(task_type):
    ids = ("gpt-5.4", "composer-2", "composer-2-fast", "claude-opus-4.7", "gpt-5.4-high")
    assert chosen(task_type, *ids) == chosen(task_type, *reversed(ids))
