"""A real server on a loopback port for tests.

In this process, on a thread of its own (fast; for most tests)::

    from tests.support.server import local_server            # a pytest fixture
    async def test_x(local_server):
        client = ...(local_server.url, local_server.token)

or by hand, as often as needed, with the same folder to have the state survive::

    with running_server(tmp_path / "state") as server: ...

As a process (to be killed)::

    with server_process(tmp_path / "state") as server:
        server.kill()                                        # SIGKILL; agents live on

``ServerCalls(endpoint)`` speaks HTTP without our client; its answers are plain httpx responses and dicts.

Requests without ``localAgent`` go to the ``null`` runner. Its answers are set by the prompt, see
``orchestrate/server/runners/null.py``: ``null-runner: {"seconds": 0.2, "reply": "...", "status": "ERROR"}``.
Real work without a model: ``"localAgent": {"runner": "scripted"}``, see ``orchestrate/server/runners/scripted.py``.
"""

import json
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import anyio
import anyio.from_thread
import httpx
import pytest

from orchestrate.model.wire import LocalAgent
from orchestrate.server.discovery import Endpoint, ServerFile, is_alive, read_server_file
from orchestrate.server.hosting import HostedServer, ServerOptions, open_server
from orchestrate.server.serve import ensure_server, stop_server
from orchestrate.system import SystemClock

NULL_AGENT = LocalAgent(runner="null")


class MovedClock(SystemClock):
    """The real time, and as much later as a test says; for ``running_server(..., clock=...)``."""

    def __init__(self, later: float = 0.0):
        self.later = later

    def now(self) -> float:
        return super().now() + self.later


@pytest.fixture
def local_server(tmp_path) -> Iterator[Endpoint]:
    """A server on a thread; its state lies in ``tmp_path / "server-state"``."""
    with running_server(tmp_path / "server-state") as endpoint:
        yield endpoint


@contextmanager
def running_server(state_dir: Path, **options: object) -> Iterator[Endpoint]:
    """A server on a thread of its own; ``options`` are those of ``ServerOptions``."""
    chosen = {"default_agent": NULL_AGENT, "environment": dict(os.environ), **options}
    with open_server(ServerOptions(state_dir=state_dir, **chosen)) as server, _on_a_thread(server):
        wait_until(lambda: read_server_file(state_dir) == server.file, what="the server")
        yield server.file.endpoint


@contextmanager
def _on_a_thread(server: HostedServer) -> Iterator[None]:
    with anyio.from_thread.start_blocking_portal() as portal:
        future = portal.start_task_soon(_run, server)
        try:
            yield
        finally:
            portal.call(server.stop)
            future.result(timeout=30)


async def _run(server: HostedServer) -> None:
    await server.run(handles_signals=False)


@dataclass(frozen=True)
class ServerProcess:
    """A server that was started as users' are, by ``ensure_server``."""

    endpoint: Endpoint
    state_dir: Path
    file: ServerFile

    @property
    def url(self) -> str:
        return self.endpoint.url

    @property
    def token(self) -> str:
        return self.endpoint.token

    def kill(self) -> None:
        """End it without any chance to clean up."""
        os.kill(self.file.pid, signal.SIGKILL)
        wait_until(lambda: not is_alive(self.file), what="the server's death")


@contextmanager
def server_process(state_dir: Path, *, idle_seconds: float | None = None) -> Iterator[ServerProcess]:
    """A server in a process of its own; ended at the end, also if it was started again meanwhile."""
    endpoint = ensure_server(state_dir, environment=dict(os.environ), idle_seconds=idle_seconds)
    file = read_server_file(state_dir)
    assert file is not None
    try:
        yield ServerProcess(endpoint, state_dir, file)
    finally:
        stop_server(state_dir)


@dataclass(frozen=True)
class Created:
    """A created agent and its first run."""

    agent: dict
    run: dict

    @property
    def agent_path(self) -> str:
        return f"/v1/agents/{self.agent['id']}"

    @property
    def run_path(self) -> str:
        return f"{self.agent_path}/runs/{self.run['id']}"


@dataclass(frozen=True)
class StreamFrame:
    """A frame as it came."""

    event: str
    id: str | None
    data: dict


class ServerCalls:
    """The API by hand."""

    def __init__(self, endpoint, *, token: str | None = None):
        self.http = httpx.Client(
            base_url=endpoint.url,
            headers={"Authorization": f"Bearer {token or endpoint.token}"},
            timeout=60,
            trust_env=False,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error) -> None:
        self.http.close()

    def try_create(self, prompt: str = "work", *, key: str | None = None, headers=None, **body) -> httpx.Response:
        content = json.dumps({"prompt": {"text": prompt}, **body})
        return self.http.post(
            "/v1/agents", content=content, headers={**({"Idempotency-Key": key} if key else {}), **(headers or {})}
        )

    def create(self, prompt: str = "work", **body) -> Created:
        answer = self.try_create(prompt, **body)
        assert answer.status_code == 200, answer.text
        return Created(**answer.json())

    def create_scripted(self, script: list, *, agent: dict | None = None, **body) -> Created:
        """An agent that takes these steps, see ``scripted_program``."""
        prompt = f"scripted-runner: {json.dumps(script)}"
        return self.create(prompt, localAgent={"runner": "scripted", **(agent or {})}, **body)

    def try_follow_up(
        self, created: Created, prompt: str = "more", *, key: str | None = None, headers=None, **body
    ) -> httpx.Response:
        content = json.dumps({"prompt": {"text": prompt}, **body})
        sent = {**({"Idempotency-Key": key} if key else {}), **(headers or {})}
        return self.http.post(f"{created.agent_path}/runs", content=content, headers=sent)

    def follow_up(self, created: Created, prompt: str = "more", **body) -> Created:
        """Another run of the agent."""
        answer = self.try_follow_up(created, prompt, **body)
        assert answer.status_code == 200, answer.text
        return Created(created.agent, answer.json()["run"])

    def follow_up_scripted(self, created: Created, script: list, **body) -> Created:
        """Another run that takes these steps."""
        return self.follow_up(created, f"scripted-runner: {json.dumps(script)}", **body)

    def agents(self, **query) -> dict:
        """A page of agents."""
        return self.http.get("/v1/agents", params=query).raise_for_status().json()

    def ask(self, created: Created, what: str, **query) -> dict:
        """What is told of the agent under that name."""
        return self.http.get(f"{created.agent_path}/{what}", params=query).raise_for_status().json()

    def run(self, created: Created) -> dict:
        return self.http.get(created.run_path).raise_for_status().json()

    def end(self, created: Created) -> dict:
        """The run once it has ended."""
        self.frames(created)
        run = self.run(created)
        assert run["status"] not in ("CREATING", "RUNNING")
        return run

    def cancel(self, created: Created) -> httpx.Response:
        return self.http.post(f"{created.run_path}/cancel")

    def frames(self, created: Created, *, after: str | None = None) -> list[StreamFrame]:
        """All frames to the end of the stream."""
        return list(self.stream(created, after=after))

    def stream(self, created: Created, *, after: str | None = None) -> Iterator[StreamFrame]:
        """Frames as they come."""
        headers = {"Last-Event-ID": after} if after is not None else {}
        with self.http.stream("GET", f"{created.run_path}/stream", headers=headers) as response:
            assert response.headers["content-type"].startswith("text/event-stream"), response.read()
            yield from _read_frames(response.iter_text())


def _read_frames(pieces) -> Iterator[StreamFrame]:
    text = ""
    for piece in pieces:
        text += piece
        while "\n\n" in text:
            frame, _, text = text.partition("\n\n")
            fields = dict(line.split(": ", 1) for line in frame.split("\n"))
            yield StreamFrame(fields["event"], fields.get("id"), json.loads(fields["data"]))


def text_of(frames, event: str) -> str:
    """The text that frames of one kind carry together."""
    return "".join(frame.data["text"] for frame in frames if frame.event == event)


def wait_until(condition, *, what: str, seconds: float = 30) -> None:
    """Look again and again until the condition holds; fails the test if it never does."""
    never = threading.Event()
    for _ in range(int(seconds / 0.01)):
        if condition():
            return
        never.wait(0.01)
    pytest.fail(f"waited {seconds} s in vain for {what}")
