"""What a runner is: the part of the server that carries out runs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import anyio

from orchestrate.model.names import AgentId
from orchestrate.model.vocabulary import RunStatus
from orchestrate.model.wire import CreateAgent, LocalAgent
from orchestrate.server.records import AgentRecord, RunRecord


@dataclass(frozen=True, slots=True)
class Order:
    """A request for a run that was read and found sound.

    That of a follow-up is the agent's first one with another prompt.
    """

    #: None lets the server draw the id.
    agent_id: AgentId | None
    request: CreateAgent
    #: The agent program: the request's, else the server's own default.
    agent: LocalAgent
    name: str
    body: bytes
    #: Values for ``agent.pass_env``; they stay in memory.
    pass_env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended."""

    status: RunStatus
    error_message: str | None = None
    error_code: str | None = None
    #: The reply, where it is no spool file.
    reply: str | None = None
    branch: str | None = None
    repo_url: str | None = None
    stdout_bytes: int = 0
    stderr_bytes: int = 0
    #: What the agent program reported of its usage, as it looks on the wire.
    usage: Mapping[str, object] | None = None


class Source(Protocol):
    """Bytes that grow at the end only."""

    def size(self) -> int:
        """How many there are by now."""
        ...

    def read(self, offset: int, *, limit: int) -> bytes:
        """At most ``limit`` of them from ``offset`` on."""
        ...


@dataclass(frozen=True, slots=True)
class Transcript:
    """All that a run has said: its reply, and its activity."""

    stdout: Source
    stderr: Source


class LiveRun:
    """A run that has not ended, in memory: its present record, who waits for news, and whether it shall end.

    ``order`` is what was asked; after a restart of the server its ``pass_env`` is empty.
    """

    def __init__(self, *, agent: AgentRecord, run: RunRecord, order: Order) -> None:
        self.agent = agent
        self.run = run
        self.order = order
        #: Set at the next news, and then replaced: take it before you look, wait on it after.
        self.news = anyio.Event()
        self.cancel = anyio.Event()
        if run.cancel_requested:
            self.cancel.set()

    def announce(self) -> None:
        """Wake everybody who waits for news of this run."""
        news, self.news = self.news, anyio.Event()
        news.set()


class Runner(Protocol):
    """One way to carry out runs."""

    def check(self, order: Order) -> None:
        """Raise Refused for an order that only this runner knows to be wrong."""
        ...

    async def place(self, order: Order) -> Mapping[str, str]:
        """Check the order of a new agent and say where the agent will work.

        Raises Refused; makes nothing that would have to be removed, for the order may still be refused after it.
        """
        ...

    async def carry_out(self, live: LiveRun, *, started: Callable[[], None]) -> Outcome:
        """Run to the end, or go on with what an earlier process of the server had begun.

        Calls ``started`` once the agent is at work. Ends early once ``live.cancel`` is set. Being cancelled itself (the server stops) ends no agent.
        """
        ...

    def transcript(self, run: RunRecord) -> Transcript:
        """What that run has said so far."""
        ...
