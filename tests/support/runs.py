"""``python -m orchestrate`` as a user has it: a real process, its own state folder, real repositories and agents.

::

    from tests.support.runs import project, machine     # pytest fixtures

    def test_x(project):
        project.agent("build", "commit one.txt; handoff success")
        project.write_plan(task("build"))
        done = project.run()
        assert done.code == 0, done.err

``machine`` is one user's machine for a whole test module: one state folder, so one local server for all its runs.
``project`` is a repository with a workspace on it. An agent is a piece of shell, written for its task; it may use::

    commit FILE [TEXT]             a commit on the branch that is checked out
    push                           push that branch
    handoff STATUS [BRANCH] [VERIFICATION]
    wait_at GATE                   until the test calls ``project.open_gate(GATE)``

What each agent was told and how often it was launched is in ``project.prompt(task)`` and ``project.launches(task)``.
"""

import errno
import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from orchestrate.server.discovery import read_server_file
from orchestrate.server.serve import stop_server
from tests.support.repositories import Remote, make_remote
from tests.support.server import wait_until

SOURCES = Path(__file__).resolve().parents[2]
SLUG = "demo"
#: No run of these tests takes this long; only a hanging one does.
_PATIENCE_SECONDS = 120

_DISPATCH = """\
here={here}
echo "$$" >> "$here/launched/$ORCHESTRATE_TASK"
cat > "$here/prompts/$ORCHESTRATE_TASK.part"
mv "$here/prompts/$ORCHESTRATE_TASK.part" "$here/prompts/$ORCHESTRATE_TASK"
commit() {{ echo "${{2:-text}}" > "$1"; git add -- "$1"; git commit -qm "add $1"; }}
push() {{ git push -q origin HEAD; }}
branch() {{ git symbolic-ref --short HEAD; }}
wait_at() {{ read -r _ < "$here/gates/$1"; }}
handoff() {{
    printf '## Status\\n%s\\n\\n## Branch\\n%s\\n\\n## What I did\\nit\\n\\n## Measurements\\n(none)\\n\\n' \\
        "$1" "${{2:-$(branch)}}"
    printf '## Verification\\n%s\\n\\n## Notes, concerns, deviations, findings, thoughts, feedback\\n(none)\\n\\n' \\
        "${{3:-not-verified}}"
    printf '## Suggested follow-ups\\n(none)\\n'
}}
. "$here/agents/$ORCHESTRATE_TASK.sh"
"""


def task(name: str, **fields: object) -> dict[str, object]:
    """A worker of a plan."""
    return {"name": name, "type": "worker", "scopedGoal": f"do {name}", **fields}


@dataclass(frozen=True)
class Done:
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str

    def json(self) -> dict:
        """The one object on stdout."""
        assert self.out.endswith("}\n"), (self.out, self.err)
        assert self.out.count("\n") == 1, self.out
        return json.loads(self.out)

    @property
    def said(self) -> str:
        """Both streams, for messages of failed tests."""
        return f"exit {self.code}\n{self.out}\n{self.err}"


class Command:
    """A command that runs still."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    @property
    def pid(self) -> int:
        return self.process.pid

    def send(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def end(self) -> Done:
        """Its end; a command that does not end fails the test."""
        try:
            out, err = self.process.communicate(timeout=_PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            out, err = self.process.communicate()
            pytest.fail(f"it did not end\n{out}\n{err}")
        return Done(self.process.returncode, out, err)


@dataclass(frozen=True)
class Machine:
    """One user's machine: a home, a state folder, and the local server in it."""

    home: Path

    @property
    def server_folder(self) -> Path:
        return self.home / "state" / "orchestrate" / "server"

    @property
    def server_pid(self) -> int | None:
        """The process of the server that started last; None while a new one has not said so yet."""
        file = read_server_file(self.server_folder)
        return None if file is None else file.pid

    def environment(self, extra: Mapping[str, str | None]) -> dict[str, str]:
        """A shell's environment without anything of whoever runs the tests; None takes a variable out."""
        variables: dict[str, str | None] = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "XDG_STATE_HOME": str(self.home / "state"),
            "PYTHONPATH": str(SOURCES),
            "GIT_AUTHOR_NAME": "Agent",
            "GIT_AUTHOR_EMAIL": "agent@example.com",
            "GIT_COMMITTER_NAME": "Agent",
            "GIT_COMMITTER_EMAIL": "agent@example.com",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            **extra,
        }
        return {name: value for name, value in variables.items() if value is not None}

    def kill_server(self) -> None:
        """End the local server without any chance to clean up."""
        pid = self.server_pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)


@dataclass(frozen=True)
class Project:
    """A repository, a workspace with a plan on it, and agents."""

    machine: Machine
    folder: Path
    remote: Remote
    #: Read by every later command; for what a test wants to differ in.
    variables: dict[str, str | None] = field(default_factory=dict)
    #: Every command that was started here.
    commands: list[Command] = field(default_factory=list)

    @property
    def workspace(self) -> Path:
        return self.folder / "workspace"

    @property
    def plan_path(self) -> Path:
        return self.workspace / "plan.json"

    @property
    def agent_command(self) -> list[str]:
        return ["/bin/sh", str(self.folder / "dispatch.sh")]

    def agent(self, name: str, script: str) -> None:
        """What the agent of this task does."""
        (self.folder / "agents" / f"{name}.sh").write_text(f"{script}\n", encoding="utf-8")

    def write_plan(self, *tasks: dict[str, object], **fields: object) -> Path:
        """The plan with these tasks; the default agent of a task hands off with success and pushes nothing."""
        plan = {
            "goal": "the goal",
            "rootSlug": SLUG,
            "baseBranch": "main",
            "repoUrl": self.remote.url,
            "runtime": {"kind": "local", "agent": {"command": self.agent_command}},
            "tasks": list(tasks),
            **fields,
        }
        for each in tasks:
            if not (self.folder / "agents" / f"{each['name']}.sh").exists():
                self.agent(str(each["name"]), "handoff success '(none)'")
        self.plan_path.write_text(json.dumps({key: value for key, value in plan.items() if value is not None}))
        return self.plan_path

    def run(self, *arguments: str, **options: object) -> Done:
        """``run PLAN`` to its end."""
        return self.start(*arguments, **options).end()

    def start(self, *arguments: str, plan: str | Path | None = None, **options: object) -> Command:
        """``run PLAN``, not waited for."""
        return self.command("run", str(plan or self.workspace), *arguments, **options)

    def command(
        self,
        *arguments: str,
        environment: Mapping[str, str | None] | None = None,
        at: Path | None = None,
        prefix: tuple[str, ...] = (),
    ) -> Command:
        """``python -m orchestrate`` with these arguments; ``prefix`` runs it."""
        process = subprocess.Popen(
            [*prefix, sys.executable, "-m", "orchestrate", *arguments],
            cwd=at or self.folder,
            env=self.machine.environment({**self.variables, **(environment or {})}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="surrogateescape",
        )
        self.commands.append(Command(process))
        return self.commands[-1]

    def state(self) -> dict:
        """``state.json``."""
        return json.loads((self.workspace / "state.json").read_bytes())

    def rows(self) -> dict[str, dict]:
        """The rows of ``state.json`` by task."""
        return {row["name"]: row for row in self.state()["tasks"]}

    def statuses(self) -> dict[str, str]:
        """The status of each task in ``state.json``."""
        return {name: row["status"] for name, row in self.rows().items()}

    def attention(self) -> str:
        """All lines for the operator."""
        path = self.workspace / "attention.log"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def file(self, name: str) -> str:
        """A file of the workspace."""
        return (self.workspace / name).read_text(encoding="utf-8")

    def journal(self) -> list[dict]:
        """The records of the journal."""
        return [json.loads(line) for line in self.file("journal.jsonl").splitlines()]

    def is_at_work(self, name: str) -> bool:
        """Whether the latest agent of this task lives."""
        return _is_running(self.agent_pid(name), of=self.folder)

    def launches(self, name: str) -> int:
        """How often an agent of this task was started."""
        path = self.folder / "launched" / name
        return len(path.read_text().split()) if path.exists() else 0

    def agent_pid(self, name: str) -> int:
        """The process of the latest agent of this task."""
        return int((self.folder / "launched" / name).read_text().split()[-1])

    def prompt(self, name: str) -> str:
        """What the latest agent of this task was told."""
        return (self.folder / "prompts" / name).read_text(encoding="utf-8")

    def wait_until_works(self, *names: str) -> None:
        """Until agents of these tasks have begun."""
        for name in names:
            wait_until(lambda name=name: self.launches(name) > 0, what=f"the agent of {name}", seconds=60)

    def wait_until_row(self, name: str, **wanted: object) -> None:
        """Until the row of this task says so in ``state.json``."""

        def is_so() -> bool:
            with suppress(FileNotFoundError, json.JSONDecodeError, KeyError):
                row = self.rows()[name]
                return all(row.get(key) == value for key, value in wanted.items())
            return False

        wait_until(is_so, what=f"{name} to be {wanted}", seconds=60)

    def wait_until_attention(self, words: str) -> None:
        """Until an operator was told so."""
        wait_until(lambda: words in self.attention(), what=f"attention: {words}", seconds=60)

    def make_gate(self, gate: str) -> str:
        """A place where agents wait; the shell that waits there."""
        os.mkfifo(self.folder / "gates" / gate)
        return f"wait_at {gate}"

    def open_gate(self, gate: str) -> None:
        """Let the agent go on that waits, or soon will wait, at this gate."""
        path = self.folder / "gates" / gate
        wait_until(lambda: _was_let_through(path), what=f"an agent at {gate}", seconds=60)

    def end_all(self) -> None:
        """Leave no command and no agent behind that waits for ever."""
        for command in self.commands:
            if command.process.returncode is None:
                command.process.kill()
                command.process.communicate()
        for launched in (self.folder / "launched").iterdir():
            for pid in launched.read_text().split():
                if _is_running(int(pid), of=self.folder):
                    with suppress(ProcessLookupError):
                        os.killpg(int(pid), signal.SIGKILL)


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """One machine for the tests of a module."""
    machine = Machine(tmp_path_factory.mktemp("machine"))
    yield machine
    stop_server(machine.server_folder)


@pytest.fixture
def project(machine: Machine, tmp_path: Path) -> Iterator[Project]:
    """A project on that machine."""
    with project_in(tmp_path, machine) as project:
        yield project


@contextmanager
def project_in(folder: Path, machine: Machine) -> Iterator[Project]:
    """A project in this folder; its agents are ended at the end."""
    for name in ("agents", "launched", "prompts", "gates", "workspace"):
        (folder / name).mkdir()
    (folder / "dispatch.sh").write_text(_DISPATCH.format(here=shlex.quote(str(folder))), encoding="utf-8")
    project = Project(machine, folder, make_remote(folder / "remote.git"))
    try:
        yield project
    finally:
        project.end_all()


def _was_let_through(path: Path) -> bool:
    """Write a line to whoever reads there; False while nobody does."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    except OSError as error:
        if error.errno != errno.ENXIO:
            raise
        return False
    os.write(descriptor, b"go\n")
    os.close(descriptor)
    return True


def _is_running(pid: int, *, of: Path) -> bool:
    """Whether that process is an agent of this project, not another one with its number."""
    try:
        return str(of).encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


__all__ = ["SLUG", "Command", "Done", "Machine", "Project", "machine", "project", "project_in", "task"]
