"""Watching a run to its end: the stream accelerates, ``GET run`` is the truth.

A stream that ends, breaks or falls silent says nothing; the run is asked for, and while it goes on the stream is
opened again, after longer and longer pauses if it does not hold. Beside all streams one slow poll goes round, so that a
terminal frame lost in a gap is found as well.

A frame that tells of the end has the run asked for at once. While the answer is on its way the reply is read as the
frame told it, and the stream is closed; what counts is the answer. A finished run without a reply is not believed at
once: the frame's stands in for it, else the run is asked for a few times more.
"""

from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus

import anyio
import anyio.lowlevel
from anyio.abc import TaskGroup
from pydantic import ValidationError

from orchestrate.cloud.stream import SeenFrames
from orchestrate.core.effects import WatchRun
from orchestrate.core.events import AccessLost, Event, RunMissing
from orchestrate.engine.last_words import with_reply
from orchestrate.engine.polling import Poller, Watched
from orchestrate.engine.reply import Draft, ReplyTaker
from orchestrate.engine.silence import Silence
from orchestrate.engine.view import ActivityView, shows_activity
from orchestrate.errors import OutcomeUnknown, ProtocolBroken, Refused, ServiceError, Unavailable
from orchestrate.model.names import AgentId, RunId, TaskName
from orchestrate.model.rows import TaskRow
from orchestrate.model.wire import Frame, Run
from orchestrate.ports import AgentService, Clock, Surface

#: Pauses before a stream that did not hold is opened again, in seconds, stretched as the poll's round is. The last one
#: repeats; it is shorter than a round, so that the poll leaves such a run alone.
_PAUSES = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
#: A stream that was open for so long did hold, whatever it brought.
_HELD_SECONDS = 60.0
#: How long the service may not know a run that it made, or refuse to tell of it, before that counts.
_MISSING_SECONDS = 300.0
_ACCESS_STATUSES = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
#: A stream with one of these codes will never say anything again.
_STREAM_GONE = frozenset({"stream_expired"})


@dataclass(slots=True)
class _Watch:
    """One run while it is watched."""

    row: TaskRow
    agent_id: AgentId
    run_id: RunId
    seen: SeenFrames = field(default_factory=SeenFrames)
    #: False once the service keeps no stream of this run.
    has_stream: bool = True
    #: Streams in a row that did not hold; paces the next one.
    broken: int = 0
    refused_since: float | None = None
    ended: Run | None = None
    #: The end as the stream told it, and its reply, read.
    told: Run | None = None
    draft: Draft | None = None


class Watcher:
    """Follows runs, tells of silence, and takes in the reply at the end."""

    def __init__(
        self,
        service: AgentService,
        *,
        clock: Clock,
        view: ActivityView,
        surface: Surface,
        silence: Silence,
        poller: Poller,
        replies: ReplyTaker,
    ) -> None:
        self._service = service
        self._clock = clock
        self._view = view
        self._surface = surface
        self._silence = silence
        self._poller = poller
        self._replies = replies

    async def watch(self, effect: WatchRun) -> Event:
        """The end of the run, with its reply on disk."""
        row = effect.row
        assert row.agent_id is not None, row
        assert row.run_id is not None, row
        watch = _Watch(row, row.agent_id, row.run_id)
        self._view.began(row.name, at=self._clock.monotonic())
        try:
            with self._silence.watching(row):
                return await self._until_end(watch)
        finally:
            self._view.ended(row.name)

    async def _until_end(self, watch: _Watch) -> Event:
        while True:
            await self._follow(watch)
            try:
                run = watch.ended or await self._service.get_run(watch.agent_id, watch.run_id)
            except Refused as error:
                event = self._refused(watch, error)
                if event is not None:
                    return event
            except (Unavailable, OutcomeUnknown, ProtocolBroken):
                pass  # the gate tells it when it lasts; the run is asked for again after a pause
            else:
                watch.refused_since = None
                if run.status.is_terminal:
                    look = partial(self._service.get_run, watch.agent_id, watch.run_id)
                    whole = await with_reply(run, watch.told, look=look, clock=self._clock)
                    return await self._replies.take(watch.row, whole, draft=watch.draft)

    async def _follow(self, watch: _Watch) -> None:
        """Read the stream until it is over or broken, or until the poll finds the run's end."""
        async with anyio.create_task_group() as looks:

            def on_terminal(run: Run) -> None:
                watch.ended = run
                looks.cancel_scope.cancel()

            with self._poller.watching((watch.agent_id, watch.run_id), on_terminal=on_terminal) as polled:
                await self._clock.sleep(self._pause_seconds(watch))
                opened_at = self._clock.monotonic()
                if watch.has_stream:
                    await self._read(watch, polled, looks)
                has_held = self._clock.monotonic() - opened_at >= _HELD_SECONDS
                watch.broken = 0 if has_held else watch.broken + 1

    def _pause_seconds(self, watch: _Watch) -> float:
        return _PAUSES[min(watch.broken, len(_PAUSES) - 1)] * self._poller.stretch

    async def _read(self, watch: _Watch, polled: Watched, looks: TaskGroup) -> None:
        watch.seen.on_connect()
        resume_after, result = watch.seen.resume_after, None
        try:
            async with self._service.stream_run(watch.agent_id, watch.run_id, last_event_id=resume_after) as frames:
                async for frame in frames:
                    polled.heard_at = self._clock.monotonic()
                    if watch.seen.is_new(frame) and shows_activity(frame):
                        self._saw(watch.row.name, frame)
                    if frame.event == "result" and result is None:
                        result = frame
                        looks.start_soon(self._look_early, watch)
                        await anyio.lowlevel.checkpoint()
                    if frame.event == "error" and frame.data.get("code") == "invalid_last_event_id":
                        watch.seen.on_connect(from_start=True)
        except ServiceError as error:
            polled.heard_at = None
            watch.has_stream = error.code not in _STREAM_GONE
        if result is not None:
            await self._draft(watch, result)

    async def _look_early(self, watch: _Watch) -> None:
        """The look that follows every stream, before the stream is closed; it counts only if it finds an end."""
        with suppress(ServiceError):
            run = await self._service.get_run(watch.agent_id, watch.run_id)
            if run.status.is_terminal:
                watch.ended = run

    async def _draft(self, watch: _Watch, result: Frame) -> None:
        """Read the reply while that look is on its way."""
        await anyio.lowlevel.checkpoint()  # its request leaves first
        watch.told = _told(watch, result)
        if watch.told is not None:
            watch.draft = await self._replies.draft(watch.row, watch.told)

    def _saw(self, name: TaskName, frame: Frame) -> None:
        doing = self._view.saw(name, frame, at=self._clock.monotonic())
        self._silence.stirred(name)
        if doing is not None:
            self._surface.saw_activity(name, doing)

    def _refused(self, watch: _Watch, error: Refused) -> Event | None:
        """What a refused look means; None while it may be a new run that the service does not see everywhere yet."""
        name, run_id = watch.row.name, watch.run_id
        if error.status in _ACCESS_STATUSES:
            return AccessLost(task=name, run_id=run_id, message=error.message, hint=error.hint)
        now = self._clock.monotonic()
        watch.refused_since = now if watch.refused_since is None else watch.refused_since
        if now - watch.refused_since < _MISSING_SECONDS:
            return None
        return RunMissing(task=name, run_id=run_id, message=_missing_words(run_id, error))


def _told(watch: _Watch, result: Frame) -> Run | None:
    """The run as the last frame tells it; None where that is not readable."""
    data = result.data
    told = {**data, "result": data.get("result") or data.get("text"), "createdAt": "", "updatedAt": ""}
    try:
        return Run.model_validate({**told, "id": watch.run_id, "agentId": watch.agent_id})
    except ValidationError:
        return None


def _missing_words(run_id: RunId, error: Refused) -> str:
    if error.status == HTTPStatus.NOT_FOUND:
        return f"the service does not know run {run_id} any more."
    return f"the service tells nothing of run {run_id}: {error.message}."
