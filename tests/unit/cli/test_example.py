import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrate.cli.example import fresh_folder, make_example, named_folder, require_git
from orchestrate.errors import InputRefused
from orchestrate.model.checking import parse_plan

ENVIRONMENT = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}


def git(place: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=place, env=ENVIRONMENT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_each_call_has_a_folder_of_its_own(tmp_path):
    made = [fresh_folder(tmp_path) for _ in range(3)]

    names = ["orchestrate-quickstart", "orchestrate-quickstart-2", "orchestrate-quickstart-3"]
    assert [folder.name for folder in made] == names
    assert all(folder.is_dir() for folder in made)


def test_a_named_folder_may_be_new_or_empty(tmp_path):
    named_folder(tmp_path / "a" / "b")
    named_folder(tmp_path / "a" / "b")

    assert (tmp_path / "a" / "b").is_dir()


def test_a_folder_with_something_in_it_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")

    with pytest.raises(InputRefused, match=r"is not empty\. Nothing was made"):
        named_folder(tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_file_in_the_place_of_the_folder_is_told(tmp_path):
    (tmp_path / "file").write_text("")

    with pytest.raises(InputRefused, match="cannot be made"):
        named_folder(tmp_path / "file")


def test_the_project_is_a_clone_of_a_bare_remote_with_a_workspace_that_git_ignores(tmp_path):
    project = make_example(tmp_path, python=sys.executable, environment=ENVIRONMENT)

    assert git(tmp_path / "remote.git", "rev-parse", "--is-bare-repository") == "true"
    assert git(tmp_path / "remote.git", "rev-parse", "main") == git(project, "rev-parse", "HEAD")
    assert git(project, "status", "--porcelain") == ""
    assert (project / ".orchestrate" / "basket" / "plan.json").is_file()


def test_the_plan_is_sound_and_names_the_python_that_made_it(tmp_path):
    project = make_example(tmp_path, python="/usr/bin/python of ours", environment=ENVIRONMENT)
    source = (project / ".orchestrate" / "basket" / "plan.json").read_bytes()

    plan, warnings = parse_plan(source)

    assert warnings == []
    assert json.loads(source)["runtime"]["agent"]["command"] == ["/usr/bin/python of ours", "../../../agent.py"]
    assert {task.name: task.depends_on for task in plan.tasks} == {
        "fix-quantity": (),
        "add-receipt": (),
        "merge-basket": ("fix-quantity", "add-receipt"),
        "verify-basket": ("merge-basket",),
    }


def test_the_test_suite_of_the_project_has_just_the_one_failure(tmp_path):
    project = make_example(tmp_path, python=sys.executable, environment=ENVIRONMENT)

    suite = subprocess.run(
        [sys.executable, "-B", "-m", "unittest"], cwd=project, capture_output=True, text=True, check=False
    )

    assert "Ran 3 tests" in suite.stderr
    assert "FAILED (failures=1)" in suite.stderr
    assert "test_the_quantity_counts" in suite.stderr


def test_the_users_own_git_has_no_say(tmp_path):
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    hook = hooks / "pre-commit"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(hook.stat().st_mode | stat.S_IXUSR)
    (tmp_path / ".gitconfig").write_text(f"[core]\nhooksPath = {hooks}\n[commit]\ngpgsign = true\n")
    folder = named_folder(tmp_path / "here")

    make_example(
        folder, python=sys.executable, environment={**ENVIRONMENT, "HOME": str(tmp_path), "GIT_DIR": "/nonexistent"}
    )

    assert git(folder / "remote.git", "log", "--format=%an", "main") == "Quickstart"


def test_a_machine_without_git_is_told(tmp_path):
    require_git(ENVIRONMENT)

    with pytest.raises(InputRefused, match="git was not found"):
        require_git({"PATH": str(tmp_path)})
