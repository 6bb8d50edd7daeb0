"""The client of the Cloud Agents API, for the vendor's cloud and for our own server alike."""

import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Self, TypeVar
from urllib.parse import urlencode

import httpx
from pydantic import BaseModel, ValidationError

from orchestrate.cloud.address import checked_base_url
from orchestrate.cloud.answers import Answer
from orchestrate.cloud.problems import Call, Problems
from orchestrate.cloud.sending import Sender
from orchestrate.cloud.stream import FrameReader
from orchestrate.errors import InputRefused, ProtocolBroken, Refused
from orchestrate.model.names import AgentId, RunId
from orchestrate.model.timestamps import epoch_seconds
from orchestrate.model.wire import IDEMPOTENCY_HEADER, Agent, Created, Frame, Me, Model, ModelPage, Run, RunPage

_PAGE_SIZE = 100
#: An agent has a handful of runs; a service with more pages than this repeats them.
_MOST_PAGES = 1000
_SAFE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,199}")
_HEADER_VALUE = re.compile(r"[\x21-\x7e]+(?: +[\x21-\x7e]+)*")
_EVENT_ID = re.compile(r"[^\x00-\x20\x7f]+(?: +[^\x00-\x20\x7f]+)*")
_JSON = {"Content-Type": "application/json"}

_Answered = TypeVar("_Answered", bound=BaseModel)


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
        return await self._get(Agent, f"get agent {agent_id}", _agent_path(agent_id))

    async def first_run(self, agent_id: AgentId) -> Run | None:
        """The oldest run of the agent, which the create request made; None while there is none."""
        runs = await self.list_runs(agent_id)
        return min(runs, key=_age, default=None)

    async def list_runs(self, agent_id: AgentId) -> tuple[Run, ...]:
        """All runs of the agent, over all pages, in the service's order."""
        what, path = f"list runs of agent {agent_id}", f"{_agent_path(agent_id)}/runs?limit={_PAGE_SIZE}"
        page = await self._get(RunPage, what, path)
        runs, cursors = list(page.items), set[str]()
        while page.next_cursor:
            if page.next_cursor in cursors or len(cursors) == _MOST_PAGES:
                raise ProtocolBroken(f"{what}: the pages do not end", code="unfit_answer")
            cursors.add(page.next_cursor)
            page = await self._get(RunPage, what, f"{path}&{urlencode({'cursor': page.next_cursor})}")
            runs += page.items
        return tuple(runs)

    async def get_run(self, agent_id: AgentId, run_id: RunId) -> Run:
        """The run as it is now."""
        return await self._get(Run, f"get run {run_id}", _run_path(agent_id, run_id))

    @asynccontextmanager
    async def stream_run(
        self, agent_id: AgentId, run_id: RunId, *, last_event_id: str | None = None
    ) -> AsyncIterator[AsyncIterator[Frame]]:
        """The frames of the run over one connection; its end says nothing of the run."""
        headers = {"Accept": "text/event-stream"}
        if last_event_id is not None and _EVENT_ID.fullmatch(last_event_id):
            headers["Last-Event-ID"] = last_event_id
        call = Call(f"stream run {run_id}", "GET")
        async with self._sender.open_stream(call, f"{_run_path(agent_id, run_id)}/stream", headers=headers) as body:
            frames = FrameReader(body)
            yield frames
            if frames.is_over:
                await body.read_to_end()

    async def cancel_run(self, agent_id: AgentId, run_id: RunId) -> None:
        """Ask for the end of the run; its status tells when it has ended."""
        call = Call(f"cancel run {run_id}", "POST")
        await self._sender.send(call, f"{_run_path(agent_id, run_id)}/cancel")

    async def models(self) -> tuple[Model, ...]:
        """The catalogue of models."""
        return (await self._get(ModelPage, "list models", "/v1/models")).items

    async def me(self) -> Me:
        """Whose key this is."""
        return await self._get(Me, "ask whose key this is", "/v1/me")

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


def _agent_path(agent_id: AgentId) -> str:
    return f"/v1/agents/{_checked_id(agent_id)}"


def _run_path(agent_id: AgentId, run_id: RunId) -> str:
    return f"{_agent_path(agent_id)}/runs/{_checked_id(run_id)}"


def _checked_id(text: str) -> str:
    """The id, if it names nothing else in a path; ids of old states come from elsewhere."""
    if not _SAFE_ID.fullmatch(text):
        raise Refused(f"{text[:80]!r} is no id of an agent or a run", code="invalid_id")
    return text


def _age(run: Run) -> tuple[float, str]:
    return epoch_seconds(run.created_at) or float("inf"), run.created_at
