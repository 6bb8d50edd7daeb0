import json

import pytest

from orchestrate.cli.main import main
from orchestrate.model.vocabulary import TaskStatus
from tests.support.builders import a_handed_off_row, a_row, a_running_row, a_task
from tests.support.workspaces import a_plan_document, write_plan, write_state

FAILED = a_running_row("a", status=TaskStatus.ERROR, note="killed")


@pytest.fixture
def watch(tmp_path, capsys):
    def ask(*words: str) -> tuple[int, str]:
        code = main(["watch", str(tmp_path), "--color", "never", *words])
        return code, capsys.readouterr().out

    return ask


@pytest.mark.parametrize(("row", "code"), [(a_handed_off_row("a"), 0), (FAILED, 1), (a_running_row("a"), 100)])
def test_without_an_engine_the_state_is_shown_and_its_code_answered(tmp_path, watch, row, code):
    write_plan(tmp_path, a_plan_document(a_task("a")))
    write_state(tmp_path, (row,))
    found, out = watch()
    assert found == code
    assert "engine not running" in out
    found, out = watch("--json")
    assert (found, json.loads(out)["ok"], json.loads(out)["exitCode"]) == (code, code != 1, code)
    assert json.loads(watch("--json-lines")[1].splitlines()[-1])["exitCode"] == code


def test_what_the_planner_must_do_is_in_the_object(tmp_path, watch):
    write_state(tmp_path, (FAILED, a_row("b", depends_on=("a",))))
    found = json.loads(watch("--json")[1])
    assert found["error"]["code"] == "needs_planner"
    assert found["error"]["message"] == "not handed off: a, b"
    assert found["operation"] == "watch"


def test_until_done_does_not_wait_for_what_is_over(tmp_path, watch):
    write_state(tmp_path, (a_handed_off_row("a"),))
    assert watch("--until-done")[0] == 0


def test_a_plan_that_was_never_run_says_so(tmp_path, watch):
    write_plan(tmp_path, a_plan_document(a_task("a")))
    code, out = watch()
    assert code == 100
    assert "never run" in out
    assert out.rstrip().endswith(f"run {tmp_path}")


def test_the_two_forms_for_programs_exclude_each_other(watch):
    assert watch("--json", "--json-lines")[0] == 2
