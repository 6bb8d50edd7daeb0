"""Sending messages to agents: the agent's runs are looked at first, and a message leaves with the same key every time.

Without an answer nothing is sent again from here: the machine asks for another look at the runs first.
"""

import hashlib
from collections.abc import Sequence
from http import HTTPStatus

from orchestrate.core.effects import LookUpRuns, SendFollowUp
from orchestrate.core.events import AccessLost, Event
from orchestrate.core.follow_up_events import (
    FollowUpDelayed,
    FollowUpOutcomeUnknown,
    FollowUpRefused,
    FollowUpSent,
    RunsSeen,
)
from orchestrate.engine.launch import LOOK_UP_SECONDS
from orchestrate.errors import InputRefused, RateLimited, Refused, ServiceError, Unavailable
from orchestrate.model.messages import QueuedMessage
from orchestrate.model.names import AgentId, RunId
from orchestrate.model.rows import TaskRow
from orchestrate.model.timestamps import epoch_seconds
from orchestrate.model.vocabulary import MessageDelay
from orchestrate.model.wire import CreateRun, Prompt, Run
from orchestrate.ports import AgentService, Clock, Requests

_ACCESS_STATUSES = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
_BUSY, _ARCHIVED, _CONFLICT = "agent_busy", "agent_archived", "idempotency_conflict"
#: Pause before the second look; each further one is twice as long.
_LOOK_AGAIN_SECONDS = 1.0


class Messenger:
    """Carries out LookUpRuns and SendFollowUp."""

    def __init__(
        self, service: AgentService, *, clock: Clock, requests: Requests, look_up_seconds: float = LOOK_UP_SECONDS
    ) -> None:
        self._service = service
        self._clock = clock
        self._requests = requests
        self._look_up_seconds = look_up_seconds

    async def look_up(self, effect: LookUpRuns) -> Event:
        """The agent's newest run; where the message may have left, also the run that it began, if there is one."""
        row, message = effect.row, effect.row.queue[0]
        is_doubtful = message.sent_at is not None
        began_at, pause = self._clock.monotonic(), _LOOK_AGAIN_SECONDS
        try:
            while True:
                runs = await self._service.list_runs(_agent(row))
                found = _first_after(row, message, runs) if is_doubtful else None
                left = self._look_up_seconds - (self._clock.monotonic() - began_at)
                if found is not None or not is_doubtful or left <= 0:
                    return RunsSeen(
                        task=row.name, message_id=message.id, step=message.step, newest=_newest(row, runs), found=found
                    )
                await self._clock.sleep(min(pause, left))
                pause *= 2
        except ServiceError as error:
            return _not_seen(row, message, error)

    async def send(self, effect: SendFollowUp) -> Event:
        """Send the message, and make its agent take it where that was archived."""
        row, message = effect.row, effect.row.queue[0]
        try:
            body = await self._body(message)
        except InputRefused as error:
            return FollowUpRefused(
                task=row.name, message_id=message.id, step=message.step, code="message_lost", message=error.message
            )
        if row.archived_at is not None:
            later = await self._unarchived(row, message)
            if later is not None:
                return later
        event = await self._sent(row, message, body)
        if not isinstance(event, FollowUpRefused) or event.code != _ARCHIVED:
            return event
        return await self._unarchived(row, message) or await self._sent(row, message, body)

    async def _body(self, message: QueuedMessage) -> bytes:
        """The request: the text as it stands in its file, and nothing else."""
        text = await self._requests.read_message(message.id)
        if text is None or hashlib.sha256(text).hexdigest() != message.digest:
            raise InputRefused(f"messages/{message.id}.md is gone, or is not what it was; nothing was sent")
        request = CreateRun(prompt=Prompt(text=text.decode(errors="replace")))
        return request.model_dump_json(by_alias=True, exclude_none=True).encode()

    async def _sent(self, row: TaskRow, message: QueuedMessage, body: bytes) -> Event:
        try:
            run = await self._service.create_run(_agent(row), body, key=message.key)
        except ServiceError as error:
            return _sorted(row, message, error)
        return FollowUpSent(task=row.name, message_id=message.id, step=message.step, run_id=RunId(run.id))

    async def _unarchived(self, row: TaskRow, message: QueuedMessage) -> Event | None:
        """None once the agent takes follow-ups again; else why the message waits."""
        try:
            await self._service.unarchive_agent(_agent(row))
        except ServiceError as error:
            if isinstance(error, Refused):
                return _sorted(row, message, error)
            return FollowUpDelayed(
                task=row.name,
                message_id=message.id,
                step=message.step,
                delay=MessageDelay.UNREACHABLE,
                message=error.message,
            )
        return None


def _agent(row: TaskRow) -> AgentId:
    assert row.agent_id is not None, row
    return row.agent_id


def _first_after(row: TaskRow, message: QueuedMessage, runs: Sequence[Run]) -> RunId | None:
    """The first run that is newer than the newest one before the message left."""
    known = {message.base_run_id, row.run_id, *(run.id for run in row.runs), *(run.after for run in row.runs)}
    base = next((run for run in runs if run.id == message.base_run_id), None)
    since = 0.0 if base is None else _age(base)[0]
    later = [run for run in runs if run.id not in known and _age(run)[0] >= since]
    first = min(later, key=_age, default=None)
    return None if first is None else RunId(first.id)


def _newest(row: TaskRow, runs: Sequence[Run]) -> RunId | None:
    """The newest run; the one that we know where a service tells moments too coarsely, or has not listed it yet."""
    newest = max(runs, key=_age, default=None)
    known = next((run for run in runs if run.id == row.run_id), None)
    if newest is None or known is None or _age(known)[0] >= _age(newest)[0]:
        return row.run_id
    return RunId(newest.id)


def _age(run: Run) -> tuple[float, str]:
    return epoch_seconds(run.created_at) or float("inf"), run.created_at


def _sorted(row: TaskRow, message: QueuedMessage, error: ServiceError) -> Event:
    """The answer by whose move is next."""
    task, message_id, step, words = row.name, message.id, message.step, error.message
    match error:
        case Refused(code=code) if code == _BUSY:
            return FollowUpDelayed(task=task, message_id=message_id, step=step, delay=MessageDelay.BUSY, message=words)
        case Refused(code=code) if code == _CONFLICT:
            return FollowUpOutcomeUnknown(task=task, message_id=message_id, step=step, message=words)
        case Refused(status=HTTPStatus.UNAUTHORIZED):
            return AccessLost(task=task, run_id=row.run_id, message=words, hint=error.hint)
        case Refused():
            return FollowUpRefused(task=task, message_id=message_id, step=step, code=error.code, message=words)
        case Unavailable():
            return _later(row, message, error)
        case _:
            return FollowUpOutcomeUnknown(task=task, message_id=message_id, step=step, message=words)


def _not_seen(row: TaskRow, message: QueuedMessage, error: ServiceError) -> Event:
    """A look that was not answered says nothing of the message."""
    if isinstance(error, Refused) and error.status in _ACCESS_STATUSES:
        return AccessLost(task=row.name, run_id=row.run_id, message=error.message, hint=error.hint)
    if isinstance(error, Refused):
        return FollowUpRefused(
            task=row.name, message_id=message.id, step=message.step, code=error.code, message=error.message
        )
    if message.sent_at is not None:
        return FollowUpOutcomeUnknown(task=row.name, message_id=message.id, step=message.step, message=error.message)
    if isinstance(error, Unavailable):
        return _later(row, message, error)
    return FollowUpDelayed(
        task=row.name, message_id=message.id, step=message.step, delay=MessageDelay.UNREACHABLE, message=error.message
    )


def _later(row: TaskRow, message: QueuedMessage, error: Unavailable) -> FollowUpDelayed:
    return FollowUpDelayed(
        task=row.name,
        message_id=message.id,
        step=message.step,
        delay=MessageDelay.RATE_LIMIT if isinstance(error, RateLimited) else MessageDelay.UNREACHABLE,
        message=error.message,
        retry_after_seconds=error.retry_after_seconds,
    )
