"""Who serves a state folder, and where it listens.

A server writes the same twice: into ``server.json``, and into ``server.lock``, whose lock it holds for as long as it
lives. A file that was deleted, damaged or written by another version hides no living server.
"""

import http.client
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

import orjson

from orchestrate.server.private_files import write_private
from orchestrate.server.processes import is_same_process
from orchestrate.server.state import StateFolder

#: A server on this machine answers within milliseconds unless the machine is drowning.
_ANSWER_SECONDS = 5
#: A file of ours is far smaller; what is larger is none.
_LARGEST_FILE_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a server listens, and the token that its owner needs."""

    url: str
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class ServerProcess:
    """The process that serves a folder; any version's files tell that much."""

    pid: int
    #: When the process was started, as ``process_start`` tells it.
    started: float
    #: None where the file does not say it.
    version: str | None = None

    def is_alive(self) -> bool:
        """Whether this very process still runs."""
        return is_same_process(self.pid, started=self.started)


@dataclass(frozen=True, slots=True)
class ServerFile:
    """What ``server.json`` holds."""

    port: int
    pid: int
    #: When the process was started, as ``process_start`` tells it.
    started: float
    token: str = field(repr=False)
    version: str

    @property
    def endpoint(self) -> Endpoint:
        """Where to send requests."""
        return Endpoint(url=f"http://127.0.0.1:{self.port}", token=self.token)

    @property
    def process(self) -> ServerProcess:
        """The process that wrote the file."""
        return ServerProcess(pid=self.pid, started=self.started, version=self.version)

    def to_bytes(self) -> bytes:
        """The file's content."""
        return orjson.dumps(asdict(self), option=orjson.OPT_INDENT_2)


def server_file_path(state_dir: Path) -> Path:
    """Where the file is."""
    return state_dir / "server.json"


def read_server_file(state_dir: Path) -> ServerFile | None:
    """What ``server.json`` says; None if there is none, or none that can be used."""
    return _server_file_in(_read_object(server_file_path(state_dir)))


def write_server_file(state_dir: Path, content: ServerFile) -> None:
    """Replace ``server.json`` as a whole."""
    write_private(server_file_path(state_dir), content.to_bytes())


def living_process(state_dir: Path) -> ServerProcess | None:
    """The process that serves the folder, by whatever its files say of it; None if they name no living one."""
    processes = (_process_in(content) for content in _contents(state_dir))
    return next((process for process in processes if process is not None and process.is_alive()), None)


def file_of(process: ServerProcess, *, state_dir: Path) -> ServerFile | None:
    """Where that process listens; None as long as no file says it."""
    files = (_server_file_in(content) for content in _contents(state_dir))
    return next((file for file in files if file is not None and file.process == process), None)


def is_alive(server: ServerFile) -> bool:
    """Whether the very process that wrote the file still runs."""
    return server.process.is_alive()


def answers(server: ServerFile) -> bool:
    """Whether a server that knows our token listens there."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=_ANSWER_SECONDS)
    try:
        connection.request("GET", "/v1/me", headers={"Authorization": f"Bearer {server.token}"})
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _contents(state_dir: Path) -> Iterator[dict[str, object]]:
    """What is said of the server, the word of the lock's own file first: nobody replaces that one."""
    yield _read_object(StateFolder(state_dir).server_lock)
    yield _read_object(server_file_path(state_dir))


def _read_object(path: Path) -> dict[str, object]:
    """The JSON object in a file; empty if there is none that can be read."""
    try:
        with path.open("rb") as file:
            content = orjson.loads(file.read(_LARGEST_FILE_BYTES))
    except (OSError, orjson.JSONDecodeError):
        return {}
    return content if isinstance(content, dict) else {}


def _process_in(content: dict[str, object]) -> ServerProcess | None:
    match content:
        case {"pid": int(pid), "started": int() | float() as started} if pid > 1:
            version = content.get("version")
            return ServerProcess(pid, float(started), version if isinstance(version, str) else None)
        case _:
            return None


def _server_file_in(content: dict[str, object]) -> ServerFile | None:
    process = _process_in(content)
    match content:
        case {"port": int(port), "token": str(token), "version": str(version)} if process is not None:
            return ServerFile(port=port, pid=process.pid, started=process.started, token=token, version=version)
        case _:
            return None
