import json
import os

import pytest

from orchestrate.cli.main import main
from orchestrate.cli.settings import Streams
from orchestrate.model.vocabulary import TaskStatus
from tests.support.builders import a_handed_off_row, a_row, a_running_row, a_task
from tests.support.repositories import make_remote
from tests.support.workspaces import a_plan_document, write_plan, write_state

PATCH = b"diff --git a/docs.md b/docs.md\n"


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    """A workspace whose task pushed a branch with two files."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    remote = make_remote(tmp_path / "remote.git")
    remote.commit("cursor/a-1f2a", {"docs.md": "one\ttwo\x1b[31m\n", "src.py": "x = 1\n"})
    folder = tmp_path / "work"
    task = a_task("a", pathsAllowed=["src*"])
    write_plan(folder, a_plan_document(task, a_task("b"), repoUrl="../remote.git", runtime={"kind": "local"}))
    write_state(folder, [a_handed_off_row("a"), a_row("b")])
    return folder


def test_the_patch_is_verbatim_in_a_pipe(workspace, capfdbinary):
    assert main(["diff", str(workspace), "a"]) == 0
    out, err = capfdbinary.readouterr()
    assert out.startswith(PATCH)
    assert b"+one\ttwo\x1b[31m\n" in out
    assert err.splitlines() == [
        b"attention: a changed a file that the plan does not give it.",
        b"  known  docs.md (outside pathsAllowed)",
    ]


def test_a_terminal_sees_it_escaped(workspace, capsys, monkeypatch):
    monkeypatch.setattr("orchestrate.cli.settings._own_streams", lambda: Streams(stdout_is_terminal=True))
    assert main(["diff", str(workspace), "a", "-q", "--color", "always"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "\x1b[34m+one    two\\x1b[31m\x1b[0m\n" in out
    assert main(["diff", str(workspace), "a", "--color", "never"]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_files_alone_or_with_counts(workspace, capfdbinary):
    assert main(["diff", str(workspace), "a", "--name-only"]) == 0
    assert capfdbinary.readouterr().out == b"docs.md\nsrc.py\n"
    assert main(["diff", str(workspace), "a", "--stat"]) == 0
    assert b"2 files changed" in capfdbinary.readouterr().out
    assert main(["diff", str(workspace), "a", "--stat", "--name-only"]) == 2


def test_one_object_for_programs(workspace, capsys):
    assert main(["diff", str(workspace), "a", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["files"] == ["docs.md", "src.py"]
    assert found["pathsNotKept"] == [{"path": "docs.md", "rule": "not-allowed"}]
    assert (found["branch"], found["startingRef"]) == ("cursor/a-1f2a", "main")


def test_a_forbidden_file_names_its_pattern(workspace, tmp_path, capsys):
    document = a_plan_document(a_task("a", pathsForbidden=["**"]), repoUrl="../remote.git", runtime={"kind": "local"})
    write_plan(workspace, document)
    assert main(["diff", str(workspace), "a", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["pathsNotKept"][0]["pattern"] == "**"
    assert err.startswith("attention: a changed 2 files")


def test_a_task_outside_the_plan_has_no_paths_to_keep(workspace, capsys):
    write_plan(workspace, a_plan_document(a_task("b"), repoUrl="../remote.git", runtime={"kind": "local"}))
    assert main(["diff", str(workspace), "a", "--name-only"]) == 0
    assert capsys.readouterr().err == ""


def test_a_merged_branch_is_told(workspace, capsys):
    write_state(workspace, [a_handed_off_row("a", branch="release", pushed=True, starting_ref="cursor/a-1f2a")])
    remote = workspace.parent / "remote.git"
    os.system(f"git -C {remote} branch release main")
    assert main(["diff", str(workspace), "a"]) == 0
    out, err = capsys.readouterr()
    assert (out, err.count("note: release has no commit that cursor/a-1f2a lacks")) == ("", 1)


def test_a_task_in_error_may_have_pushed_something(workspace, capsys):
    write_state(workspace, [a_handed_off_row("a", status=TaskStatus.ERROR)])
    assert main(["diff", str(workspace), "a", "--name-only", "-q"]) == 0
    assert capsys.readouterr().out == "docs.md\nsrc.py\n"


@pytest.mark.parametrize(
    "row",
    [
        a_row("a"),
        a_running_row("a"),
        a_handed_off_row("a", pushed=False),
        a_handed_off_row("a", branch="orch/shop/a"),
        a_handed_off_row("a", branch="main"),
        a_handed_off_row("a", status=TaskStatus.ERROR, branch="orch/shop/a"),
        a_handed_off_row("a", status=TaskStatus.ERROR, branch="see the pull request"),
    ],
    ids=lambda row: f"{row.status} {row.branch}",
)
def test_a_task_that_pushed_nothing_has_nothing_to_show(workspace, row, capsys):
    write_state(workspace, [row])
    assert main(["diff", str(workspace), "a"]) == 2
    assert "a has no branch to look at" in capsys.readouterr().err


def test_a_branch_that_is_gone_is_an_error(workspace, capsys):
    write_state(workspace, [a_handed_off_row("a", branch="cursor/gone")])
    assert main(["diff", str(workspace), "a"]) == 1
    assert "cursor/gone is not on the remote" in capsys.readouterr().err


def test_what_never_ran_and_what_is_no_task_is_refused(workspace, capsys):
    assert main(["diff", str(workspace), "c"]) == 2
    (workspace / "state.json").unlink()
    assert main(["diff", str(workspace), "a"]) == 2
    assert "was never run" in capsys.readouterr().err
