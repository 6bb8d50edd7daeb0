"""Surroundings of a transcript: each ``+`` line is a verb and what it needs.

::

    plan {"goal": ""}             the good plan with these fields; null takes one out
    tasks [{"name": "a"}]         the good plan with these tasks, each a worker with a goal
    raw "text" or b"bytes"        plan.json as it is
    file PATH "text" [* N]        a file, its text so often; more PATH "text" goes on, gone PATH takes one away
    folder PATH; pipe PATH; link PATH TARGET; mode 500 PATH
    variable NAME VALUE           a variable; none is there but these, PATH and HOME
    stdin "text"
    repository                    a bare repository, and the plan is a local one on it
    branch NAME                   a further branch of it
    git ARGUMENTS                 git in the folder
    ran                           the workspace after a run in which "one" handed off and "two" ended in error
    runs                          the workspace beside a run: "one" runs
    engine                        an engine holds the workspace's lock
    service [METHOD PATH] STATUS [BODY]   a service answers so; it is the one that commands reach
"""

import ast
import fcntl
import json
import os
import re
import shlex
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path

from orchestrate.model.names import EngineId, TaskName
from orchestrate.model.records import Record
from orchestrate.model.rows import TaskRow, Workspace
from orchestrate.model.vocabulary import FailureMode, TaskStatus
from orchestrate.server.serve import stop_server
from tests.support.answering_service import AnsweringService
from tests.support.builders import SLUG, WORKSPACE, a_handed_off_row, a_row, a_running_row, moment
from tests.support.repositories import Remote, git, make_remote
from tests.support.workspaces import write_journal, write_reply, write_state

#: Nothing leaves this machine.
_NOWHERE = "http://127.0.0.1:9"

PLAN: Mapping[str, object] = {
    "goal": "the goal",
    "rootSlug": SLUG,
    "baseBranch": "main",
    "repoUrl": "https://git.example.org/team/shop.git",
    "tasks": [{"name": "one", "type": "worker", "scopedGoal": "do it"}],
}


class Scene:
    """One folder and what commands find around it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "here"
        self.outside = folder
        home = folder / "home"
        self.variables = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8", "TZ": "UTC"}
        self.variables |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        self.variables["https_proxy"] = _NOWHERE
        self.stdin = b""
        self._service: AnsweringService | None = None
        self._plan: dict[str, object] = dict(PLAN)
        self._ending = ExitStack()

    def __enter__(self) -> "Scene":
        self.folder.mkdir()
        self._write_plan({})
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.close()
        stop_server(self.outside / "home" / ".local" / "state" / "orchestrate" / "server")
        for path in (self.outside, *self.outside.rglob("*")):
            if path.is_dir() and not path.is_symlink():
                path.chmod(0o700)

    def prepare(self, line: str) -> None:
        """Do what a ``+`` line says."""
        verb, _, rest = line.partition(" ")
        self._acts()[verb](rest)

    def places(self) -> list[tuple[str, str]]:
        """What stands in answers by chance, and its name; the longest first."""
        told = [(str(self.folder), "{here}"), (str(self.outside), "{outside}"), (f"pid {os.getpid()}", "pid {pid}")]
        return told if self._service is None else [(self._service.url.removeprefix("http://"), "{service}"), *told]

    def files(self) -> dict[str, bytes]:
        """Every file of the folder; folders and links count by their name."""
        found = {}
        for path in sorted(self.folder.rglob("*")):
            is_plain = path.is_file() and not path.is_symlink()
            found[str(path.relative_to(self.folder))] = path.read_bytes() if is_plain else b""
        return found

    def _acts(self) -> dict[str, Callable[[str], None]]:
        return {
            "plan": lambda text: self._write_plan(json.loads(text)),
            "tasks": self._tasks,
            "raw": lambda text: self._file(f"plan.json {text}"),
            "file": self._file,
            "more": self._more,
            "folder": lambda name: (self.folder / name).mkdir(parents=True),
            "pipe": lambda name: os.mkfifo(self.folder / name),
            "link": self._link,
            "mode": self._mode,
            "gone": lambda name: (self.folder / name).unlink(),
            "variable": self._variable,
            "stdin": self._stdin,
            "repository": self._repository,
            "branch": self._branch,
            "git": lambda text: git(*shlex.split(text), at=self.folder),
            "ran": self._ran,
            "runs": self._runs,
            "engine": self._engine,
            "service": self._service_answers,
        }

    def _write_plan(self, fields: dict[str, object]) -> None:
        self._plan = {key: value for key, value in {**self._plan, **fields}.items() if value is not None}
        (self.folder / "plan.json").write_text(json.dumps(self._plan, indent=1))

    def _tasks(self, text: str) -> None:
        plain = {"type": "worker", "scopedGoal": "do it"}
        self._write_plan({"tasks": [{"name": task["name"], **plain, **task} for task in json.loads(text)]})

    def _file(self, text: str) -> None:
        name, _, content = text.partition(" ")
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_bytes(content))

    def _more(self, text: str) -> None:
        name, _, content = text.partition(" ")
        with (self.folder / name).open("ab") as file:
            file.write(_bytes(content))

    def _link(self, text: str) -> None:
        name, target = shlex.split(text)
        (self.folder / name).symlink_to(target)

    def _mode(self, text: str) -> None:
        mode, name = text.split()
        (self.folder / name).chmod(int(mode, 8))

    def _variable(self, text: str) -> None:
        name, _, value = text.partition(" ")
        self.variables[name] = value.replace("{here}", str(self.folder))

    def _stdin(self, text: str) -> None:
        self.stdin = _bytes(text)

    def _repository(self, _: str) -> None:
        make_remote(self.outside / "remote.git")
        agent = {"command": ["/bin/sh", "-c", "exit 0"]}
        self._write_plan({"repoUrl": "../remote.git", "runtime": {"kind": "local", "agent": agent}})

    def _branch(self, name: str) -> None:
        Remote(self.outside / "remote.git").commit(name, {"file": "text"})

    def _ran(self, _: str) -> None:
        """One task handed off, one went to error, one waits for that."""
        self._tasks('[{"name": "one"}, {"name": "two"}, {"name": "three", "dependsOn": ["two"]}]')
        ended = {"finished_at": moment(60), "result_status": "error", "note": "nothing shows why"}
        error = a_running_row("two", status=TaskStatus.ERROR, failure_mode=FailureMode.UNKNOWN, **ended)
        self._was_left_with(a_handed_off_row("one"), error, a_row("three", depends_on=(TaskName("two"),)))
        write_reply(self.folder, "one", handoff=b"## Status\nsuccess\n")

    def _runs(self, _: str) -> None:
        self._was_left_with(a_running_row("one"))

    def _was_left_with(self, *rows: TaskRow) -> None:
        write_journal(self.folder, [Record(1, EngineId("e1"), moment(), {}, rows, Workspace(WORKSPACE, SLUG))])
        write_state(self.folder, rows)

    def _engine(self, _: str) -> None:
        descriptor = os.open(self.folder / ".lock", os.O_RDWR | os.O_CREAT, 0o600)
        self._ending.callback(os.close, descriptor)
        moment = "2026-03-04T14:02:00.000Z"
        holder = {"engine": "e", "host": os.uname().nodename, "bootId": "", "pid": os.getpid()}
        os.write(descriptor, json.dumps({**holder, "since": moment, "beat": moment}).encode())
        fcntl.flock(descriptor, fcntl.LOCK_EX)

    def _service_answers(self, text: str) -> None:
        if self._service is None:
            self._service = self._ending.enter_context(AnsweringService())
            self.variables |= {"CURSOR_BACKEND_URL": self._service.url, "CURSOR_API_KEY": "key_for_the_tests"}
        self._service.add(text)


def _bytes(text: str) -> bytes:
    often = re.fullmatch(r"(.*) \* (\d+)", text)
    value = ast.literal_eval(text) if often is None else ast.literal_eval(often[1]) * int(often[2])
    return value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass")
