"""``server.json``: where the server of a state folder listens, and whether it is alive."""

import http.client
from dataclasses import asdict, dataclass, field
from pathlib import Path

import orjson

from orchestrate.server.private_files import write_private
from orchestrate.server.processes import is_same_process

#: A server on this machine answers within milliseconds unless the machine is drowning.
_ANSWER_SECONDS = 5


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a server listens, and the token that its owner needs."""

    url: str
    token: str = field(repr=False)


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


def server_file_path(state_dir: Path) -> Path:
    """Where the file is."""
    return state_dir / "server.json"


def read_server_file(state_dir: Path) -> ServerFile | None:
    """What the file says; None if there is none, or none that can be used."""
    try:
        return ServerFile(**orjson.loads(server_file_path(state_dir).read_bytes()))
    except (OSError, orjson.JSONDecodeError, TypeError):
        return None


def write_server_file(state_dir: Path, content: ServerFile) -> None:
    """Replace the file as a whole."""
    write_private(server_file_path(state_dir), orjson.dumps(asdict(content), option=orjson.OPT_INDENT_2))


def is_alive(server: ServerFile) -> bool:
    """Whether the very process that wrote the file still runs."""
    return is_same_process(server.pid, started=server.started)


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
