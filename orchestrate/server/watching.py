"""Sending a run's frames to one client, as they come."""

from collections.abc import AsyncIterator

import anyio
from starlette.types import Receive, Scope, Send

from orchestrate.server.lookups import Lookups
from orchestrate.server.records import RunRecord
from orchestrate.server.streams import HEARTBEAT, Position, Step, error_frame, frames_after, is_within, read_position

HEARTBEAT_SECONDS = 15

_HEADERS = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"cache-control", b"no-store")]


class StreamResponse:
    """The stream of one run, from where the client left off."""

    def __init__(
        self, lookups: Lookups, *, run: RunRecord, last_event_id: str | None, heartbeat_seconds: float
    ) -> None:
        self._lookups = lookups
        self._heartbeat_seconds = heartbeat_seconds
        self._run = run
        self._last_event_id = last_event_id

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        """Send frames until the run has ended, the client has left, or the server stops."""
        await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
        if self._run.status.is_terminal:
            await self._send_frames(send)
            return
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_leave_with_client, receive, tasks.cancel_scope)
            await self._send_frames(send)
            tasks.cancel_scope.cancel()

    async def _send_frames(self, send: Send) -> None:
        is_last = False
        async for piece, is_last in self._pieces():
            await send({"type": "http.response.body", "body": piece, "more_body": not is_last})
        if not is_last:
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _pieces(self) -> AsyncIterator[tuple[bytes, bool]]:
        """Frames to send now, each time with whether they are the last ones."""
        position = self._start()
        if position is None:
            yield error_frame("invalid_last_event_id", "This Last-Event-ID does not belong to this run"), True
            return
        while True:
            live = self._lookups.live(self._run.id)
            news = live.news if live else None
            run = live.run if live else self._lookups.ended_run(self._run)
            piece, position = frames_after(position, run=run, transcript=self._lookups.transcript(run))
            if piece:
                yield piece, position.step is Step.DONE
            elif news is None:
                return
            if position.step is Step.DONE or self._lookups.is_stopping:
                return
            if not piece and news is not None and not await _is_set_within(self._heartbeat_seconds, news):
                yield HEARTBEAT, False

    def _start(self) -> Position | None:
        if self._last_event_id is None:
            return Position()
        position = read_position(self._last_event_id)
        transcript = self._lookups.transcript(self._run)
        return position if position and is_within(position, run=self._run, transcript=transcript) else None


async def _is_set_within(seconds: float, news: anyio.Event) -> bool:
    with anyio.move_on_after(seconds):
        await news.wait()
    return news.is_set()


async def _leave_with_client(receive: Receive, scope: anyio.CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()
