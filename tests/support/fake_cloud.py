"""A fake of the vendor's service on a loopback port, for commands that run as processes of their own.

::

    with fake_cloud() as cloud:
        project.variables.update(cloud.environment)
        cloud.replies["build"] = "## Status\\nsuccess ..."      # its run ends at once; without a reply it goes on
        cloud.answer_next("POST", "/v1/agents", 429, "rate_limit_exceeded", headers={"Retry-After": "1"})

It keeps the contract as far as the engine uses it: agents by the caller's id, idempotency keys, models, streams.
"""

import json
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

REPLY = "## Status\nsuccess\n\n## Branch\n{branch}\n\n## What I did\nit\n\n## Verification\nunit-test-verified\n"
_NOW = "2026-03-04T14:00:00Z"
#: Takes the request in and then says nothing: the connection breaks.
NO_ANSWER = 0


@dataclass
class _Planned:
    """An answer that is given once in the place of the true one."""

    method: str
    path: str
    status: int
    code: str
    headers: dict[str, str]
    #: True: the request is carried out all the same.
    is_done: bool = False


@dataclass
class FakeCloud:
    """One account; change its fields at any time."""

    key: str = "cloud-key-0123456789"
    #: Ids, or whole entries of the catalogue.
    models: list[str | dict] = field(default_factory=lambda: ["gpt-5.4", "composer-2"])
    #: What ``/v1/me`` says beside the name of the key.
    owner: dict[str, object] = field(default_factory=dict)
    #: Last messages by task; a run whose task has one is over.
    replies: dict[str, str] = field(default_factory=dict)
    #: What ``git.branches`` says, by task.
    branches: dict[str, str] = field(default_factory=dict)
    #: Every create request in order, with its key.
    creates: list[tuple[str | None, dict]] = field(default_factory=list)
    #: Every call as it came: method, path, whether the key was right.
    calls: list[tuple[str, str, bool]] = field(default_factory=list)
    agents: dict[str, dict] = field(default_factory=dict)
    port: int = 0
    _planned: list[_Planned] = field(default_factory=list)

    @property
    def environment(self) -> dict[str, str | None]:
        return {"CURSOR_API_KEY": self.key, "CURSOR_BACKEND_URL": f"http://127.0.0.1:{self.port}"}

    def answer_next(
        self, method: str, path: str, status: int, code: str = "", *, headers: dict | None = None, is_done: bool = False
    ) -> None:
        """Answer the next request whose path ends like this so, once."""
        self._planned.append(_Planned(method, path, status, code, headers or {}, is_done=is_done))

    def planned(self, method: str, path: str) -> _Planned | None:
        for answer in self._planned:
            if answer.method == method and path.endswith(answer.path):
                self._planned.remove(answer)
                return answer
        return None

    def task_of(self, agent: dict) -> str:
        return str(agent["name"]).rpartition("/")[2]

    def create(self, key: str | None, body: dict) -> tuple[int, dict]:
        self.creates.append((key, body))
        agent_id = body.get("agentId") or f"bc-{uuid.uuid4()}"
        if agent_id not in self.agents:
            run_id = f"run-{uuid.uuid4()}"
            self.agents[agent_id] = {
                "id": agent_id,
                "name": body.get("name"),
                "status": "ACTIVE",
                "metadata": body.get("metadata", {}),
                "url": f"https://cursor.example/{agent_id}",
                "createdAt": _NOW,
                "updatedAt": _NOW,
                "latestRunId": run_id,
            }
        agent = self.agents[agent_id]
        return 200, {"agent": agent, "run": self.run(agent)}

    def run(self, agent: dict) -> dict:
        task = self.task_of(agent)
        run = {"id": agent["latestRunId"], "agentId": agent["id"], "createdAt": _NOW, "updatedAt": _NOW}
        if task not in self.replies:
            return {**run, "status": "RUNNING"}
        branches = [{"repoUrl": "r", "branch": self.branches[task]}] if task in self.branches else []
        return {**run, "status": "FINISHED", "result": self.replies[task], "git": {"branches": branches}}

    def answer(self, method: str, path: str, *, key: str | None, body: dict) -> tuple[int, dict]:
        parts = path.partition("?")[0].strip("/").split("/")[1:]
        match method, parts:
            case "GET", ["me"]:
                return 200, {"apiKeyName": "test", "createdAt": _NOW, **self.owner}
            case "GET", ["models"]:
                return 200, {"items": [_entry(model) for model in self.models]}
            case "POST", ["agents"]:
                return self.create(key, body)
            case "GET", ["agents"]:
                return 200, {"items": list(self.agents.values())}
            case "GET", ["agents", agent_id] if agent_id in self.agents:
                return 200, self.agents[agent_id]
            case "GET", ["agents", agent_id, "runs"] if agent_id in self.agents:
                return 200, {"items": [self.run(self.agents[agent_id])]}
            case "GET", ["agents", agent_id, "runs", _] if agent_id in self.agents:
                return 200, self.run(self.agents[agent_id])
            case "GET", ["agents", _, "runs", _, "stream"]:
                return 503, _error("stream_unavailable")
        return 404, _error("not_found")


def _entry(model: str | dict) -> dict:
    return {"id": model, "displayName": model} if isinstance(model, str) else model


def _error(code: str) -> dict:
    return {"error": {"code": code, "message": f"the fake says {code}"}}


@contextmanager
def fake_cloud() -> Iterator[FakeCloud]:
    """The fake while it listens."""
    cloud, lock = FakeCloud(), threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._serve("GET")

        def do_POST(self) -> None:
            self._serve("POST")

        def log_message(self, *_arguments: object) -> None:
            """Nobody reads it."""

        def _serve(self, method: str) -> None:
            text = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            with lock:
                answered = self._answered(method, json.loads(text or b"{}"))
            if answered is None:
                self.close_connection = True
                return
            status, document, headers = answered
            data = json.dumps(document).encode()
            self.send_response(status)
            for name, value in {
                "Content-Type": "application/json",
                "Content-Length": str(len(data)),
                **headers,
            }.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def _answered(self, method: str, body: dict) -> tuple[int, dict, dict] | None:
            is_known = self.headers.get("Authorization") == f"Bearer {cloud.key}"
            cloud.calls.append((method, self.path, is_known))
            if not is_known:
                return 401, _error("unauthorized"), {}
            planned = cloud.planned(method, self.path.partition("?")[0])
            if planned is None or planned.is_done:
                status, document = cloud.answer(method, self.path, key=self.headers.get("Idempotency-Key"), body=body)
                if planned is None:
                    return status, document, {}
            return None if planned.status == NO_ANSWER else (planned.status, _error(planned.code), planned.headers)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        cloud.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield cloud
        finally:
            server.shutdown()
            thread.join()
