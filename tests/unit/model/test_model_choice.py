import pytest

from orchestrate.model.catalogue import ANY_MODEL, Catalogue
from orchestrate.model.model_choice import Chosen, NoModel, Origin, choose
from orchestrate.model.plan_parts import ModelSelection
from orchestrate.model.wire import Model
from tests.support.builders import a_plan, a_task

EFFORT = {"id": "effort", "values": [{"value": "low"}, {"value": "high"}]}
CATALOGUE = Catalogue(
    (
        Model.model_validate({"id": "gpt-5.4", "aliases": ["latest"], "parameters": [EFFORT, {"id": "tone"}]}),
        Model(id="composer-2"),
    )
)


def choice(task: dict, catalogue: Catalogue = CATALOGUE, **fields: object) -> Chosen | NoModel:
    plan = a_plan(task, **fields)
    return choose(plan, plan.tasks[0], catalogue)


def test_the_tasks_own_model_comes_first_then_the_list_of_its_type():
    models = {"worker": ["gone", "composer-2", "gpt-5.4"]}
    assert choice(a_task("a", model="gpt-5.4"), models=models) == Chosen(
        ModelSelection(id="gpt-5.4"), Origin.TASK, named="gpt-5.4"
    )
    assert choice(a_task("a"), models=models) == Chosen(
        ModelSelection(id="composer-2"), Origin.PLAN, named="composer-2", passed_over=("gone",)
    )


def test_an_alias_becomes_its_id_and_keeps_its_settings():
    wish = {"id": "latest", "params": [{"id": "effort", "value": "high"}, {"id": "tone", "value": "dry"}]}
    found = choice(a_task("a", model=wish))
    assert isinstance(found, Chosen)
    assert found.selection is not None
    assert (found.selection.id, found.named, len(found.selection.params)) == ("gpt-5.4", "latest", 2)


def test_without_a_name_the_account_has_a_default_or_the_service_chooses():
    assert choice(a_task("a")) == Chosen(ModelSelection(id="composer-2"), Origin.ACCOUNT)
    assert choice(a_task("a"), ANY_MODEL) == Chosen(None, Origin.SERVICE)


def test_the_word_default_leaves_it_to_the_service():
    assert choice(a_task("a", model="default")) == Chosen(None, Origin.SERVICE)
    assert choice(a_task("a"), models={"worker": ["gone", "default"]}) == Chosen(
        None, Origin.SERVICE, passed_over=("gone",)
    )


def test_where_nothing_is_known_any_name_goes():
    wish = {"id": "x", "params": [{"id": "y", "value": "z"}]}
    assert choice(a_task("a", model=wish), ANY_MODEL) == Chosen(
        ModelSelection.model_validate(wish), Origin.TASK, named="x"
    )


@pytest.mark.parametrize(
    ("model", "message", "hint"),
    [
        ("gpt-5.5", 'model "gpt-5.5" (task a) is not in this account.', 'use "gpt-5.4"; all: `orchestrate models`'),
        (
            "zzzzzzzz",
            'model "zzzzzzzz" (task a) is not in this account.',
            'use one of "gpt-5.4", "composer-2", "latest"; all: `orchestrate models`',
        ),
        (
            {"id": "gpt-5.4", "params": [{"id": "effort", "value": "max"}]},
            'model "gpt-5.4" (task a) does not take "max" as "effort".',
            '"effort" is one of "low", "high"',
        ),
        (
            {"id": "latest", "params": [{"id": "speed", "value": "9"}, {"id": "effort", "value": "0"}]},
            'model "latest" (task a) has no setting "speed" and does not take "0" as "effort".',
            'its settings: "effort", "tone"; "effort" is one of "low", "high"',
        ),
    ],
)
def test_what_the_account_lacks_is_told_with_what_it_has(model, message, hint):
    found = choice(a_task("a", model=model))
    assert isinstance(found, NoModel)
    assert (found.words("task a"), found.hint) == (message, hint)


def test_a_list_without_any_model_of_the_account_names_them_all():
    found = choice(a_task("a"), models={"worker": ["gpt-5.5", "composer-3"]})
    assert isinstance(found, NoModel)
    assert found.words() == 'none of the models "gpt-5.5", "composer-3" is in this account.'
    assert found.hint == 'use "gpt-5.4", "composer-2"; all: `orchestrate models`'


def test_settings_of_a_model_without_a_list_of_them_are_passed_on():
    wish = {"id": "composer-2", "params": [{"id": "y", "value": "z"}]}
    assert isinstance(choice(a_task("a", model=wish)), Chosen)
