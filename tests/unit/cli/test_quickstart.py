import argparse
import shlex
import sys
from pathlib import Path

import pytest

from orchestrate.cli.quickstart import _closing, _opening, _options_of, _run_command, _shortest


@pytest.fixture
def current(tmp_path, monkeypatch):
    folder = tmp_path / "a folder"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("orchestrate-quickstart/project", "orchestrate-quickstart/project"),
        ("project", "./project"),  # a bare name would be looked up on the PATH
        ("-x/project", "./-x/project"),  # else an option
        ("../other", "../other"),
    ],
)
def test_paths_are_shown_as_they_are_typed(current, path, shown):
    assert _shortest(current / path) == shown


def test_a_path_that_is_shorter_as_a_whole_is_shown_whole(current):
    assert _shortest(Path("/x")) == "/x"


def test_the_command_uses_the_python_that_runs_and_asks_nothing(current):
    command = _run_command(current / "it's" / "project")

    assert (current / command[0]).resolve() == Path(sys.executable).resolve()
    assert command[1:] == ["-m", "orchestrate", "run", "it's/project", "--runtime", "local", "--yes"]


def test_the_command_is_shown_as_a_shell_reads_it(current):
    command = _run_command(current / "it's" / "project")

    (line,) = [line for line in _opening(current / "it's", command) if line.startswith("$ ")]

    assert shlex.split(line)[1:] == command


def test_what_to_type_next_after_a_run_that_finished(current):
    lines = _closing("orchestrate", current / "q s" / "project", ["the", "run"], status=0)

    assert lines == [
        "",
        "  look   orchestrate status 'q s/project'",
        "  read   orchestrate handoff 'q s/project' verify-basket",
        '  yours  orchestrate init --goal "..."; README.md, "On your repository", goes on from there',
    ]


def test_a_run_that_did_not_finish_can_be_gone_on_with(current):
    lines = _closing("orchestrate", current / "q" / "project", ["python", "-m", "orchestrate", "run"], status=130)

    assert lines == ["", "  look   orchestrate status q/project", "  go on  python -m orchestrate run"]


@pytest.mark.parametrize(
    ("given", "handed_on"),
    [
        ({}, []),
        ({"quiet": True, "plain": True}, ["--quiet", "--plain"]),
        ({"color": "never", "verbose": 2}, ["--color", "never", "--verbose", "--verbose"]),
        ({"env_file": Path("a b")}, ["--env-file", "a b"]),
    ],
)
def test_options_that_every_verb_has_are_handed_on(given, handed_on):
    absent = {"quiet": False, "plain": False, "color": "auto", "verbose": 0, "env_file": None}

    assert _options_of(argparse.Namespace(**{**absent, **given})) == handed_on
