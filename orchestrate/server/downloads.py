"""Artifacts on the wire: the list, links that work for a short while without a token, and the files themselves."""

import os
from dataclasses import dataclass
from urllib.parse import quote, urlencode

import anyio
from starlette.types import Receive, Scope, Send

from orchestrate.model.timestamps import to_timestamp
from orchestrate.ports import Clock
from orchestrate.server import faults
from orchestrate.server.access import Keyring
from orchestrate.server.gate import SIGNED_LINKS
from orchestrate.server.git import Git
from orchestrate.server.records import AgentRecord
from orchestrate.server.state import StateFolder
from orchestrate.server.workplaces import artifact_folders

LINK_SECONDS = 15 * 60

_CHUNK_BYTES = 262_144
_MOST_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Downloads:
    """Hands artifacts out."""

    folder: StateFolder
    git: Git
    keyring: Keyring
    clock: Clock
    #: The address of this server, in front of links.
    base_url: str

    async def items(self, agent: AgentRecord) -> dict[str, object]:
        """The agent's artifacts."""
        folders = await artifact_folders(self.git, agent, self.folder)
        found = await anyio.to_thread.run_sync(folders.found)
        return {
            "items": [
                {"path": file.path, "sizeBytes": file.size, "updatedAt": to_timestamp(file.changed_at)}
                for file in found
            ]
        }

    async def link(self, agent: AgentRecord, path: str) -> dict[str, object]:
        """Where the artifact can be fetched for a short while; raises Refused if it is not there."""
        os.close(await self._open(agent, path))
        expires = int(self.clock.now()) + LINK_SECONDS
        signature = self.keyring.sign_link(_signed_text(agent.id, path, expires))
        query = urlencode({"path": path, "expires": expires, "signature": signature})
        url = f"{self.base_url}{SIGNED_LINKS}{quote(agent.id)}?{query}"
        return {"url": url, "expiresAt": to_timestamp(expires)}

    def check_link(self, agent_id: str, *, path: str, expires: str, signature: str) -> None:
        """Raises Refused unless the link is one of ours and still good."""
        is_number = expires.isascii() and expires.isdigit() and len(expires) <= _MOST_DIGITS
        if not is_number or not self.keyring.is_signed(_signed_text(agent_id, path, int(expires)), signature=signature):
            raise faults.link_expired()
        if int(expires) < self.clock.now():
            raise faults.link_expired()

    async def file(self, agent: AgentRecord, path: str) -> "FileAnswer":
        """The artifact's bytes; raises Refused if it is not there."""
        return FileAnswer(await self._open(agent, path), name=path.rpartition("/")[2])

    async def _open(self, agent: AgentRecord, path: str) -> int:
        folders = await artifact_folders(self.git, agent, self.folder)
        descriptor = await anyio.to_thread.run_sync(folders.open, path)
        if descriptor is None:
            raise faults.artifact_not_found(path)
        return descriptor


class FileAnswer:
    """An open file as a response: to be saved, and never to be shown as a page of ours."""

    def __init__(self, descriptor: int, *, name: str) -> None:
        self._descriptor = descriptor
        self._name = name

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        """Send as many bytes as were announced, even if the file grows meanwhile."""
        with os.fdopen(self._descriptor, "rb") as file:
            left = os.fstat(self._descriptor).st_size
            await send({"type": "http.response.start", "status": 200, "headers": self._headers(left)})
            while left > 0 and (chunk := await anyio.to_thread.run_sync(file.read, min(left, _CHUNK_BYTES))):
                left -= len(chunk)
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    def _headers(self, size: int) -> list[tuple[bytes, bytes]]:
        name = quote(self._name, safe="")
        return [
            (b"content-type", b"application/octet-stream"),
            (b"content-length", str(size).encode()),
            (b"content-disposition", f"attachment; filename*=UTF-8''{name}".encode()),
            (b"x-content-type-options", b"nosniff"),
            (b"cache-control", b"no-store"),
        ]


def _signed_text(agent_id: str, path: str, expires: int) -> str:
    return f"{expires} {agent_id} {path}"
