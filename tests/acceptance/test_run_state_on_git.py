"""A run in a user's clone keeps its state on the remote, and leaves the clone alone."""

import json

import pytest

from tests.support.repositories import git
from tests.support.runs import Project, machine, project, task

__all__ = ["machine", "project"]

pytestmark = pytest.mark.slow

BRANCH = "orch-state/demo"
FOLDER = ".orchestrate/demo"


class InClone(Project):
    """The workspace is in a clone."""

    @property
    def workspace(self):
        return self.folder / "clone" / FOLDER


@pytest.fixture
def cloned(project) -> InClone:
    git("clone", "--quiet", project.remote.url, "clone", at=project.folder)
    found = InClone(**{name: getattr(project, name) for name in ("machine", "folder", "remote", "variables")})
    found.workspace.mkdir(parents=True)
    return found


def test_the_state_with_all_handoffs_is_on_its_branch_when_the_run_is_over(cloned):
    clone = cloned.folder / "clone"
    (clone / "staged.txt").write_text("mine\n")
    git("add", "staged.txt", at=clone)
    hook = clone / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    cloned.write_plan(task("one"), task("two", dependsOn=["one"]))
    before = git("ls-files", "--stage", at=clone), git("log", "--format=%H", at=clone)
    done = cloned.run()
    assert done.code == 0, done.said
    assert (git("ls-files", "--stage", at=clone), git("log", "--format=%H", at=clone)) == before
    state = json.loads(cloned.remote.read(BRANCH, f"{FOLDER}/state.json"))
    assert {row["name"]: row["status"] for row in state["tasks"]} == {"one": "handed-off", "two": "handed-off"}
    names = git("ls-tree", "-r", "--name-only", BRANCH, at=cloned.remote.path).split()
    assert f"{FOLDER}/handoffs/two.md" in names
    assert not [name for name in names if name.split("/")[2] in ("raw", "requests", "journal.jsonl", "inbox")]


def test_a_remote_that_takes_no_states_is_told_in_status_and_the_run_is_done(cloned):
    hook = cloned.remote.path / "hooks" / "update"
    hook.write_text("#!/bin/sh\ncase $1 in refs/heads/orch-state/*) exit 1 ;; esac\n")
    hook.chmod(0o755)
    cloned.write_plan(task("one"))
    assert cloned.run().code == 0
    found = cloned.command("status", str(cloned.workspace), "--json").end().json()
    assert found["unpublished"]["ref"] == BRANCH
    assert "hook declined" in found["unpublished"]["reason"]


def test_a_plan_may_want_none_of_it(cloned):
    cloned.write_plan(task("one"), syncStateToGit=False)
    assert cloned.run().code == 0
    assert BRANCH not in cloned.remote.heads()
