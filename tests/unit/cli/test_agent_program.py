"""The agent program: split, found and made absolute, or refused in words."""

import os
import sys
from pathlib import Path

import pytest

from orchestrate.cli.agent_program import local_agent
from orchestrate.errors import InputRefused
from orchestrate.model.plan import Plan
from orchestrate.model.wire import LocalAgent
from tests.support.builders import a_plan

PYTHON = Path(sys.executable).name


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The plan's folder, with a program and a script in it."""
    (tmp_path / "agent").write_text("#!/bin/sh\n")
    (tmp_path / "agent").chmod(0o755)
    (tmp_path / "script.py").write_text("")
    return tmp_path


def plan_with(**agent: object) -> Plan:
    return a_plan(runtime={"kind": "local", "agent": agent} if agent else {"kind": "local"})


def found(plan: Plan, folder: Path, command: str | None = None, *, current: Path | None = None) -> LocalAgent:
    return local_agent(
        command,
        plan=plan,
        folder=folder,
        current=current or folder,
        search_path=f"{Path(sys.executable).parent}{os.pathsep}{folder}",
    )


@pytest.mark.parametrize(
    ("command", "rest"),
    [
        ([PYTHON, "script.py", "script.py"], ("{folder}/script.py", "script.py")),
        ([PYTHON, "-u", "script.py"], ("-u", "{folder}/script.py")),
        ([PYTHON, "-m", "script.py"], ("-m", "script.py")),
        ([PYTHON, "-c", "script.py"], ("-c", "script.py")),
        ([PYTHON, "missing.py", "script.py"], ("missing.py", "script.py")),
        ([PYTHON], ()),
        (["agent", "script.py"], ("script.py",)),
    ],
)
def test_only_an_interpreters_script_is_made_absolute(folder: Path, command, rest) -> None:
    agent = found(plan_with(command=command), folder)

    assert agent.command[1:] == tuple(word.format(folder=folder) for word in rest)
    assert Path(agent.command[0]).is_absolute()


def test_a_symlink_is_not_resolved(folder: Path) -> None:
    (folder / "python-of-a-venv").symlink_to(sys.executable)

    assert found(plan_with(command=["./python-of-a-venv"]), folder).command == (str(folder / "python-of-a-venv"),)


def test_the_flag_is_relative_to_where_it_was_typed(folder: Path) -> None:
    current = folder / "elsewhere"
    current.mkdir()

    assert found(plan_with(), folder, "../agent 'two words'", current=current).command == (
        str(folder / "agent"),
        "two words",
    )


def test_the_flag_replaces_the_plans_program_and_keeps_its_habits(folder: Path) -> None:
    plan = plan_with(name="null", passEnv=["KEY"], promptVia="file", timeoutSec=5)

    agent = found(plan, folder, "./agent")

    assert agent == LocalAgent(command=(str(folder / "agent"),), pass_env=("KEY",), prompt_via="file", timeout_sec=5)


def test_a_built_in_runner_has_no_command(folder: Path) -> None:
    assert found(plan_with(name="scripted", timeoutSec=5), folder) == LocalAgent(runner="scripted", timeout_sec=5)


@pytest.mark.parametrize(
    ("command", "message", "hint"),
    [
        ("nowhere", '"nowhere" is not on the PATH', "install it, or give its whole path"),
        ("script.py", '"script.py" is not on the PATH', "write ./script.py, or its whole path"),
        ("./script.py", '"./script.py" is not executable', "chmod +x {folder}/script.py"),
        ("./nowhere", '"./nowhere" does not exist', "it was looked for at {folder}/nowhere"),
        (".//", '".//" is a folder', "name the program in it"),
    ],
)
def test_a_program_that_cannot_be_run_is_refused_with_what_to_do(folder: Path, command, message, hint) -> None:
    with pytest.raises(InputRefused) as refused:
        found(plan_with(), folder, command)

    assert refused.value.message == f"--agent-command: {message}. Nothing was launched."
    assert refused.value.hint == hint.format(folder=folder)


@pytest.mark.parametrize(
    ("agent", "command", "message"),
    [
        ({}, None, "no agent program chosen. Nothing was launched."),
        ({"name": "nobody"}, None, 'runtime.agent.name: no agent program "nobody" is known. Nothing was launched.'),
        ({"command": ["./gone"]}, None, 'runtime.agent.command: "./gone" does not exist. Nothing was launched.'),
        ({}, "", "--agent-command is empty. Nothing was launched."),
        ({}, '"', "--agent-command cannot be split: no closing quotation. Nothing was launched."),
        ({}, "sh a\0b", "--agent-command holds a NUL. Nothing was launched."),
    ],
)
def test_what_names_no_program_is_refused(folder: Path, agent, command, message) -> None:
    with pytest.raises(InputRefused) as refused:
        found(plan_with(**agent), folder, command)

    assert refused.value.message == message
