import json

import pytest

from orchestrate.cli.locating import locate
from orchestrate.cli.picture import Picture, picture_of
from orchestrate.model.names import TaskName
from orchestrate.model.vocabulary import HandoffStatus, TaskStatus
from tests.support.builders import START, a_handed_off_row, a_row, a_running_row, a_task, a_verifier, moment
from tests.support.workspaces import a_plan_document, write_plan, write_state


@pytest.fixture
def look(tmp_path):
    def at(**fields: float) -> Picture:
        return picture_of(locate(str(tmp_path), needs_plan=False), now=fields.get("now", START + 100))

    return at


def test_before_the_first_run_the_rows_are_those_that_the_plan_will_make(tmp_path, look):
    write_plan(tmp_path, a_plan_document(a_task("b"), a_verifier("v", "b"), {"name": "odd", "type": "?"}))
    picture = look()
    assert [(row.name, row.type, row.depends_on) for row in picture.rows] == [
        ("b", "worker", ()),
        ("v", "verifier", ("b",)),
        ("odd", "worker", ()),
    ]
    assert picture.is_new
    assert (picture.slug, picture.elapsed_seconds, picture.last_record) == ("shop", None, None)
    assert picture.standing(picture.rows[0]).word == "ready, held by nothing but the start of an engine"


def test_a_blocked_task_names_what_it_holds(tmp_path, look):
    write_state(
        tmp_path, (a_handed_off_row("a", handoff_status=HandoffStatus.BLOCKED), a_row("b", depends_on=("a", "x")))
    )
    picture = look()
    assert picture.waits_for == {"b": ["a", "x"]}
    assert picture.held_by == {"a": ["b"], "x": ["b"]}
    assert picture.standing(picture.loaded.rows[TaskName("a")]).word == "blocked, holds b"


def test_without_a_plan_the_state_says_whose_it_is(tmp_path, look):
    write_state(tmp_path, (a_row("a"), a_row("gone", status=TaskStatus.PRUNED)))
    picture = look()
    assert (picture.slug, len(picture.rows), picture.tally.total) == ("shop", 1, 1)
    assert picture.notes[-1].endswith("plan.json cannot be read")


def test_time_runs_while_something_does(tmp_path, look):
    write_state(tmp_path, (a_handed_off_row("a", finished_at=moment(40)), a_row("b")))
    assert look().elapsed_seconds == 40
    write_state(tmp_path, (a_handed_off_row("a", finished_at=moment(40)), a_running_row("b")))
    assert look().elapsed_seconds == 100


def test_the_heading_and_the_task_for_programs_have_no_empty_fields(tmp_path, look):
    write_state(tmp_path, (a_running_row("a"), a_row("b", depends_on=("a",))))
    picture = look()
    heading = picture.heading()
    assert (heading["engine"], heading["neverRun"]) == ({"running": False}, False)
    task = picture.task_object(picture.rows[1])
    assert (task["standing"], task["waitsFor"]) == ("waiting", ["a"])
    assert None not in task.values()
    json.dumps([heading, task])
