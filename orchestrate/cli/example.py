"""The project of an example: a real repository, a bare remote and a workspace, all in one folder.

The quickstart's has a bug in it.

::

    project/      a clone of remote.git; the workspace is .orchestrate/SLUG in it
    remote.git/   what agents clone and push to
    agent.py      the agent program that the plan names
"""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

from orchestrate.errors import InputRefused
from orchestrate.shipped import shipped
from orchestrate.system import run_to_end

DEFAULT_FOLDER = "orchestrate-quickstart"
#: Nothing of the user's git set-up has a say in the example.
_GIT = (
    "git",
    *("-c", "user.name=Quickstart"),
    *("-c", "user.email=quickstart@example.invalid"),
    *("-c", "commit.gpgsign=false"),
    *("-c", "core.hooksPath=/dev/null"),
)


def require_git(environment: Mapping[str, str]) -> None:
    """Refuse a machine without git before anything is made on it."""
    if shutil.which("git", path=environment.get("PATH", "")) is None:
        raise InputRefused("git was not found; the quickstart needs it. Nothing was made.", hint="install git")


def fresh_folder(current: Path) -> Path:
    """A new folder in the current one: ``orchestrate-quickstart``, or that name with the first free number."""
    number = 1
    while True:
        folder = current / (DEFAULT_FOLDER if number == 1 else f"{DEFAULT_FOLDER}-{number}")
        try:
            folder.mkdir()
        except FileExistsError:
            number += 1
        except OSError as error:
            raise _cannot_be_made(folder, error) from error
        else:
            return folder


def named_folder(folder: Path) -> Path:
    """The folder of that name, made now or empty; one with something in it is refused."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        is_empty = next(folder.iterdir(), None) is None
    except OSError as error:
        raise _cannot_be_made(folder, error) from error
    if not is_empty:
        raise InputRefused(f"{folder} is not empty. Nothing was made.", hint="name a folder that does not exist yet")
    return folder


def make_example(folder: Path, *, python: str, environment: Mapping[str, str], name: str = "quickstart") -> Path:
    """Fill the folder and answer the project, which holds one workspace; agents run under that Python."""
    source = shipped("examples") / name
    project = folder / "project"
    try:
        _copy(source / "project", project)
        (folder / "agent.py").write_bytes((source / "agent.py").read_bytes())
        _make_repository(folder, project, environment=environment)
        _make_workspace(project, source=source, python=python)
    except OSError as error:
        raise _cannot_be_made(folder, error) from error
    return project


def _copy(source: Path, target: Path) -> None:
    """Copy contents only: permissions of an installation have no place in a project."""
    target.mkdir()
    for path in sorted(source.iterdir()):
        if path.name == "__pycache__":
            continue
        if path.is_dir():
            _copy(path, target / path.name)
        else:
            (target / path.name).write_bytes(path.read_bytes())


def _make_repository(folder: Path, project: Path, *, environment: Mapping[str, str]) -> None:
    steps = (
        (folder, "init", "--quiet", "--bare", "--initial-branch=main", "remote.git"),
        (project, "init", "--quiet", "--initial-branch=main"),
        (project, "add", "--all"),
        (project, "commit", "--quiet", "--message", "Begin"),
        (project, "remote", "add", "origin", "../remote.git"),
        (project, "push", "--quiet", "--set-upstream", "origin", "main"),
    )
    for place, *arguments in steps:
        _git(place, arguments, environment=environment)


def _git(place: Path, arguments: list[str], *, environment: Mapping[str, str]) -> None:
    untouched = {name: value for name, value in environment.items() if not name.startswith("GIT_")}
    status, output = run_to_end([*_GIT, *arguments], cwd=place, env=untouched)
    if status != 0:
        raise InputRefused(f"git {arguments[0]} failed in {place}: {output.strip()}")


def _make_workspace(project: Path, *, source: Path, python: str) -> None:
    plan = json.loads((source / "plan.json").read_text(encoding="utf-8"))
    plan["runtime"]["agent"]["command"][0] = python
    workspace = project / ".orchestrate" / str(plan["rootSlug"])
    workspace.mkdir(parents=True)
    text = json.dumps(plan, indent=2, ensure_ascii=False)
    (workspace / "plan.json").write_text(f"{text}\n", encoding="utf-8")


def _cannot_be_made(folder: Path, error: OSError) -> InputRefused:
    return InputRefused(f"{folder} cannot be made: {error.strerror or error}.", hint="name another folder with --dir")
