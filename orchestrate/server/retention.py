"""What the server forgets, and when.

An agent goes, with its spools, artifacts, clone and the answers kept for its requests, once nothing has happened to it
for two weeks: no run, no archiving. It stays as long as its clone holds anything that is not on the remote.
"""

from dataclasses import dataclass

import anyio
import structlog

from orchestrate.model.timestamps import to_timestamp
from orchestrate.ports import Clock
from orchestrate.server.clones import is_on_the_remote
from orchestrate.server.database import Database
from orchestrate.server.git import Git
from orchestrate.server.private_files import make_private_folder, remove_tree
from orchestrate.server.records import AgentRecord
from orchestrate.server.state import StateFolder
from orchestrate.server.workplaces import clone_of

KEPT_SECONDS = 14 * 24 * 3600

_SWEEP_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class Retention:
    """Removes agents that nobody has asked for in a long time."""

    database: Database
    folder: StateFolder
    git: Git
    clock: Clock
    log: structlog.typing.FilteringBoundLogger

    async def run(self) -> None:
        """Sweep now, and once an hour."""
        while True:
            try:
                await self.sweep()
            except Exception:  # old files are no reason for a server to end
                self.log.exception("old agents could not be removed")
            await self.clock.sleep(_SWEEP_SECONDS)

    async def sweep(self) -> None:
        """Remove every agent whose time has come, and what an earlier sweep could not finish."""
        await anyio.to_thread.run_sync(remove_tree, self.folder.removed)
        since = to_timestamp(self.clock.now() - KEPT_SECONDS)
        for agent in self.database.resting_agents(since=since):
            if await self._is_disposable(agent) and self.database.agent(agent.id) == agent:
                self._forget(agent)
                await anyio.to_thread.run_sync(remove_tree, self.folder.removed)

    async def _is_disposable(self, agent: AgentRecord) -> bool:
        """Whether no work would be lost; files of an agent without a repository are on no remote."""
        path = self.folder.clone(agent.id)
        if not path.exists():
            return True
        clone = clone_of(agent, self.folder)
        return not any(path.iterdir()) if clone is None else await is_on_the_remote(self.git, clone)

    def _forget(self, agent: AgentRecord) -> None:
        """In one step for the event loop. A crash in its middle leaves an agent without files for the next sweep."""
        files = self.folder.agent(agent.id)
        if files.exists():
            make_private_folder(self.folder.removed)
            files.rename(self.folder.removed / agent.id)
        with self.database.transaction():
            self.database.remove_agent(agent.id)
        self.log.info("agent removed", agent_id=agent.id)
