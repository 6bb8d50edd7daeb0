from orchestrate.cli.checks.findings import Verdict
from orchestrate.cli.checks.models import check_models, choices_of, defaults_said, described, read_catalogue
from orchestrate.cloud.client import CloudClient
from orchestrate.model.catalogue import ANY_MODEL, Catalogue
from orchestrate.model.model_choice import Chosen, Origin
from orchestrate.model.plan_parts import ModelSelection
from orchestrate.model.wire import Model
from tests.support.builders import a_plan, a_task, a_verifier
from tests.support.fake_cloud import fake_cloud

CATALOGUE = Catalogue((Model(id="gpt-5.4"), Model(id="composer-2")))


def findings(*tasks, catalogue=CATALOGUE, **fields):
    plan = a_plan(*tasks, **fields)
    found = check_models(choices_of(plan, plan.tasks, catalogue), catalogue)
    return [(finding.verdict, finding.message, finding.hint) for finding in found]


def test_all_missing_models_are_faults_at_once_with_who_wants_them():
    assert findings(
        a_task("docs", model="gpt-5.5"), a_task("api", model="gpt-5.5"), "other", models={"worker": "composer-9"}
    ) == [
        (
            Verdict.FAULT,
            'model "gpt-5.5" (tasks docs, api) is not in this account.',
            'use "gpt-5.4"; all: `orchestrate models`',
        ),
        (
            Verdict.FAULT,
            'model "composer-9" (task other) is not in this account.',
            'use "composer-2"; all: `orchestrate models`',
        ),
    ]


def test_a_fallback_is_a_warning_that_says_what_is_used():
    assert findings("a", "b", models={"worker": ["x", "y", "gpt-5.4"]}) == [
        (Verdict.WARNING, '"x", "y" are not in this account; "gpt-5.4" is used (tasks a, b)', None)
    ]
    assert findings("a", models={"worker": ["x", "default"]}) == [
        (Verdict.WARNING, '"x" is not in this account; the service\'s own default is used (task a)', None)
    ]


def test_what_each_task_gets_is_counted():
    tasks = a_task("a", model="composer-2"), "b", a_verifier("v", of="a", model="default")
    ((verdict, message, _),) = findings(*tasks)
    assert verdict is Verdict.GOOD
    assert message == (
        "composer-2 for 1 task, composer-2 (chosen, the plan names none) for 1 task, "
        "the service's own default for 1 task"
    )


def test_where_any_name_goes_it_is_said():
    assert findings(a_task("a", model="x"), catalogue=ANY_MODEL) == [
        (Verdict.GOOD, "x for 1 task; the service takes any name", None)
    ]


def test_settings_are_part_of_what_is_told():
    selection = ModelSelection.model_validate({"id": "m", "params": [{"id": "effort", "value": "high"}]})
    assert described(Chosen(selection, Origin.TASK, named="m")) == "m (effort high)"


def test_a_default_that_was_chosen_is_said_once_for_all_its_tasks():
    plan = a_plan("a", "b", a_task("c", model="gpt-5.4"), a_task("d", model="gpt-9"))
    assert list(defaults_said(choices_of(plan, plan.tasks, CATALOGUE))) == [
        'the plan names no model for tasks a, b; "composer-2" is used, which the account has'
    ]


async def test_a_catalogue_that_cannot_be_read_is_a_warning_and_any_name_goes():
    with fake_cloud() as cloud:
        async with CloudClient(base_url=f"http://127.0.0.1:{cloud.port}", api_key=cloud.key) as client:
            assert (await read_catalogue(client))[0].ids == ("gpt-5.4", "composer-2")
            cloud.answer_next("GET", "/v1/models", 503, "server_error")
            catalogue, (warning,) = await read_catalogue(client)
    assert catalogue is ANY_MODEL
    assert warning.message.startswith("the models could not be checked: list models: ")
