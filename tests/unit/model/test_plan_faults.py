import pytest
from pydantic import ValidationError

from orchestrate.model.faults import Problem
from orchestrate.model.plan import Plan
from orchestrate.model.plan_faults import REPLACED_FIELDS, kind_of, problems_of
from orchestrate.model.plan_source import Unusable


def found(value):
    with pytest.raises(ValidationError) as refused:
        Plan.model_validate(value)
    return list(problems_of(refused.value, value=value))


GOOD = {
    "goal": "g",
    "rootSlug": "s",
    "baseBranch": "main",
    "repoUrl": "https://git.example.org/a",
    "tasks": [{"name": "a", "type": "worker", "scopedGoal": "x"}],
}


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        ("x", "a string"),
        (1, "a number"),
        (1.5, "a number"),
        ([], "a list"),
        ({}, "an object"),
        (b"", "a value of the type bytes"),
    ],
)
def test_values_are_called_as_json_calls_them(value, kind):
    assert kind_of(value) == kind


def test_what_reading_has_reported_is_not_reported_again():
    assert found({**GOOD, "goal": Unusable("x"), "summary": "\ud800", "rootSlug": "!"}) == [
        Problem(("rootSlug",), "must be kebab-case: lower-case letters and digits joined by single hyphens")
    ]


def test_a_list_of_which_every_entry_is_wrong_is_not_called_empty():
    assert found({**GOOD, "tasks": [7]}) == [Problem(("tasks", 0), "must be an object, not a number")]


@pytest.mark.parametrize("field", REPLACED_FIELDS)
def test_old_fields_are_explained_on_the_plan_and_on_tasks_only(field):
    task = GOOD["tasks"][0]

    assert found({**GOOD, field: 1}) == [Problem((field,), REPLACED_FIELDS[field])]
    assert found({**GOOD, "tasks": [{**task, field: 1}]}) == [Problem(("tasks", 0, field), REPLACED_FIELDS[field])]
    (deep,) = found({**GOOD, "limits": {field: 1}})
    assert deep.message.startswith("unknown field")


def test_a_number_that_is_not_finite_is_told_so():
    assert found({**GOOD, "limits": {"taskTimeoutSec": float("inf")}}) == [
        Problem(("limits", "taskTimeoutSec"), "must be a finite number")
    ]
