"""Asking whoever runs a workspace: the engine that is at it, or, where there is none, an engine of our own.

The request is a file in the workspace's inbox. While an engine holds the lock it is waited for; once the lock is free
we take it and run the same loop, which then answers every request that waits there and launches nothing.
"""

import os
import pwd
import uuid
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import anyio
import anyio.to_thread

from orchestrate.cli.answering import answer_requests
from orchestrate.cli.locating import PlanLocation
from orchestrate.cli.wiring import Service
from orchestrate.errors import InputRefused, OrchestrateError, OutcomeUnknown
from orchestrate.model.inbox_requests import InboxAnswer, InboxRequest
from orchestrate.model.names import RequestId
from orchestrate.model.plan import Plan
from orchestrate.ports import Clock
from orchestrate.store.files import Folder
from orchestrate.store.inbox import InboxFiles
from orchestrate.store.loading import workspace_folder
from orchestrate.store.lock import Holder, living_holder
from orchestrate.system import SystemClock, run_event_loop

#: An engine looks every 200 ms; one that is silent for so long is stopped, or its disk is.
TIMEOUT_SECONDS = 30.0
#: How often the answer is looked for.
_LOOK_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Place:
    """The workspace that is asked, and what an engine of our own needs there."""

    location: PlanLocation
    plan: Plan
    #: The repository, for the prompts and differences of that engine.
    repo_url: str
    variables: Mapping[str, str]
    #: How to reach the service, for a request that may need it; None for one that never does.
    reach: Callable[[], Awaitable[Service]] | None = None
    #: True where other machines are to know at once what came of it.
    shows_state: bool = False


def send_request(place: Place, request: InboxRequest, *, timeout_seconds: float = TIMEOUT_SECONDS) -> InboxAnswer:
    """The answer to this request; OutcomeUnknown while a living engine gives none, and then the request stays there."""
    return run_event_loop(partial(sent, place, request, timeout_seconds=timeout_seconds, clock=SystemClock()))


def new_request_id() -> RequestId:
    """An id that no other request has."""
    return RequestId(str(uuid.uuid4()))


def this_person() -> str:
    """Who asks, for people: ``ana@build-host``."""
    uid = os.getuid()
    name = str(uid)
    with suppress(KeyError):
        name = pwd.getpwuid(uid).pw_name
    return f"{name}@{os.uname().nodename}"


async def sent(
    place: Place, request: InboxRequest, *, clock: Clock, timeout_seconds: float = TIMEOUT_SECONDS
) -> InboxAnswer:
    """The same, inside an event loop."""
    folder = await anyio.to_thread.run_sync(workspace_folder, place.location.folder)
    inbox = InboxFiles(folder)
    await anyio.to_thread.run_sync(inbox.put, request)
    began_at = clock.monotonic()
    while True:
        answer = await anyio.to_thread.run_sync(inbox.answer_to, request.id)
        if answer is not None:
            return answer
        holder = await _holder(folder, clock)
        if holder is None:
            holder = await _answered_here(place, request, folder, clock)
        if clock.monotonic() - began_at > timeout_seconds:
            raise _no_answer(place, holder, timeout_seconds)
        await clock.sleep(_LOOK_SECONDS)


async def _answered_here(place: Place, request: InboxRequest, folder: Folder, clock: Clock) -> Holder | None:
    """Answer all requests ourselves; the engine that was faster, if there is one."""
    try:
        await answer_requests(
            place.plan,
            folder=place.location.folder.resolve(),
            repo_url=place.repo_url,
            variables=place.variables,
            service=None if place.reach is None else await place.reach(),
            shows_state=place.shows_state,
        )
    except OrchestrateError as error:
        holder = await _holder(folder, clock)
        if isinstance(error, InputRefused) and holder is not None:
            return holder
        await anyio.to_thread.run_sync(InboxFiles(folder).withdraw, request.id)
        raise
    return None


async def _holder(folder: Folder, clock: Clock) -> Holder | None:
    return await anyio.to_thread.run_sync(partial(living_holder, folder, now=clock.now()))


def _no_answer(place: Place, holder: Holder | None, timeout_seconds: float) -> OutcomeUnknown:
    plan, who = place.location.argument, "" if holder is None else f" ({holder.described()})"
    return OutcomeUnknown(
        f"the engine{who} gave no answer within {timeout_seconds:g} s; the request is kept and "
        "carried out as soon as it looks.",
        hint=f"orchestrate status {plan} shows whether it was done",
    )
