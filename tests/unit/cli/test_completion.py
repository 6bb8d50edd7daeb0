import os
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrate.cli.completion import script
from orchestrate.cli.main import main
from orchestrate.cli.verbs import HIDDEN, VERBS
from tests.support.builders import a_task
from tests.support.workspaces import a_plan_document, write_plan

SHOWN = {verb.name for verb in VERBS if verb.group != HIDDEN}
SOURCES = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def bash(tmp_path_factory):
    """What bash proposes for a line, with the console script on its PATH."""
    folder = tmp_path_factory.mktemp("completion")
    program = folder / "orchestrate"
    program.write_text(f'#!/bin/sh\nPYTHONPATH={SOURCES} exec {sys.executable} -m orchestrate "$@"\n')
    program.chmod(0o755)
    (folder / "completion.bash").write_text(script("bash"))
    write_plan(folder / "work", a_plan_document(a_task("first-task"), a_task("second-task")))

    def proposed(*words: str) -> set[str]:
        lines = [
            "source completion.bash",
            f"COMP_WORDS=({' '.join(words)})",
            f"COMP_CWORD={len(words) - 1}",
            "_shtab_orchestrate",
            'printf "%s\\n" "${COMPREPLY[@]}"',
        ]
        done = subprocess.run(
            ["bash", "--norc", "-c", "\n".join(lines)],
            cwd=folder,
            env={"PATH": f"{folder}:{os.environ['PATH']}", "HOME": str(folder)},
            capture_output=True,
            text=True,
            check=True,
        )
        return set(done.stdout.split())

    return proposed


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_verb_is_in_the_script_of_every_shell(shell, capfdbinary):
    assert main(["completion", shell]) == 0
    out = capfdbinary.readouterr().out.decode()
    assert out == script(shell)
    assert all(name in out for name in SHOWN)
    assert "--max-runtime-sec" in out
    assert out.count("orchestrate _tasks ") == 1


def test_a_shell_that_we_do_not_know_is_refused():
    assert main(["completion", "csh"]) == 2


def test_bash_proposes_verbs(bash):
    assert bash("orchestrate", "''") >= SHOWN
    assert bash("orchestrate", "val") == {"validate"}


def test_bash_proposes_options_and_their_values(bash):
    assert "--max-concurrent" in bash("orchestrate", "run", "--max")
    assert bash("orchestrate", "run", "--runtime", "''") == {"cloud", "local"}
    assert bash("orchestrate", "schema", "''") == {"plan", "state"}


def test_bash_proposes_files_where_a_plan_is_wanted(bash):
    assert bash("orchestrate", "validate", "wor") == {"work"}


def test_bash_proposes_the_tasks_of_the_plan_that_was_typed(bash):
    assert bash("orchestrate", "handoff", "work", "''") == {"first-task", "second-task"}
    assert bash("orchestrate", "handoff", "work", "sec") == {"second-task"}
    assert bash("orchestrate", "wait", "work", "--until", "fir") == {"first-task"}
