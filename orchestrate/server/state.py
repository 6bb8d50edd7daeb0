"""The server's state folder: what lies where, all of it for its owner's eyes only.

::

    server.json      where the server listens, and which process it is
    server.lock      held by the one server that may work in this folder; says the same
    start.lock       held while a caller looks for a server or starts one
    server.log       what happened
    server.db        agents, runs, idempotency keys
    token            drawn once, so that agents which outlive a server can go on with the next
    port             where the last server listened: agents which outlive it know that address
    mirrors/<hash>.git
    agents/<agent id>/clone, agents/<agent id>/artifacts/, agents/<agent id>/<run id>/ (the spool)
    crashes          which faults of a fault plan have ended a server
    removed/<agent id>   what is just being removed
"""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from orchestrate.errors import InputRefused
from orchestrate.server.private_files import write_private

#: A file that was cut short must not become a token that everybody can guess.
_SHORTEST_TOKEN = 32


@dataclass(frozen=True, slots=True)
class StateFolder:
    """Paths below the state folder."""

    root: Path

    @property
    def database(self) -> Path:
        """Agents, runs and keys."""
        return self.root / "server.db"

    @property
    def log(self) -> Path:
        """What happened, one line each."""
        return self.root / "server.log"

    @property
    def server_lock(self) -> Path:
        """Held by the one server of this folder."""
        return self.root / "server.lock"

    @property
    def start_lock(self) -> Path:
        """Held by whoever looks for a server here."""
        return self.root / "start.lock"

    @property
    def port(self) -> Path:
        """The port of the last server, for the next one."""
        return self.root / "port"

    @property
    def mirrors(self) -> Path:
        """One bare mirror a repository."""
        return self.root / "mirrors"

    @property
    def crashes(self) -> Path:
        """Which rules of a fault plan have ended a server."""
        return self.root / "crashes"

    def agent(self, agent_id: str) -> Path:
        """All that belongs to an agent."""
        return self.root / "agents" / agent_id

    def clone(self, agent_id: str) -> Path:
        """Where an agent works."""
        return self.agent(agent_id) / "clone"

    def artifacts(self, agent_id: str) -> Path:
        """What an agent leaves for people."""
        return self.agent(agent_id) / "artifacts"

    @property
    def removed(self) -> Path:
        """Where folders of agents go before they are removed, so that none is ever there by half."""
        return self.root / "removed"

    def spool(self, agent_id: str, run_id: str) -> Path:
        """What a run says and how it ended."""
        return self.agent(agent_id) / run_id

    def make(self) -> None:
        """Make the folder, unless it is there; raises InputRefused where that is impossible."""
        try:
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.root.chmod(0o700)
        except OSError as error:
            raise InputRefused(
                f"the server's state folder {self.root} cannot be used: {error.strerror}",
                hint="set XDG_STATE_HOME to a folder of yours that can be written",
            ) from error
        if not os.access(self.root, os.W_OK | os.X_OK):
            raise InputRefused(f"the server's state folder {self.root} cannot be written")

    def token(self) -> str:
        """The owner's token; drawn at the first call."""
        path = self.root / "token"
        token = path.read_text(encoding="utf-8").strip() if path.exists() else ""
        if len(token) < _SHORTEST_TOKEN:
            token = secrets.token_urlsafe(32)
            write_private(path, token.encode())
        return token
