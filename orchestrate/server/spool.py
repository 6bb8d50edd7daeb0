"""A run's folder as the server sees it: what the supervisor and the agent leave in it.

An agent can reach all of it. Whatever it puts in a file's place stops neither the server nor the end of its run.
"""

import os
import signal
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from orchestrate.server.private_files import (
    make_private_folder,
    open_regular_file,
    read_regular_file,
    write_private,
)
from orchestrate.server.processes import is_locked, is_same_process
from orchestrate.server.usage import UsageUnreadable, read_usage

_LARGEST_REPORT_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class Exit:
    """How an agent program ended, by its supervisor's word."""

    reason: str
    exit_status: int | None = None
    signal: int | None = None
    message: str | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """What a supervisor is to do."""

    argv: Sequence[str]
    cwd: Path
    stdin: Path | None
    timeout_seconds: float | None
    grace_seconds: float
    output_limit: int = 1_000_000_000


class SpooledFile:
    """What a process writes, read from its file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def size(self) -> int:
        """How many bytes there are by now."""
        try:
            status = self._path.lstat()
        except OSError:
            return 0
        return status.st_size if stat.S_ISREG(status.st_mode) else 0

    def read(self, offset: int, *, limit: int) -> bytes:
        """At most ``limit`` of them from ``offset`` on."""
        if limit <= 0:
            return b""
        return read_regular_file(self._path, offset=offset, limit=limit) or b""


class Spool:
    """One run's folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.stdout = SpooledFile(folder / "stdout")
        self.stderr = SpooledFile(folder / "stderr")
        self.prompt = folder / "prompt"
        #: What the agent program may write its usage into.
        self.usage_file = folder / "usage.json"

    def prepare(self, job: Job, *, prompt: bytes) -> None:
        """Write what the supervisor needs."""
        make_private_folder(self.folder)
        write_private(self.prompt, prompt)
        content: Mapping[str, object] = {
            "argv": list(job.argv),
            "cwd": str(job.cwd),
            "stdin": str(job.stdin) if job.stdin else None,
            "timeoutSeconds": job.timeout_seconds,
            "graceSeconds": job.grace_seconds,
            "outputLimit": job.output_limit,
        }
        write_private(self.folder / "job.json", orjson.dumps(content))
        for name in ("stdout", "stderr", "supervisor.log"):
            (self.folder / name).touch(mode=0o600)

    def note(self, text: str) -> None:
        """Add a line of the server's to the activity, if the agent has left a file for that."""
        make_private_folder(self.folder)
        descriptor = open_regular_file(self.folder / "stderr", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        if descriptor is not None:
            with os.fdopen(descriptor, "ab") as file:
                file.write(f"[server] {text}\n".encode(errors="replace"))

    def sizes(self) -> tuple[int, int]:
        """How much there is of stdout and stderr."""
        return self.stdout.size(), self.stderr.size()

    def usage(self) -> Mapping[str, object] | None:
        """What the agent program reported of its usage; a report that makes no sense is noted and counts for nothing."""
        try:
            content = read_regular_file(self.usage_file, limit=_LARGEST_REPORT_BYTES)
            return None if content is None else read_usage(content)
        except UsageUnreadable as error:
            self.note(f"the usage that was reported cannot be read: {error}")
            return None

    def exit(self) -> Exit | None:
        """How the agent ended; None as long as it has not, or if nobody wrote it down."""
        content = _read_object(self.folder / "exit.json")
        if content is None or not isinstance(content.get("reason"), str):
            return None
        return Exit(
            reason=content["reason"],
            exit_status=content.get("exitStatus"),
            signal=content.get("signal"),
            message=content.get("message"),
        )

    def was_begun(self) -> bool:
        """Whether an agent program was ever started here."""
        return (self.folder / "agent.json").exists()

    def is_supervised(self) -> bool:
        """Whether the supervisor lives: then it holds its lock."""
        return is_locked(self.folder / "supervisor.lock")

    def request_cancel(self) -> None:
        """Tell the supervisor, now or whenever it comes, to end the agent."""
        make_private_folder(self.folder)
        (self.folder / "cancel").touch(mode=0o600)

    def living_agent(self) -> int | None:
        """The pid of the agent if that very process still runs; another program with its number does not count."""
        content = _read_object(self.folder / "agent.json") or {}
        pid, ticks = content.get("pid"), content.get("startTicks")
        started = content.get("at") if ticks is None else ticks
        if not isinstance(pid, int) or pid <= 1 or not isinstance(started, int | float):
            return None
        return pid if is_same_process(pid, started=started) else None

    def kill_orphan(self) -> None:
        """End an agent whose supervisor is gone."""
        pid = self.living_agent()
        if pid is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)


def _read_object(path: Path) -> dict[str, Any] | None:
    try:
        content = orjson.loads(read_regular_file(path, limit=_LARGEST_REPORT_BYTES) or b"")
    except orjson.JSONDecodeError:
        return None
    return content if isinstance(content, dict) else None
