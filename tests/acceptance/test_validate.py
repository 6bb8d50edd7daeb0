import json

import pytest

from tests.support.builders import a_task
from tests.support.command_line import orchestrate
from tests.support.workspaces import a_plan_document, write_plan

GOOD = a_plan_document(a_task("build"), a_task("docs", depends_on=("build",)))


def test_a_good_plan_is_said_to_be_good(tmp_path):
    write_plan(tmp_path, GOOD)
    done = orchestrate("validate", cwd=tmp_path)
    assert (done.code, done.out, done.err) == (0, "plan.json: good, 2 tasks\n", "")


def test_every_fault_is_told_at_once_with_its_line(tmp_path):
    write_plan(
        tmp_path / "work", a_plan_document(a_task("build"), a_task("docs", depends_on=("bild",)), baseBranch="-x")
    )
    done = orchestrate("validate", "work", cwd=tmp_path)
    assert done.code == 2
    assert done.out == ""
    lines = done.err.splitlines()
    assert lines[0].startswith("error: work/plan.json:")
    assert lines[-1] == "2 faults. Nothing was launched."
    assert any('tasks[1].dependsOn[0]: unknown task "bild"; did you mean "build"?' in line for line in lines)


def test_json_is_one_object_either_way(tmp_path):
    path = write_plan(tmp_path, GOOD)
    good = json.loads(orchestrate("validate", "--json", cwd=tmp_path).out)
    assert (good["ok"], good["operation"], good["tasks"], good["faults"]) == (True, "validate", 2, [])
    path.write_text("{}")
    done = orchestrate("validate", "--json", cwd=tmp_path)
    bad = json.loads(done.out)
    assert (done.code, bad["ok"], done.err) == (2, False, "")
    assert {"path": "tasks", "message": "is missing", "line": 1} in bad["faults"]


def test_warnings_are_shown_and_change_nothing(tmp_path):
    write_plan(tmp_path, a_plan_document(a_task("build", brief="token ghp_" + "a1B2" * 9)))
    done = orchestrate("validate", cwd=tmp_path)
    assert done.code == 0
    assert done.err.startswith("attention: plan.json:")
    assert "1 warning" in done.out


def test_a_plan_may_come_from_stdin(tmp_path):
    done = orchestrate("validate", "-", cwd=tmp_path, stdin=json.dumps(GOOD).encode())
    assert (done.code, done.out) == (0, "stdin: good, 2 tasks\n")
    assert orchestrate("validate", "-", cwd=tmp_path, stdin=b"\xff").code == 2


@pytest.mark.parametrize("words", [["missing.json"], [], ["."], ["\u202e"], ["--bogus"], ["a", "b"]])
def test_what_is_no_plan_is_one_clear_error(words, tmp_path):
    done = orchestrate("validate", *words, cwd=tmp_path)
    assert done.code == 2
    assert done.err.startswith("error: ")
    assert "\u202e" not in done.err
    as_json = orchestrate("validate", *words, "--json", cwd=tmp_path)
    assert as_json.code == 2
    assert json.loads(as_json.out)["ok"] is False


def test_a_plan_that_cannot_be_read_is_no_crash(tmp_path):
    path = tmp_path / "plan.json"
    path.mkdir()
    assert orchestrate("validate", str(path), cwd=tmp_path).code == 2
