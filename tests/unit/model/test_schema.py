import copy
import json
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from jsonschema import Draft202012Validator

from orchestrate.model.checking import check_plan, parse_plan
from orchestrate.model.names import is_valid_ref
from orchestrate.model.plan import Plan
from orchestrate.model.schema import plan_schema
from tests.support.builders import a_task, a_verifier
from tests.support.workspaces import a_plan_document

PLANS = sorted((Path(__file__).parents[3] / "plans").glob("*.plan.json"))
VALIDATOR = Draft202012Validator(plan_schema())

GOOD = a_plan_document(
    a_task("a", model="composer-2", retry={"attempts": 2, "on": ["oom"]}, measurements=[{"name": "n", "command": "c"}]),
    a_verifier("check-a", of="a"),
    runtime={"kind": "local", "agent": {"command": ["agent"]}},
    limits={"maxConcurrent": 2},
    models={"worker": ["composer-2"]},
)

#: A place in the plan and what is put there; the engine refuses each, and one value is enough to tell.
WRONG = [
    (("goal",), ""),
    (("goal",), " \t"),
    (("goal",), 3),
    (("rootSlug",), "Not Kebab"),
    (("rootSlug",), "a" * 201),
    (("baseBranch",), "-option"),
    (("baseBranch",), "a..b"),
    (("baseBranch",), "x.lock"),
    (("prBase",), "two words"),
    (("repoUrl",), ""),
    (("repoUrl",), "-upload-pack=x"),
    (("repoUrl",), "http://git.example.org/a"),
    (("repoUrl",), "https://user:secret@git.example.org/a"),
    (("repoUrl",), "https://git.example.org/a?x=1"),
    (("tasks",), []),
    (("tasks",), {}),
    (("tasks", 0, "name"), "a" * 65),
    (("tasks", 0, "name"), "-a"),
    (("tasks", 0, "type"), "boss"),
    (("tasks", 0, "scopedGoal"), ""),
    (("tasks", 0, "verifies"), "check-a"),
    (("tasks", 1, "verifies"), None),
    (("tasks", 0, "maxAttempts"), 0),
    (("tasks", 0, "maxAttempts"), True),
    (("tasks", 0, "openPR"), "yes"),
    (("tasks", 0, "model"), ""),
    (("tasks", 0, "model"), {"params": []}),
    (("tasks", 0, "onBlocked"), "maybe"),
    (("tasks", 0, "onUnstructured"), "retry"),
    (("onUnstructured",), "pass"),
    (("tasks", 0, "timeoutSec"), 0),
    (("tasks", 0, "retry"), {"attempts": 2, "on": []}),
    (("tasks", 0, "retry"), {"attempts": 2, "on": ["bad-luck"]}),
    (("tasks", 0, "measurements", 0, "parser"), {"kind": "regex"}),
    (("tasks", 0, "measurements", 0, "parser"), {"kind": "sed"}),
    (("tasks", 0, "measurements", 0, "toleranceFraction"), 1.5),
    (("tasks", 0, "unknown"), 1),
    (("tracker",), {}),
    (("runtime", "kind"), "moon"),
    (("runtime", "agent"), {}),
    (("runtime", "agent"), {"name": "null", "command": ["x"]}),
    (("runtime", "agent"), {"command": []}),
    (("runtime", "agent"), {"command": ["x"], "passEnv": ["not a name"]}),
    (("limits", "budgetCents"), -1),
    (("limits", "upstreamBytes"), 999),
    (("env",), {"type": "moon"}),
    (("models", "worker"), []),
    (("models", "boss"), "composer-2"),
]

#: The same, and the engine takes each.
RIGHT = [
    (("prBase",), None),
    (("syncStateToGit",), None),
    (("limits",), None),
    (("limits", "maxConcurrent"), None),
    (("models",), None),
    (("models", "worker"), "composer-2"),
    (("repoUrl",), "../.."),
    (("repoUrl",), "file:///srv/git/a.git"),
    (("repoUrl",), "git@git.example.org:team/a.git"),
    (("repoUrl",), "ssh://git@git.example.org:2222/team/a.git"),
    (("tasks", 0, "dependsOn"), None),
    (("tasks", 0, "onBlocked"), None),
    (("tasks", 0, "onUnstructured"), "handed-off"),
    (("onUnstructured",), None),
    (("limits", "upstreamBytes"), 1000),
    (("tasks", 0, "verifies"), None),
    (("tasks", 0, "model"), {"id": "composer-2", "params": None}),
    (("tasks", 0, "measurements", 0, "parser"), None),
    (("runtime", "agent"), {"name": "null", "command": None}),
    (("runtime", "agent"), {"name": None, "command": ["x"], "promptVia": None}),
]


def with_value(place: tuple, value: object) -> dict:
    plan = copy.deepcopy(GOOD)
    *before, last = place
    inner = plan
    for step in before:
        inner = inner[step]
    inner[last] = value
    return plan


def test_the_schema_is_sound_and_the_same_each_time():
    Draft202012Validator.check_schema(plan_schema())
    assert json.loads(json.dumps(plan_schema())) == plan_schema()
    assert plan_schema()["$id"] == "orchestrate-agents/1/plan.schema.json"


def test_every_field_of_the_plan_is_in_the_schema_with_words_and_an_example_that_fits():
    schema = plan_schema()

    assert set(schema["properties"]) == {field.alias for field in Plan.model_fields.values()}
    for definition in (schema, *schema["$defs"].values()):
        for name, field in definition.get("properties", {}).items():
            assert field["description"], name
            assert field["examples"], name
            assert "title" not in field, name
            inner = Draft202012Validator({**field, "$defs": schema["$defs"]})
            assert all(inner.is_valid(example) for example in field["examples"]), name


def test_the_schema_knows_short_forms():
    task = plan_schema()["$defs"]["Task"]
    forms = task["properties"]["model"]["anyOf"]

    assert [form.get("type", form.get("$ref")) for form in forms] == ["string", "#/$defs/ModelSelection", "null"]


def test_the_plan_of_these_tests_is_good():
    assert check_plan(GOOD) == []
    VALIDATOR.validate(GOOD)


@pytest.mark.parametrize(("place", "value"), WRONG, ids=repr)
def test_what_the_engine_refuses_the_schema_refuses(place, value):
    plan = with_value(place, value)
    assert check_plan(plan) != []
    assert not VALIDATOR.is_valid(plan)


@pytest.mark.parametrize("field", ["goal", "rootSlug", "baseBranch", "repoUrl", "tasks"])
def test_a_plan_without_what_it_needs_is_refused_by_both(field):
    plan = {name: value for name, value in GOOD.items() if name != field}
    assert check_plan(plan) != []
    assert not VALIDATOR.is_valid(plan)


def test_a_verifier_without_a_target_is_refused_by_both():
    plan = a_plan_document(a_task("a"), a_task("check-a", type="verifier"))
    assert check_plan(plan) != []
    assert not VALIDATOR.is_valid(plan)


@pytest.mark.parametrize(("place", "value"), RIGHT, ids=repr)
def test_what_the_engine_takes_the_schema_takes(place, value):
    plan = with_value(place, value)
    assert check_plan(plan) == []
    VALIDATOR.validate(plan)


def test_a_path_is_an_address_of_a_local_plan_only():
    local = a_plan_document(a_task("a"), repoUrl="../..", runtime={"kind": "local"})
    cloud = a_plan_document(a_task("a"), repoUrl="../..", runtime={"kind": "cloud"})
    assert VALIDATOR.is_valid(local)
    assert not VALIDATOR.is_valid(cloud)
    assert not VALIDATOR.is_valid({**cloud, "runtime": None})


_FIELDS = st.sampled_from([("baseBranch",), ("goal",), ("rootSlug",), ("repoUrl",), ("tasks", 0, "name")])
_VALUES = st.one_of(st.text(st.sampled_from("ab-/.:@~^ {\\*éA+"), max_size=8), st.none(), st.integers(), st.booleans())


@given(place=_FIELDS, value=_VALUES)
@settings(max_examples=300, deadline=None)
def test_the_schema_never_refuses_a_plan_that_the_engine_takes(place, value):
    plan = with_value(place, value)
    if check_plan(plan) == []:
        VALIDATOR.validate(plan)


@given(ref=st.text(st.sampled_from("ab-/.:@~^ {\\*é\x7flock"), min_size=1, max_size=8))
@settings(max_examples=300, deadline=None)
def test_the_schema_and_the_engine_agree_on_refs(ref):
    assert VALIDATOR.is_valid(with_value(("baseBranch",), ref)) == is_valid_ref(ref)


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.name)
def test_every_ready_plan_is_good(path):
    plan, warnings = parse_plan(path.read_bytes())

    assert warnings == []
    assert plan.schema_address == "schema/plan.schema.json"
    VALIDATOR.validate(json.loads(path.read_bytes()))


def test_the_schema_that_the_ready_plans_name_is_beside_them():
    path = PLANS[0].parent / "schema" / "plan.schema.json"
    assert json.loads(path.read_bytes()) == plan_schema()


def test_there_are_ready_plans():
    assert {path.name for path in PLANS} >= {"fan-out.plan.json", "fix-and-verify.plan.json", "merge.plan.json"}
