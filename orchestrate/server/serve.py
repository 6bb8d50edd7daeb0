"""Finding, starting and stopping the one server of a state folder. These calls block; they need no event loop."""

import fcntl
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import orchestrate
from orchestrate.errors import InputRefused, OrchestrateError
from orchestrate.server.claiming import is_held
from orchestrate.server.discovery import (
    Endpoint,
    ServerFile,
    ServerProcess,
    answers,
    file_of,
    is_alive,
    living_process,
    read_server_file,
)
from orchestrate.server.environment import server_environment
from orchestrate.server.processes import process_start
from orchestrate.server.state import StateFolder
from orchestrate.system import SystemClock, sleep_blocking, spawn_detached

_START_SECONDS = 30
_STOP_SECONDS = 15
_LOOK_SECONDS = 0.02
#: A living server says within two seconds where it is, also if its files were removed.
_TELL_SECONDS = 10
_LOG_TAIL_CHARACTERS = 600


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """What can be told of a folder's server from outside."""

    is_running: bool
    url: str | None = None
    pid: int | None = None
    version: str | None = None
    #: Runs that have not ended; their agents live on without a server.
    live_runs: int = 0


def ensure_server(
    state_dir: Path, *, environment: Mapping[str, str], port: int = 0, idle_seconds: float | None = None
) -> Endpoint:
    """The server of that folder, started if there is none that answers; callers that race get the same one.

    What a new server, its git and its agents may see is chosen from ``environment``. A server of another
    version, or one that does not answer, is replaced: its agents go on under the new one. Raises InputRefused if none
    can be started.
    """
    folder = StateFolder(state_dir.absolute())
    folder.make()
    with _locked(folder.start_lock):
        process = _living_server(folder)
        present = _wait_until_it_answers(folder, process) if process is not None else None
        if present is not None:
            _check_port(present, port)
            return present.endpoint
        if process is not None:
            _end(process)
        return _start(folder, environment=environment, port=port, idle_seconds=idle_seconds)


def server_status(state_dir: Path) -> ServerStatus:
    """Whether a server runs there, and for how many runs."""
    from orchestrate.server.database import count_alive_runs

    folder = StateFolder(state_dir.absolute())
    live_runs = count_alive_runs(folder.database) if folder.database.exists() else 0
    process = _living_server(folder)
    if process is None:
        return ServerStatus(is_running=False, live_runs=live_runs)
    file = file_of(process, state_dir=folder.root)
    url = file.endpoint.url if file is not None else None
    return ServerStatus(is_running=True, url=url, pid=process.pid, version=process.version, live_runs=live_runs)


def living_endpoint(state_dir: Path) -> Endpoint | None:
    """Where the server of that folder listens; None if none does. Nothing is started or waited for."""
    process = living_process(state_dir.absolute())
    file = None if process is None else file_of(process, state_dir=state_dir.absolute())
    return file.endpoint if file is not None and answers(file) else None


def stop_server(state_dir: Path) -> bool:
    """End the server of that folder and wait until it is gone; False if none runs. Agents are left running."""
    process = _living_server(StateFolder(state_dir.absolute()))
    if process is None:
        return False
    _end(process)
    return True


def _living_server(folder: StateFolder) -> ServerProcess | None:
    """The process that serves the folder; one that has just begun, or whose files were damaged, is given time to say so."""
    clock = SystemClock()
    deadline = clock.monotonic() + _TELL_SECONDS
    while (process := living_process(folder.root)) is None and is_held(folder):
        if clock.monotonic() > deadline:
            raise InputRefused(
                f"a server works in {folder.root} and does not say which process it is",
                hint=f"end the process that holds the lock; `fuser {folder.server_lock}` names it",
            )
        sleep_blocking(_LOOK_SECONDS)
    return process


def _wait_until_it_answers(folder: StateFolder, process: ServerProcess) -> ServerFile | None:
    """Where it listens; None if it is of another version, ends, or does not answer in time: then it is to be replaced."""
    clock = SystemClock()
    deadline = clock.monotonic() + _TELL_SECONDS
    while process.version == orchestrate.__version__ and process.is_alive():
        file = file_of(process, state_dir=folder.root)
        if file is not None and answers(file):
            return file
        if clock.monotonic() > deadline:
            break
        sleep_blocking(_LOOK_SECONDS)
    return None


def _end(process: ServerProcess) -> None:
    with suppress(ProcessLookupError):
        os.kill(process.pid, signal.SIGTERM)
    if not _is_gone_in_time(process):
        raise OrchestrateError(f"the server (pid {process.pid}) does not end", hint=f"kill -9 {process.pid}")


def _check_port(present: ServerFile, port: int) -> None:
    if port not in (0, present.port):
        raise InputRefused(
            f"the server of this folder listens on port {present.port} already, not on {port}",
            hint="`orchestrate server stop` first, or leave out --port",
        )


def _start(folder: StateFolder, *, environment: Mapping[str, str], port: int, idle_seconds: float | None) -> Endpoint:
    argv = [sys.executable, "-m", "orchestrate.server", "--state-dir", str(folder.root), "--port", str(port)]
    if idle_seconds is not None:
        argv += ["--idle-seconds", str(idle_seconds)]
    folder.log.touch(mode=0o600)
    with folder.log.open("ab") as log:
        before = log.tell()
        pid = spawn_detached(
            argv, env=_importable(environment), cwd=folder.root, stdout=log.fileno(), stderr=log.fileno()
        )
    return _await_start(folder, pid=pid, log_start=before)


def _importable(environment: Mapping[str, str]) -> dict[str, str]:
    """What the server needs of the environment; this very package is found in it, also when it runs from a checkout."""
    source = str(Path(orchestrate.__file__).parent.parent)
    paths = [source, *filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))]
    return {**server_environment(environment), "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths))}


def _await_start(folder: StateFolder, *, pid: int, log_start: int) -> Endpoint:
    clock = SystemClock()
    deadline = clock.monotonic() + _START_SECONDS
    while clock.monotonic() < deadline:
        server = read_server_file(folder.root)
        if server is not None and is_alive(server) and answers(server):
            return server.endpoint
        if process_start(pid) is None:
            break
        sleep_blocking(_LOOK_SECONDS)
    with folder.log.open("rb") as log:
        log.seek(log_start)
        said = log.read().decode(errors="replace").strip()[-_LOG_TAIL_CHARACTERS:]
    raise InputRefused(f"the local server did not start: {said or 'it said nothing'}", hint=f"see {folder.log}")


def _is_gone_in_time(process: ServerProcess) -> bool:
    clock = SystemClock()
    deadline = clock.monotonic() + _STOP_SECONDS
    while process.is_alive():
        if clock.monotonic() > deadline:
            return False
        sleep_blocking(_LOOK_SECONDS)
    return True


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
