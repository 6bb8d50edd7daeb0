import pytest

from orchestrate.core.redefinition import Sent, changed_fields
from orchestrate.model.vocabulary import TaskType
from tests.support.builders import a_handed_off_row, a_plan, a_row, a_task, a_verifier

PROMPT = """\
## Your goal

Dates are parsed.
In every form.

## Paths

- `src/**`

- All tests pass,
  also the slow ones.
"""


def changed(task: dict, *, prompt: str | None = PROMPT, model: str | None = None, **row: object) -> tuple[str, ...]:
    sent = None if prompt is None else Sent(prompt, model)
    return changed_fields(a_plan(task, "b"), a_handed_off_row("a", **row), sent)


def test_a_definition_that_is_the_same_has_no_changes():
    task = a_task(
        "a",
        scopedGoal="Dates are parsed.\nIn every form.\n",
        pathsAllowed=["src/**"],
        acceptance=["All tests pass,\nalso the slow ones."],
    )
    assert changed(task) == ()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("scopedGoal", "Times are parsed."),
        ("brief", "See docs."),
        ("pathsAllowed", ["lib/**"]),
        ("pathsForbidden", ["docs/**"]),
        ("acceptance", ["The linter is content."]),
        ("verify", "Run make."),
        ("model", "composer-3"),
    ],
)
def test_a_field_that_the_request_did_not_have_is_named(field, value):
    assert changed(a_task("a", **{"scopedGoal": "Dates are parsed.", field: value})) == (field,)


def test_the_model_of_the_type_counts_where_the_task_has_none():
    plan = a_plan(a_task("a", scopedGoal="Dates are parsed."), models={"worker": ["composer-2", "composer-1"]})
    row = a_handed_off_row("a")
    assert changed_fields(plan, row, Sent(PROMPT, "composer-2")) == ()
    assert changed_fields(plan, row, Sent(PROMPT, "composer-1")) == ()
    assert changed_fields(plan, row, Sent(PROMPT, "composer-0")) == ("model",)


def test_without_the_request_the_row_alone_is_asked():
    task = a_task("a", depends_on=("b",), scopedGoal="other", startingRef="release")
    assert changed(task, prompt=None) == ("dependsOn", "startingRef")
    assert changed(task, prompt=None, depends_on=("b",), starting_ref="release") == ()
    assert changed(task, prompt=None, depends_on=("b",), ref_from="b") == ()


def test_another_type_is_a_change():
    assert changed(a_task("a"), prompt=None, type=TaskType.SUBPLANNER) == ("type",)


def test_rows_of_other_tools_do_not_say_what_they_ran_with():
    plan = a_plan("b", a_verifier("a", of="b", startingRef="release"))
    assert changed_fields(plan, a_row("a", type=TaskType.VERIFIER), None) == ()


def test_a_task_outside_the_plan_has_no_definition_to_compare():
    assert changed_fields(a_plan("b"), a_handed_off_row("a"), Sent(PROMPT)) == ()
