"""Doing wrong on purpose: stands between the gate and the application of a server that was told to.

A server without a fault plan has none of this in its way.
"""

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from orchestrate.model.call_classes import CallClass, call_class
from orchestrate.model.timestamps import epoch_seconds
from orchestrate.model.wire import IDEMPOTENCY_HEADER
from orchestrate.ports import Clock
from orchestrate.server.fault_plan import Deed, FaultPlan, Rule
from orchestrate.server.injected_limits import Buckets, Places
from orchestrate.server.injected_streams import BrokenOff, spoiled

#: What the cloud says where it takes no more agents.
FULL = "You are rate-limited due to too many concurrent runs"
_TAKES_A_PLACE = (CallClass.CREATE, CallClass.FOLLOW_UP)


@dataclass(frozen=True, slots=True)
class Standing:
    """What a fault plan needs to know of the server."""

    clock: Clock
    #: Agents that count, by whether they count until they are archived.
    agents: Callable[[bool], int]
    #: Remembers crashes, so that a server that is started again does not die for ever.
    crashes: Path
    #: Told of each call that found a bucket empty or no place.
    on_refusal: Callable[[CallClass, str], None] = lambda _class, _why: None


class FaultyApp:
    """The application, with the faults of a plan."""

    def __init__(self, app: ASGIApp, plan: FaultPlan, standing: Standing) -> None:
        self._app = app
        self._plan = plan
        self._standing = standing
        self._buckets = Buckets(plan.limits, clock=standing.clock)
        capacity = plan.capacity
        self._places = (
            None if capacity is None else Places(capacity, taken=lambda: standing.agents(capacity.until_archived))
        )
        self._met = [0] * len(plan.rules)
        self._crashed = _crashes(standing.crashes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, in one way or another."""
        its_class = call_class(scope["method"], scope["path"])
        rule = self._rule(its_class, scope["path"])
        if rule is None:
            await self._limited(its_class, scope, receive, send)
            return
        match rule.do:
            case Deed.REFUSE:
                await _refusal(rule.status, rule.code, rule.message, rule.headers)(scope, receive, send)
            case Deed.EXPIRE:
                gone = "The stream of this run is not kept any more"
                await _refusal(410, "stream_expired", gone, {})(scope, receive, send)
            case Deed.CRASH:
                self._die(rule)
            case Deed.DELAY:
                await self._standing.clock.sleep(rule.seconds)
                await self._limited(its_class, scope, receive, send)
            case Deed.CUT | Deed.REPEAT | Deed.HEARTBEATS:
                await self._streamed(rule, scope, receive, send)
            case _:
                await self._answered_otherwise(rule, scope, receive, send)

    def _rule(self, its_class: CallClass, path: str) -> Rule | None:
        """The first rule that is about this call; every rule that fits counts it."""
        chosen = None
        for place, rule in enumerate(self._plan.rules):
            if rule.call not in (None, its_class) or rule.path not in path:
                continue
            self._met[place] += 1
            turn = self._met[place] - rule.skip
            is_due = turn > 0 and (rule.times is None or turn + self._crashed.count(place) <= rule.times)
            if chosen is None and is_due:
                chosen = rule
        return chosen

    async def _limited(self, its_class: CallClass, scope: Scope, receive: Receive, send: Send) -> None:
        """The call as it is, within the limits that were asked for."""
        headers = self._buckets.take(its_class)
        if headers is not None:
            self._standing.on_refusal(its_class, "rate limit")
            refusal = _refusal(429, "rate_limit_exceeded", "Too many requests to this endpoint", headers)
            await refusal(scope, receive, send)
            return
        if self._places is None or its_class not in _TAKES_A_PLACE:
            await self._passed(scope, receive, send)
            return
        if not self._places.take():
            self._standing.on_refusal(its_class, "capacity")
            await _refusal(429, "rate_limit_exceeded", FULL, {})(scope, receive, send)
            return
        try:
            await self._passed(scope, receive, send)
        finally:
            self._places.give_back()

    async def _passed(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The application, which does not get to see what is to be ignored."""
        its_class = call_class(scope["method"], scope["path"])
        if self._plan.ignore_keys:
            hidden = IDEMPOTENCY_HEADER.lower().encode()
            scope = {**scope, "headers": [pair for pair in scope["headers"] if pair[0] != hidden]}
        if self._plan.ignore_ids and its_class is CallClass.CREATE:
            scope, receive = await _without_agent_id(scope, receive)
        if self._plan.list_lag_seconds and its_class is CallClass.LIST:
            send = self._lagging(send)
        await self._app(scope, receive, send)

    async def _streamed(self, rule: Rule, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._app(scope, receive, spoiled(send, rule))
        except* BrokenOff:
            pass  # an answer that was begun and not ended closes the connection

    async def _answered_otherwise(self, rule: Rule, scope: Scope, receive: Receive, send: Send) -> None:
        """Done like any other call; only its answer goes astray."""
        answer: list[Message] = []

        async def keep(message: Message) -> None:
            answer.append(message)

        await self._limited(call_class(scope["method"], scope["path"]), scope, receive, keep)
        if rule.do is Deed.CRASH_AFTER:
            self._die(rule)
        if rule.do is Deed.NO_ANSWER:
            await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"9")]})
            return  # uvicorn closes a connection whose answer was begun and not ended
        await self._standing.clock.sleep(rule.seconds)
        for message in answer:
            await send(message)

    def _lagging(self, send: Send) -> Send:
        begun: list[Message] = []
        pieces: list[bytes] = []

        async def send_old_ones(message: Message) -> None:
            if message["type"] == "http.response.start":
                begun.append(message)
                return
            pieces.append(message.get("body", b""))
            if message.get("more_body", False):
                return
            body = self._old_ones(b"".join(pieces))
            headers = [pair for pair in begun[0]["headers"] if pair[0] != b"content-length"]
            await send({**begun[0], "headers": [*headers, (b"content-length", str(len(body)).encode())]})
            await send({"type": "http.response.body", "body": body})

        return send_old_ones

    def _old_ones(self, body: bytes) -> bytes:
        page: dict[str, Any] = orjson.loads(body)
        if "items" in page:
            before = self._standing.clock.now() - self._plan.list_lag_seconds
            page["items"] = [item for item in page["items"] if (epoch_seconds(item["createdAt"]) or 0.0) <= before]
        return orjson.dumps(page)

    def _die(self, rule: Rule) -> None:
        """End as by ``kill -9``, after noting which rule it was."""
        with self._standing.crashes.open("a", encoding="ascii") as file:
            file.write(f"{self._plan.rules.index(rule)}\n")
        os.kill(os.getpid(), signal.SIGKILL)


def _refusal(status: int, code: str, message: str, headers: dict[str, str]) -> Response:
    body = orjson.dumps({"error": {"code": code, "message": message}})
    return Response(body, status_code=status, media_type="application/json", headers=headers)


def _crashes(path: Path) -> list[int]:
    return [int(line) for line in path.read_text(encoding="ascii").split()] if path.exists() else []


async def _without_agent_id(scope: Scope, receive: Receive) -> tuple[Scope, Receive]:
    """The request as if its sender had left the choice of an id to the server."""
    body = b""
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return scope, receive
        body += message.get("body", b"")
        if not message.get("more_body", False):
            break
    try:
        document = orjson.loads(body)
    except orjson.JSONDecodeError:
        document = None
    if isinstance(document, dict):
        document.pop("agentId", None)
        body = orjson.dumps(document)
    headers = [pair for pair in scope["headers"] if pair[0] != b"content-length"]
    changed = {**scope, "headers": [*headers, (b"content-length", str(len(body)).encode())]}
    given = False

    async def receive_changed() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return changed, receive_changed
