import json
import os

import pytest
from jsonschema import Draft202012Validator

from orchestrate.cli.main import main
from orchestrate.model.checking import check_plan
from tests.support.repositories import git, make_remote


@pytest.fixture(autouse=True)
def plain_git(monkeypatch):
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A clone with a remote at an address that a plan can name."""
    remote = make_remote(tmp_path / "remote.git")
    git("clone", "--quiet", remote.url, "clone", at=tmp_path)
    git("remote", "set-url", "origin", "https://ada:secret@git.example.org/team/shop.git", at=tmp_path / "clone")
    monkeypatch.chdir(tmp_path / "clone")
    return tmp_path / "clone"


def test_a_plan_is_written_with_its_schema_and_told_what_to_type(repository, capsys):
    assert main(["init", "--goal", "Dates are read."]) == 0
    path = repository / ".orchestrate" / "dates-are-read" / "plan.json"
    plan = json.loads(path.read_text())
    assert (plan["repoUrl"], plan["baseBranch"]) == ("https://git.example.org/team/shop.git", "main")
    assert check_plan(path.read_bytes()) == []
    schema = json.loads((path.parent / plan["$schema"]).read_text())
    Draft202012Validator(schema).validate(plan)
    out, err = capsys.readouterr()
    assert err == ""
    head, *rest = out.splitlines()
    assert head.startswith(".orchestrate/dates-are-read/plan.json: 1 task, from main of https://git.example.org")
    assert "secret" not in out
    assert any(line.endswith("run .orchestrate/dates-are-read --runtime cloud --dry-run") for line in rest)


def test_every_line_that_is_proposed_can_be_typed(repository, capsys):
    assert main(["init", "--goal", "Dates are read."]) == 0
    lines = capsys.readouterr().out.splitlines()
    check = next(line for line in lines if line.startswith("  check"))
    read = next(line for line in lines if line.startswith("  read"))
    assert main(check.split()[check.split().index("validate") :]) == 0
    assert main(read.split()[read.split().index("prompt") :]) == 0


def test_a_plan_that_exists_is_left_as_it_is(repository, capsys):
    assert main(["init", "--goal", "Dates are read.", "--slug", "dates"]) == 0
    path = repository / ".orchestrate" / "dates" / "plan.json"
    path.write_text("mine")
    assert main(["init", "--goal", "Another goal", "--slug", "dates"]) == 2
    assert path.read_text() == "mine"
    assert "exists already" in capsys.readouterr().err


def test_a_schema_that_is_there_is_kept(repository, tmp_path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "plan.schema.json").write_text("mine")
    assert main(["init", "--goal", "x", "--dir", str(folder)]) == 0
    assert (folder / "plan.schema.json").read_text() == "mine"


def test_a_dry_run_prints_the_plan_and_writes_nothing(repository, capsys):
    assert main(["init", "--goal", "Dates are read.", "--task", "a", "--task", "b", "--dry-run"]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert [task["name"] for task in plan["tasks"]] == ["a", "b"]
    assert not (repository / ".orchestrate").exists()


def test_one_object_for_programs(repository, capsys):
    assert main(["init", "--goal", "Dates are read.", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["path"], found["isWritten"]) == (".orchestrate/dates-are-read/plan.json", True)
    assert main(["init", "--goal", "Other", "--json", "-n"]) == 0
    assert json.loads(capsys.readouterr().out)["isWritten"] is False


def test_a_repository_without_a_remote_gets_a_local_plan(tmp_path, monkeypatch, capsys):
    git("init", "--quiet", "--initial-branch=trunk", at=tmp_path)
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    assert main(["init", "--goal", "Dates are read."]) == 0
    out, err = capsys.readouterr()
    plan = json.loads((tmp_path / ".orchestrate" / "dates-are-read" / "plan.json").read_text())
    assert (plan["repoUrl"], plan["baseBranch"], plan["runtime"]) == ("../..", "trunk", {"kind": "local"})
    assert "no commit yet" in err
    assert "validate ../.orchestrate/dates-are-read\n" in out
    assert "--agent-command PROGRAM\n" in out


def test_a_remote_that_no_plan_can_name_is_told(repository, capsys):
    git("remote", "set-url", "origin", "http://localhost:3000/x", at=repository)
    assert main(["init", "--goal", "Dates are read.", "--json"]) == 0
    out, err = capsys.readouterr()
    assert "origin" in json.loads(out)["attention"][0]
    assert err.startswith("attention: ")


def test_a_goal_that_holds_a_secret_is_told(repository, capsys):
    assert main(["init", "--goal", f"Use ghp_{'a' * 36}", "--slug", "x"]) == 0
    assert "looks like a GitHub token" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--goal", " "], "must not be empty"),
        (["--goal", "x", "--slug", "../x"], "kebab-case"),
        (["--goal", "x", "--task", "Two Words"], "two-words"),
        (["--goal", "x", "--task", "a", "--task", "a"], "duplicate task name"),
        ([], "--goal"),
    ],
)
def test_what_would_be_no_plan_is_not_written(repository, words, told, capsys):
    assert main(["init", *words]) == 2
    assert told in capsys.readouterr().err
    assert not (repository / ".orchestrate").exists()


def test_outside_a_repository_nothing_is_written(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["init", "--goal", "x"]) == 2
    assert "in no git repository" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_without_git_nothing_is_written(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["init", "--goal", "x"]) == 2
    assert "git was not found" in capsys.readouterr().err


def test_a_place_that_cannot_be_written_is_told(repository, capsys):
    (repository / "file").write_text("")
    assert main(["init", "--goal", "x", "--dir", "file/below"]) == 2
    assert "cannot be written" in capsys.readouterr().err
