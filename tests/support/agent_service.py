"""The Cloud Agents API in memory, for tests of what stands above it; `orchestrate.ports.AgentService` by shape.

It keeps the same promises as the real ones (``tests/contract`` holds it to them) and can be told to misbehave::

    service.fail_next("create_agent", OutcomeUnknown("no answer"), done=True)    # done, but the answer is lost
    service.emit(agent_id, "tool_call", {"callId": "1", "name": "edit"})
    service.cut_streams(agent_id)                                                # all open streams break
    service.end_run(agent_id, RunStatus.FINISHED, result="## Status\\nsuccess")
"""

import uuid
from collections import defaultdict, deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

import anyio
import anyio.lowlevel

from orchestrate.errors import Refused
from orchestrate.model.names import AgentId, RunId
from orchestrate.model.timestamps import to_timestamp
from orchestrate.model.vocabulary import AgentStatus, RunStatus
from orchestrate.model.wire import (
    Agent,
    AgentPage,
    AgentUsage,
    Artifact,
    BranchInfo,
    CreateAgent,
    Created,
    CreateRun,
    Frame,
    GitInfo,
    Run,
    RunError,
    RunUsage,
)
from tests.support.fake_runs import FakeRun, frames_of, pieces_of, read_request, usage_of

_Answered = TypeVar("_Answered")


@dataclass(frozen=True)
class _Fault:
    error: Exception
    #: Whether the call is carried out before its answer is lost.
    done: bool


class FakeAgentService:
    """Agents and runs in dictionaries; ``calls`` remembers what was asked, in order."""

    def __init__(
        self,
        *,
        now: Callable[[], float] = lambda: 0.0,
        on_create: Callable[[Created], None] | None = None,
        on_follow_up: Callable[[Run], None] | None = None,
    ):
        self._now = now
        #: Called with each new agent: where a test ends runs at once, for example.
        self._on_create = on_create
        #: The same with each follow-up.
        self._on_follow_up = on_follow_up
        self._answers: dict[str, tuple[tuple[str, bytes], Created | Run]] = {}
        self._faults: defaultdict[str, deque[_Fault]] = defaultdict(deque)
        self.agents: dict[str, Agent] = {}
        self.requests: dict[str, CreateAgent] = {}
        self._live_runs: dict[str, list[FakeRun]] = {}
        self._artifacts: defaultdict[str, dict[str, bytes]] = defaultdict(dict)
        self.calls: list[tuple[str, str]] = []

    # What a test does to it.

    def fail_next(self, call: str, error: Exception, *, done: bool = False, times: int = 1) -> None:
        """Have the next calls of this name raise the error, carried out before or not."""
        self._faults[call].extend([_Fault(error, done)] * times)

    def emit(self, agent_id: str, event: str, data: dict[str, object] | None = None, *, id: str | None = "") -> None:  # noqa: A002  the frame's word
        """Add a frame to the stream of the agent's latest run; its id is its place unless another is given."""
        live = self._live_runs[agent_id][-1]
        live.frames.append(Frame(str(len(live.frames) + 1) if id == "" else id, event, data or {}))
        live.announce()

    def cut_streams(self, agent_id: str) -> None:
        """Break all open streams of the agent's latest run."""
        live = self._live_runs[agent_id][-1]
        live.cuts += 1
        live.announce()

    def end_run(
        self,
        agent_id: str,
        status: RunStatus = RunStatus.FINISHED,
        *,
        result: str | None = None,
        branch: str | None = None,
        error: RunError | None = None,
        usage: RunUsage | None = None,
        silently: bool = False,
    ) -> None:
        """End the agent's latest run; ``silently`` without a word in its stream."""
        live = self._live_runs[agent_id][-1]
        live.usage = usage
        git = GitInfo(branches=(BranchInfo(branch=branch),)) if branch else None
        changes = {"status": status, "result": result, "git": git, "error": error, "updated_at": self._timestamp()}
        live.run = live.run.model_copy(update=changes)
        if self.agents[agent_id].status is not AgentStatus.ARCHIVED:
            self._set_status(agent_id, AgentStatus.IDLE)
        live.announce()
        if not silently:
            self.emit(agent_id, "result", {"status": status.value, "result": result or ""})
            self.emit(agent_id, "done")

    def latest_run(self, agent_id: str) -> Run:
        """The agent's latest run as it is now."""
        return self._live_runs[agent_id][-1].run

    def add_run(self, agent_id: str) -> Run:
        """A follow-up run, as somebody else may send one."""
        return self._new_run(agent_id)

    def prompt_of(self, run: Run) -> str:
        """What the run was told."""
        request = self._live(run.agent_id, run.id).request
        return request.prompt.text if request is not None else self.requests[run.agent_id].prompt.text

    def leave_artifact(self, agent_id: str, path: str, content: bytes) -> None:
        """Leave a file for people on the agent's behalf."""
        self._artifacts[agent_id][path] = content

    # What the engine asks of it.

    async def create_agent(self, body: bytes, *, key: str) -> Created:
        """Create an agent with exactly this body."""
        return await self._call("create_agent", key, lambda: self._create(body, key))

    async def get_agent(self, agent_id: AgentId) -> Agent:
        """The agent of this id."""
        return await self._call("get_agent", agent_id, lambda: self._agent(agent_id))

    async def list_agents(
        self, *, pr_url: str | None = None, include_archived: bool = False
    ) -> AsyncGenerator[Agent, None]:
        """All agents, newest first."""
        for agent in await self._call("list_agents", pr_url or "", lambda: tuple(self.agents.values())[::-1]):
            is_meant = pr_url is None or any(repo.pr_url == pr_url for repo in agent.repos or ())
            if is_meant and (include_archived or agent.status is not AgentStatus.ARCHIVED):
                yield agent

    async def agent_page(self, *, cursor: str | None = None, include_archived: bool = False) -> AgentPage:
        """All agents, newest first, a hundred a page; the cursor is the place of the page's first."""
        first = int(cursor or 0)
        agents = [
            agent
            for agent in await self._call("agent_page", "", lambda: tuple(self.agents.values())[::-1])
            if include_archived or agent.status is not AgentStatus.ARCHIVED
        ]
        after = str(first + 100) if len(agents) > first + 100 else None
        return AgentPage(items=tuple(agents[first : first + 100]), next_cursor=after)

    async def create_run(self, agent_id: AgentId, body: bytes, *, key: str) -> Run:
        """Send a follow-up to an agent that is not at work."""
        return await self._call("create_run", agent_id, lambda: self._follow_up(agent_id, body, key))

    async def archive_agent(self, agent_id: AgentId) -> None:
        """Take no follow-ups from now on."""
        await self._call("archive_agent", agent_id, lambda: self._set_status(agent_id, AgentStatus.ARCHIVED))

    async def unarchive_agent(self, agent_id: AgentId) -> None:
        """Take follow-ups again."""
        await self._call("unarchive_agent", agent_id, lambda: self._unarchive(agent_id))

    async def usage(self, agent_id: AgentId, *, run_id: RunId | None = None) -> AgentUsage:
        """What the agent took."""
        return await self._call("usage", agent_id, lambda: self._usage(agent_id, run_id))

    async def list_artifacts(self, agent_id: AgentId) -> tuple[Artifact, ...]:
        """The files that the agent left for people."""
        return await self._call("list_artifacts", agent_id, lambda: self._artifacts_of(agent_id))

    @asynccontextmanager
    async def open_artifact(self, agent_id: AgentId, path: str) -> AsyncIterator[AsyncIterator[bytes]]:
        """The content of one of them."""
        yield pieces_of(await self._call("open_artifact", path, lambda: self._artifact(agent_id, path)))

    async def repositories(self) -> tuple[str, ...]:
        """Addresses of the repositories that agents were given."""
        repos = [repo.url for agent in self.agents.values() for repo in agent.repos or ()]
        return await self._call("repositories", "", lambda: tuple(sorted(set(repos))))

    async def list_runs(self, agent_id: AgentId) -> tuple[Run, ...]:
        """All runs of the agent, newest first."""
        return await self._call("list_runs", agent_id, lambda: self._runs(agent_id)[::-1])

    async def first_run(self, agent_id: AgentId) -> Run | None:
        """The agent's oldest run."""
        return await self._call("first_run", agent_id, lambda: next(iter(self._runs(agent_id)), None))

    async def get_run(self, agent_id: AgentId, run_id: RunId) -> Run:
        """The run as it is now."""
        return await self._call("get_run", run_id, lambda: self._live(agent_id, run_id).run)

    async def cancel_run(self, agent_id: AgentId, run_id: RunId) -> None:
        """End the run as cancelled."""
        await self._call("cancel_run", run_id, lambda: self._cancel(agent_id, run_id))

    @asynccontextmanager
    async def stream_run(
        self, agent_id: AgentId, run_id: RunId, *, last_event_id: str | None = None
    ) -> AsyncIterator[AsyncIterator[Frame]]:
        """The run's frames after the given id."""
        live = await self._call("stream_run", run_id, lambda: self._live(agent_id, run_id))
        frames = frames_of(live, last_event_id)
        try:
            yield frames
        finally:
            await frames.aclose()

    async def _call(self, name: str, about: str, carry_out: Callable[[], _Answered]) -> _Answered:
        self.calls.append((name, about))
        await anyio.lowlevel.checkpoint()
        fault = self._faults[name].popleft() if self._faults[name] else None
        if fault is not None and not fault.done:
            raise fault.error
        answer = carry_out()
        if fault is not None:
            raise fault.error
        return answer

    def _create(self, body: bytes, key: str) -> Created:
        kept = self._kept_answer(key, ("create_agent", body))
        if isinstance(kept, Created):
            return kept
        request = read_request(CreateAgent, body)
        agent_id = request.agent_id or f"bc-{uuid.uuid5(uuid.NAMESPACE_OID, key)}"
        if agent_id in self.agents:
            raise Refused(f"agent {agent_id} exists already", code="agent_id_conflict", status=409)
        created = self._new_agent(agent_id, request)
        self._answers[key] = (("create_agent", body), created)
        if self._on_create is not None:
            self._on_create(created)
        return created

    def _follow_up(self, agent_id: str, body: bytes, key: str) -> Run:
        agent = self._agent(agent_id)
        kept = self._kept_answer(key, (agent_id, body))
        if isinstance(kept, Run):
            return kept
        request = read_request(CreateRun, body)
        if agent.status is AgentStatus.ARCHIVED:
            raise Refused(f"agent {agent_id} is archived", code="agent_archived", status=409)
        if not self.latest_run(agent_id).status.is_terminal:
            raise Refused(f"a run of agent {agent_id} is active", code="agent_busy", status=409)
        run = self._new_run(agent_id)
        self._live_runs[agent_id][-1].request = request
        self._answers[key] = ((agent_id, body), run)
        if self._on_follow_up is not None:
            self._on_follow_up(run)
        return run

    def _kept_answer(self, key: str, request: tuple[str, bytes]) -> Created | Run | None:
        if key not in self._answers:
            return None
        kept, answer = self._answers[key]
        if kept != request:
            raise Refused("another request came with this key", code="idempotency_conflict", status=409)
        return answer

    def _set_status(self, agent_id: str, status: AgentStatus) -> None:
        self.agents[agent_id] = self._agent(agent_id).model_copy(update={"status": status})

    def _unarchive(self, agent_id: str) -> None:
        if self._agent(agent_id).status is AgentStatus.ARCHIVED:
            is_idle = self.latest_run(agent_id).status.is_terminal
            self._set_status(agent_id, AgentStatus.IDLE if is_idle else AgentStatus.ACTIVE)

    def _usage(self, agent_id: str, run_id: str | None) -> AgentUsage:
        self._agent(agent_id)
        runs = self._live_runs[agent_id] if run_id is None else [self._live(agent_id, run_id)]
        return usage_of(runs)

    def _artifacts_of(self, agent_id: str) -> tuple[Artifact, ...]:
        self._agent(agent_id)
        files = self._artifacts[agent_id]
        return tuple(Artifact(path=path, size_bytes=len(files[path])) for path in sorted(files))

    def _artifact(self, agent_id: str, path: str) -> bytes:
        self._agent(agent_id)
        if path not in self._artifacts[agent_id]:
            raise Refused(f"artifact {path} does not exist", code="artifact_not_found", status=404)
        return self._artifacts[agent_id][path]

    def _new_agent(self, agent_id: str, request: CreateAgent) -> Created:
        now = self._timestamp()
        self.agents[agent_id] = Agent(
            id=agent_id,
            name=request.name,
            status=AgentStatus.ACTIVE,
            metadata=request.metadata,
            repos=request.repos,
            url=f"https://agents.example/{agent_id}",
            created_at=now,
            updated_at=now,
        )
        self.requests[agent_id] = request
        run = self._new_run(agent_id)
        return Created(agent=self.agents[agent_id], run=run)

    def _new_run(self, agent_id: str) -> Run:
        runs, now = self._live_runs.setdefault(agent_id, []), self._timestamp()
        run_id = f"run-{uuid.uuid5(uuid.NAMESPACE_OID, f'{agent_id}/{len(runs)}')}"
        run = Run(id=run_id, agent_id=agent_id, status=RunStatus.RUNNING, created_at=now, updated_at=now)
        runs.append(FakeRun(run))
        changes = {"latest_run_id": run_id, "status": AgentStatus.ACTIVE}
        self.agents[agent_id] = self.agents[agent_id].model_copy(update=changes)
        self.emit(agent_id, "status", {"status": RunStatus.RUNNING.value})
        return run

    def _agent(self, agent_id: str) -> Agent:
        if agent_id not in self.agents:
            raise Refused(f"agent {agent_id} does not exist", code="agent_not_found", status=404)
        return self.agents[agent_id]

    def _runs(self, agent_id: str) -> tuple[Run, ...]:
        self._agent(agent_id)
        return tuple(live.run for live in self._live_runs[agent_id])

    def _live(self, agent_id: str, run_id: str) -> FakeRun:
        self._agent(agent_id)
        for live in self._live_runs[agent_id]:
            if live.run.id == run_id:
                return live
        raise Refused(f"run {run_id} does not exist", code="run_not_found", status=404)

    def _cancel(self, agent_id: str, run_id: str) -> None:
        live = self._live(agent_id, run_id)
        if live.run.status.is_terminal:
            raise Refused(f"run {run_id} has ended", code="run_not_cancellable", status=409)
        self.end_run(agent_id, RunStatus.CANCELLED)

    def _timestamp(self) -> str:
        return to_timestamp(self._now())
