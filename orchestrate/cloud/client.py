"""The client of the Cloud Agents API, for the vendor's cloud and for our own server alike."""

import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from types import TracebackType
from typing import Self, TypeVar
from urllib.parse import urlencode

import httpx
from pydantic import BaseModel, ValidationError

from orchestrate.cloud.address import checked_base_url, download_address
from orchestrate.cloud.answers import Answer
from orchestrate.cloud.paths import agent_path, run_path
from orchestrate.cloud.problems import Call, Problems
from orchestrate.cloud.sending import Sender
from orchestrate.cloud.stream import FrameReader
from orchestrate.errors import InputRefused, ProtocolBroken
from orchestrate.model.names import AgentId, RunId
from orchestrate.model.timestamps import epoch_seconds
from orchestrate.model.wire import (
    IDEMPOTENCY_HEADER,
    Agent,
    AgentPage,
    AgentUsage,
    Artifact,
    ArtifactLink,
    ArtifactPage,
    Created,
    Frame,
    Me,
    Model,
    ModelPage,
    RepositoryPage,
    Run,
    RunCreated,
    RunPage,
)

_PAGE_SIZE = 100
#: A service with more pages than this repeats them.
_MOST_PAGES = 1000
_HEADER_VALUE = re.compile(r"[\x21-\x7e]+(?: +[\x21-\x7e]+)*")
_EVENT_ID = re.compile(r"[^\x00-\x20\x7f]+(?: +[^\x00-\x20\x7f]+)*")
_JSON = {"Content-Type": "application/json"}

_Answered = TypeVar("_Answered", bound=BaseModel)
_Page = TypeVar("_Page", AgentPage, RunPage)


class CloudClient:
    """Calls the service with one key; every method either answers or raises a `ServiceError`.

    Used as an async context manager. It never repeats a request: whether to do so is the caller's decision.
    """

    def __init__(
        self,
        *,
        base_url: str,
        api_key: str,
        timeout_seconds: float = 30.0,
        extra_headers: Mapping[str, str] | None = None,
        now: Callable[[], float] | None = None,
    ) -> None:
        base_url = checked_base_url(base_url)
        self._base_url = base_url
        self._timeout_seconds = timeout_seconds
        headers = {"Authorization": f"Bearer {api_key}", **(extra_headers or {})}
        _check_headers(headers)
        self._problems = Problems(host=httpx.URL(base_url).netloc.decode("ascii"), secret=api_key, now=now)
        self._sender = Sender(
            base_url=base_url, headers=headers, timeout_seconds=timeout_seconds, problems=self._problems
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._sender.aclose()

    async def create_agent(self, body: bytes, *, key: str) -> Created:
        """Send exactly these bytes; sent again with the same key, they make no second agent."""
        call = Call("create agent", "POST")
        answer = await self._sender.send(call, "/v1/agents", body=body, headers={IDEMPOTENCY_HEADER: key, **_JSON})
        return self._parsed(Created, call, answer)

    async def get_agent(self, agent_id: AgentId) -> Agent:
        """The agent as it is now."""
        return await self._get(Agent, f"get agent {agent_id}", agent_path(agent_id))

    async def list_agents(
        self, *, pr_url: str | None = None, include_archived: bool = False
    ) -> AsyncGenerator[Agent, None]:
        """All agents that this key reaches, newest first; a page is asked for once it is needed.

        A new agent can be missing for a while: ask by id whether an agent is there.
        """
        path = _agents_path(pr_url=pr_url, include_archived=include_archived)
        async with aclosing(self._pages(AgentPage, "list agents", path)) as pages:
            async for page in pages:
                for agent in page.items:
                    yield agent

    async def agent_page(self, *, cursor: str | None = None, include_archived: bool = False) -> AgentPage:
        """One page of them, from where the cursor of the page before leads."""
        path = _agents_path(pr_url=None, include_archived=include_archived)
        rest = f"&{urlencode({'cursor': cursor})}" if cursor is not None else ""
        return await self._get(AgentPage, "list agents", f"{path}{rest}")

    async def archive_agent(self, agent_id: AgentId) -> None:
        """Take no follow-ups from now on; asked again, nothing changes."""
        await self._sender.send(Call(f"archive agent {agent_id}", "POST"), f"{agent_path(agent_id)}/archive")

    async def unarchive_agent(self, agent_id: AgentId) -> None:
        """Take follow-ups again; asked again, nothing changes."""
        await self._sender.send(Call(f"unarchive agent {agent_id}", "POST"), f"{agent_path(agent_id)}/unarchive")

    async def usage(self, agent_id: AgentId, *, run_id: RunId | None = None) -> AgentUsage:
        """What the agent took, over all runs or in one; what is absent is not known yet."""
        query = f"?{urlencode({'runId': run_id})}" if run_id is not None else ""
        return await self._get(AgentUsage, f"ask for the usage of {agent_id}", f"{agent_path(agent_id)}/usage{query}")

    async def list_artifacts(self, agent_id: AgentId) -> tuple[Artifact, ...]:
        """The files that the agent left for people."""
        what = f"list artifacts of agent {agent_id}"
        return (await self._get(ArtifactPage, what, f"{agent_path(agent_id)}/artifacts")).items

    @asynccontextmanager
    async def open_artifact(self, agent_id: AgentId, path: str) -> AsyncIterator[AsyncIterator[bytes]]:
        """The content of one of them, in pieces; whoever has the bytes does not get to see the key."""
        what = f"download {path!r} of agent {agent_id}"
        link_path = f"{agent_path(agent_id)}/artifacts/download?{urlencode({'path': path})}"
        link = await self._get(ArtifactLink, what, link_path)
        address = download_address(link.url, base_url=self._base_url)
        if address is None:
            raise ProtocolBroken(f"{what}: the link leads to where no file is fetched from", code="unfit_answer")
        sender = self._sender_without_key(address[0])
        try:
            async with sender.open_stream(Call(what, "GET"), address[1], headers={}) as body:
                yield body
        finally:
            await sender.aclose()

    async def create_run(self, agent_id: AgentId, body: bytes, *, key: str) -> Run:
        """Send exactly these bytes as a follow-up; sent again with the same key, they make no second run."""
        call = Call(f"create run on agent {agent_id}", "POST")
        headers = {IDEMPOTENCY_HEADER: key, **_JSON}
        answer = await self._sender.send(call, f"{agent_path(agent_id)}/runs", body=body, headers=headers)
        return self._parsed(RunCreated, call, answer).run

    async def first_run(self, agent_id: AgentId) -> Run | None:
        """The oldest run of the agent, which the create request made; None while there is none."""
        runs = await self.list_runs(agent_id)
        return min(runs, key=_age, default=None)

    async def list_runs(self, agent_id: AgentId) -> tuple[Run, ...]:
        """All runs of the agent, over all pages, in the service's order."""
        path = f"{agent_path(agent_id)}/runs?limit={_PAGE_SIZE}"
        async with aclosing(self._pages(RunPage, f"list runs of agent {agent_id}", path)) as pages:
            return tuple([run async for page in pages for run in page.items])

    async def get_run(self, agent_id: AgentId, run_id: RunId) -> Run:
        """The run as it is now."""
        return await self._get(Run, f"get run {run_id}", run_path(agent_id, run_id))

    @asynccontextmanager
    async def stream_run(
        self, agent_id: AgentId, run_id: RunId, *, last_event_id: str | None = None
    ) -> AsyncIterator[AsyncIterator[Frame]]:
        """The frames of the run over one connection; its end says nothing of the run."""
        headers = {"Accept": "text/event-stream"}
        if last_event_id is not None and _EVENT_ID.fullmatch(last_event_id):
            headers["Last-Event-ID"] = last_event_id
        call = Call(f"stream run {run_id}", "GET")
        async with self._sender.open_stream(
            call, f"{run_path(agent_id, run_id)}/stream", headers=headers, media_type="text/event-stream"
        ) as body:
            frames = FrameReader(body)
            yield frames
            if frames.is_over:
                await body.read_to_end()

    async def cancel_run(self, agent_id: AgentId, run_id: RunId) -> None:
        """Ask for the end of the run; its status tells when it has ended."""
        call = Call(f"cancel run {run_id}", "POST")
        await self._sender.send(call, f"{run_path(agent_id, run_id)}/cancel")

    async def repositories(self) -> tuple[str, ...]:
        """Addresses of the repositories that this key reaches; the cloud answers this once a minute only."""
        page = await self._get(RepositoryPage, "list repositories", "/v1/repositories")
        return tuple(repository.url for repository in page.items)

    async def models(self) -> tuple[Model, ...]:
        """The catalogue of models."""
        return (await self._get(ModelPage, "list models", "/v1/models")).items

    async def me(self) -> Me:
        """Whose key this is."""
        return await self._get(Me, "ask whose key this is", "/v1/me")

    async def _pages(self, model: type[_Page], what: str, path: str) -> AsyncGenerator[_Page, None]:
        page, cursors = await self._get(model, what, path), set[str]()
        yield page
        while page.next_cursor:
            if page.next_cursor in cursors or len(cursors) == _MOST_PAGES:
                raise ProtocolBroken(f"{what}: the pages do not end", code="unfit_answer")
            cursors.add(page.next_cursor)
            page = await self._get(model, what, f"{path}&{urlencode({'cursor': page.next_cursor})}")
            yield page

    def _sender_without_key(self, address: str) -> Sender:
        problems = replace(self._problems, host=httpx.URL(address).netloc.decode("ascii"), is_beside=True)
        return Sender(base_url=address, headers={}, timeout_seconds=self._timeout_seconds, problems=problems)

    async def _get(self, model: type[_Answered], what: str, path: str) -> _Answered:
        call = Call(what, "GET")
        return self._parsed(model, call, await self._sender.send(call, path))

    def _parsed(self, model: type[_Answered], call: Call, answer: Answer) -> _Answered:
        try:
            return model.model_validate_json(answer.body)
        except ValidationError as error:
            raise self._problems.unfit(call, answer, error) from error


def _check_headers(headers: Mapping[str, str]) -> None:
    """Refuse here what would otherwise be shown, value and all, by an error from below."""
    for name, value in headers.items():
        if not _HEADER_VALUE.fullmatch(value):
            what = "the API key" if name == "Authorization" else f"the header {name}"
            raise InputRefused(f"{what} is empty or holds characters that cannot be sent")


def _agents_path(*, pr_url: str | None, include_archived: bool) -> str:
    query = {"limit": _PAGE_SIZE, "includeArchived": str(include_archived).lower()}
    return f"/v1/agents?{urlencode(query | ({'prUrl': pr_url} if pr_url is not None else {}))}"


def _age(run: Run) -> tuple[float, str]:
    return epoch_seconds(run.created_at) or float("inf"), run.created_at
