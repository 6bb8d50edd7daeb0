"""Ports: what the engine needs of the outside, one small Protocol for each need.

Errors that cross a port are those of ``orchestrate.errors``; each adapter translates its own.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from orchestrate.core.state import State
from orchestrate.model.inbox_requests import InboxAnswer, InboxRequest
from orchestrate.model.names import AgentId, RequestId, RunId, TaskName
from orchestrate.model.plan import Plan
from orchestrate.model.records import Record
from orchestrate.model.rows import Andon, Attention, TaskRow
from orchestrate.model.stops import Stop
from orchestrate.model.wire import Agent, AgentPage, AgentUsage, Created, Frame, Run


class Clock(Protocol):
    """Time, so that tests may let it jump."""

    def now(self) -> float:
        """Seconds since 1970; may jump when the machine's clock is set."""
        ...

    def monotonic(self) -> float:
        """Seconds that never go back; only differences mean anything."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait so long."""
        ...


class AgentService(Protocol):
    """The Cloud Agents API as the engine uses it."""

    async def create_agent(self, body: bytes, *, key: str) -> Created:
        """Create an agent with exactly this body."""
        ...

    async def get_agent(self, agent_id: AgentId) -> Agent:
        """The agent of this id."""
        ...

    async def first_run(self, agent_id: AgentId) -> Run | None:
        """The agent's oldest run."""
        ...

    async def get_run(self, agent_id: AgentId, run_id: RunId) -> Run:
        """The run as it is now: the truth."""
        ...

    def stream_run(
        self, agent_id: AgentId, run_id: RunId, *, last_event_id: str | None = None
    ) -> AbstractAsyncContextManager[AsyncIterator[Frame]]:
        """The run's frames from the last one that was handled; an accelerator only."""
        ...

    async def cancel_run(self, agent_id: AgentId, run_id: RunId) -> None:
        """Ask for the run's end; only its status confirms it."""
        ...

    async def usage(self, agent_id: AgentId) -> AgentUsage:
        """What the agent took over all its runs; what is absent is not known yet."""
        ...

    async def agent_page(self, *, cursor: str | None = None, include_archived: bool = False) -> AgentPage:
        """One page of agents, those that were made last; a new one may be missing, so nobody is absent by this."""
        ...

    async def list_runs(self, agent_id: AgentId) -> Sequence[Run]:
        """All runs of the agent, in no order that can be relied on."""
        ...

    async def create_run(self, agent_id: AgentId, body: bytes, *, key: str) -> Run:
        """Send exactly these bytes as a follow-up; sent again with the same key, they make no second run."""
        ...

    async def unarchive_agent(self, agent_id: AgentId) -> None:
        """Take follow-ups again; asked again, nothing changes."""
        ...

    async def archive_agent(self, agent_id: AgentId) -> None:
        """Take no follow-ups from now on; asked again, nothing changes."""
        ...


class Ledger(Protocol):
    """The workspace's journal and snapshot."""

    async def append(self, records: Sequence[Record]) -> None:
        """Write and sync these records; they are durable when it returns."""
        ...

    async def write_snapshot_if_due(self, now: float) -> None:
        """Bring ``state.json`` up to the last synced record, if that is due."""
        ...

    async def write_snapshot(self) -> None:
        """Bring ``state.json`` up to the last synced record."""
        ...


class Archive(Protocol):
    """The workspace's request and handoff files."""

    async def write_request(self, task: TaskName, attempt: int, body: bytes) -> None:
        """Write and sync a create request before it is sent."""
        ...

    async def read_request(self, task: TaskName, attempt: int) -> bytes | None:
        """The request of this attempt; None means that nothing was sent."""
        ...

    async def save_reply(
        self,
        task: TaskName,
        attempt: int,
        *,
        raw: bytes,
        handoff: bytes,
        postmortem: tuple[str, bytes] | None = None,
        follow_up: int = 0,
    ) -> str:
        """Write and sync a reply, of the attempt's first run or a follow-up; answers the handoff's path in the workspace."""
        ...

    async def read_handoff(self, task: TaskName) -> str | None:
        """The task's redacted handoff with its header."""
        ...


@dataclass(frozen=True, slots=True)
class Misfit:
    """A file in the inbox that is no request and was moved away; ``request_id`` where its name is that of one."""

    name: str
    reason: str
    request_id: RequestId | None = None


Incoming = InboxRequest | Misfit


class Requests(Protocol):
    """The workspace's inbox: what other processes ask for."""

    async def take_requests(self) -> Sequence[Incoming]:
        """What waits for an answer, oldest first; a request is there until it is answered."""
        ...

    async def read_stop(self) -> Stop | None:
        """The tombstone of a kill, if there is one."""
        ...

    async def save_acceptance(self, task: TaskName, acceptance: str, *, handoff: bytes) -> str:
        """Write and sync a handoff that a person stands for; answers its path, relative to the workspace."""
        ...

    async def read_message(self, message: RequestId) -> bytes | None:
        """The text of a message to an agent; None where there is none."""
        ...

    async def answer_request(self, answer: InboxAnswer) -> None:
        """Write and sync the answer, then remove the request."""
        ...


class Heads(Protocol):
    """What branches the remote has."""

    async def heads(self, names: Sequence[str]) -> Mapping[str, str]:
        """Those of these branches that are there, with their commits; ServiceError where nobody can tell."""
        ...


#: What tells one state of a file from another.
PlanStamp = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class PlanEdit:
    """A plan as it was changed, and what its planner should know of it."""

    plan: Plan
    warnings: tuple[str, ...] = ()


class PlanFile(Protocol):
    """``plan.json`` while it runs."""

    async def stamp(self) -> PlanStamp | None:
        """What tells one state of the file from another, at little cost; None while there is no file."""
        ...

    async def read(self) -> PlanEdit | None:
        """The plan, None while the content is that which was taken last; InputRefused for one that is no good."""
        ...

    def take(self) -> None:
        """What was read last is in force from now on."""
        ...


@dataclass(frozen=True, slots=True)
class BenchCommand:
    """A shell line of a plan, to be run on a checkout."""

    line: str
    has_network: bool = False


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command printed; or why it gave no result, or why it was not run at all."""

    stdout: str = ""
    failure: str | None = None
    not_run: str | None = None


class Bench(Protocol):
    """Where commands of a plan are run on what agents have pushed."""

    async def run(self, *, branch: str, sha: str, commands: Sequence[BenchCommand]) -> Sequence[Ran]:
        """What became of each command, on a clean checkout of this commit; ServiceError where it cannot be had."""
        ...


class Differences(Protocol):
    """What branches changed."""

    async def changed_files(self, *, branch: str, start: str) -> Sequence[str]:
        """Every file that the branch changed since it left ``start``; ServiceError where nobody can tell."""
        ...


@dataclass(frozen=True, slots=True)
class Published:
    """The state is on the remote."""

    branch: str
    commit: str
    #: False where it was there already.
    is_new: bool = True


@dataclass(frozen=True, slots=True)
class Superseded:
    """The remote has the state of an engine that took the same workspace later."""

    branch: str


class Medium(Protocol):
    """Where others, on other machines, see the state."""

    @property
    def ref(self) -> str:
        """The branch that the state goes to, for people."""
        ...

    async def publish(self, files: Mapping[str, bytes]) -> Published | Superseded:
        """Bring these files there; ServiceError where that is not possible now."""
        ...


class Cord(Protocol):
    """The andon of the whole tree, where its root publishes it."""

    @property
    def ref(self) -> str:
        """The branch that carries it, for people."""
        ...

    async def look(self) -> Andon | None:
        """The tree's andon, None if it was never raised; ServiceError where nobody can tell."""
        ...

    async def pull(self, andon: Andon) -> None:
        """Raise it for the whole tree; ServiceError where that is not possible now."""
        ...


class Tombstone(Protocol):
    """The tombstone of a kill from elsewhere, where this workspace's state is published."""

    async def look(self) -> Stop | None:
        """The tombstone, None while there is none; ServiceError where nobody can tell."""
        ...


class Exhibits(Protocol):
    """What of a workspace others may see."""

    async def exhibits(self) -> Mapping[str, bytes]:
        """Plan, exact state and handoffs as they are now, without secrets, by their names in the workspace."""
        ...


@dataclass(frozen=True, slots=True)
class Publication:
    """What became true, and durable, with one group of events."""

    state: State
    rows: tuple[TaskRow, ...]
    attention: tuple[Attention, ...]


class Surface(Protocol):
    """Whoever shows the run to people; every call is cheap and never fails."""

    def publish(self, publication: Publication) -> None:
        """Show what is true from now on."""
        ...

    def saw_activity(self, task: TaskName, doing: str | None) -> None:
        """Show that an agent does something; never journalled."""
        ...
