"""From a goal to a finished run and what it changed, as somebody types it: init, validate, run --dry-run, run, wait, diff."""

import json
import shlex
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from orchestrate.model.schema import plan_schema
from orchestrate.model.state_schema import state_schema
from tests.support.repositories import git
from tests.support.runs import Project, machine, project, task

__all__ = ["machine", "project"]

STATES = Draft202012Validator(state_schema())


@pytest.fixture
def clone(project: Project) -> Path:
    """A clone of the project's remote, in which somebody works."""
    git("clone", "--quiet", project.remote.url, "clone", at=project.folder)
    return project.folder / "clone"


def files_below(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_from_a_goal_to_what_was_changed(project, clone):
    project.agent("dates-are-read", "commit dates.txt iso\npush\nhandoff success '' unit-test-verified")
    agent = shlex.join(project.agent_command)

    made = project.command("init", "--goal", "Dates are read.", at=clone).end()
    assert made.code == 0, made.said
    plan = ".orchestrate/dates-are-read"
    checked = project.command("validate", plan, at=clone).end()
    assert checked.code == 0, checked.said

    before = files_below(clone)
    told = project.command("run", plan, "--agent-command", agent, "--dry-run", at=clone).end()
    assert told.code == 0, told.said
    assert "dates-are-read" in told.out
    assert "nothing was launched, sent or written" in told.out
    assert files_below(clone) == before
    assert project.launches("dates-are-read") == 0

    waiting = project.command("wait", plan, "--timeout", "100", "--json", at=clone)
    done = project.command("run", plan, "--agent-command", agent, at=clone).end()
    assert done.code == 0, done.said
    waited = waiting.end()
    assert (waited.code, waited.json()["counts"]["handedOff"]) == (0, 1), waited.said

    before = files_below(clone)
    shown = project.command("diff", plan, "dates-are-read", at=clone).end()
    assert shown.code == 0, shown.said
    assert "+++ b/dates.txt\n@@ -0,0 +1 @@\n+iso\n" in shown.out
    assert files_below(clone) == before

    state = json.loads((clone / plan / "state.json").read_bytes())
    STATES.validate(state)
    Draft202012Validator(plan_schema()).validate(json.loads((clone / plan / "plan.json").read_bytes()))


def test_a_dry_run_of_a_half_done_workspace_changes_nothing(project):
    gate = project.make_gate("later")
    project.agent("slow", f"{gate}\nhandoff success '(none)'")
    project.agent("bad", "exit 3")
    tasks = [task("slow"), task("bad"), task("behind", dependsOn=["bad"]), task("after", dependsOn=["slow"])]
    project.write_plan(*tasks)
    run = project.run("--max-concurrent", "4")
    assert run.code == 1, run.said
    assert project.statuses()["slow"] == "running"
    STATES.validate(project.state())

    project.write_plan(*tasks[:1], {**tasks[1], "scopedGoal": "something else"}, *tasks[2:], task("new"))
    before = files_below(project.workspace)
    told = project.command("run", str(project.workspace), "-n", "--json").end()
    assert told.code == 0, told.said
    by_name = {each["name"]: each for each in told.json()["tasks"]}
    assert {name: each["fate"] for name, each in by_name.items()} == {
        "new": "launched",
        "after": "waits",
        "slow": "watched",
        "bad": "stays",
        "behind": "held",
    }
    assert by_name["bad"]["changedSinceItRan"] == ["scopedGoal"]
    assert by_name["behind"]["heldBy"] == ["bad"]
    assert files_below(project.workspace) == before
    assert project.launches("new") == 0

    project.open_gate("later")
    rerun = project.run("--exit-on-all-done")
    assert rerun.code == 1, rerun.said
    after = {"slow": "handed-off", "after": "handed-off", "new": "handed-off", "bad": "error", "behind": "pending"}
    assert project.statuses() == after
    assert project.launches("slow") == project.launches("bad") == 1
    STATES.validate(project.state())


def test_a_dry_run_beside_an_engine_is_refused_as_the_run_would_be(project):
    gate = project.make_gate("end")
    project.agent("slow", f"{gate}\nhandoff success '(none)'")
    project.write_plan(task("slow"))
    run = project.start()
    project.wait_until_works("slow")
    told = project.command("run", str(project.workspace), "-n").end()
    assert told.code == 2, told.said
    assert "an engine already runs this workspace" in told.err
    early = project.command("wait", str(project.workspace), "--until", "slow", "--timeout", "0").end()
    assert early.code == 100, early.said
    waiting = project.command("wait", str(project.workspace), "--until", "slow")
    project.open_gate("end")
    assert waiting.end().code == 0
    assert run.end().code == 0


def test_waiting_for_a_task_that_fails_says_so(project):
    project.agent("bad", "exit 3")
    project.write_plan(task("bad"))
    assert project.run().code == 1
    waited = project.command("wait", str(project.workspace)).end()
    assert waited.code == 1, waited.said
    assert "bad: error after 1 try" in waited.err


def test_paths_that_were_not_kept_are_told_with_the_difference(project):
    project.agent("docs", "commit README.md other\npush\nhandoff success")
    project.write_plan(task("docs", pathsAllowed=["docs/**"]))
    assert project.run().code == 0
    shown = project.command("diff", str(project.workspace), "docs", "--name-only").end()
    assert (shown.code, shown.out) == (0, "README.md\n"), shown.said
    assert "README.md (outside pathsAllowed)" in shown.err
