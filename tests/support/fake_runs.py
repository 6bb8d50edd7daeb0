"""Runs of the fake agent service: their streams, and what they took."""

from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

import anyio
from pydantic import BaseModel, ValidationError

from orchestrate.errors import Refused, Unavailable
from orchestrate.model.wire import AgentUsage, Cost, CreateRun, Frame, Run, RunUsage, TokenUsage

_Request = TypeVar("_Request", bound=BaseModel)


@dataclass
class FakeRun:
    """A run with its stream."""

    run: Run
    frames: list[Frame] = field(default_factory=list)
    changed: anyio.Event = field(default_factory=anyio.Event)
    #: How often all open streams were cut.
    cuts: int = 0
    #: What the run took, where it told.
    usage: RunUsage | None = None
    #: What was asked for in a follow-up.
    request: CreateRun | None = None

    def announce(self) -> None:
        self.changed.set()
        self.changed = anyio.Event()


def read_request(model: type[_Request], body: bytes) -> _Request:
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        raise Refused(f"the request is wrong: {error}", code="validation_error", status=400) from error


def usage_of(runs: Iterable[FakeRun]) -> AgentUsage:
    """What runs took; a total is there only if every run that has ended told its share."""
    ended = [live for live in runs if live.run.status.is_terminal]
    told = tuple(live.usage for live in ended if live.usage is not None)
    if len(told) < len(ended):
        return AgentUsage(runs=told)
    total = _sum(TokenUsage, [usage.usage for usage in told]) or TokenUsage()
    return AgentUsage(total_usage=total, cost=_sum(Cost, [usage.cost or Cost() for usage in told]), runs=told)


async def pieces_of(content: bytes) -> AsyncGenerator[bytes, None]:
    for start in range(0, len(content), 4):
        yield content[start : start + 4]


async def frames_of(live: FakeRun, after: str | None) -> AsyncGenerator[Frame, None]:
    """The frames behind the last one with this id, those to come included, until the run's last word or a cut."""
    places = [place for place, frame in enumerate(live.frames) if frame.id == after]
    if after is not None and not places:
        yield Frame(None, "error", {"code": "invalid_last_event_id", "message": "no such frame"})
        return
    place, cuts = (places[-1] + 1 if places else 0), live.cuts
    while True:
        while place < len(live.frames):
            yield live.frames[place]
            place += 1
            if live.frames[place - 1].event == "done":
                return
        if live.cuts != cuts:
            raise Unavailable("the stream was cut", code="disconnected")
        if live.run.status.is_terminal:
            return
        await live.changed.wait()


def _sum(model: type[_Request], parts: Iterable[BaseModel]) -> _Request | None:
    """What all parts tell, added up; None where they tell nothing together."""
    told = [part.model_dump(exclude_none=True) for part in parts]
    names = [name for name in (told[0] if told else {}) if all(name in numbers for numbers in told)]
    return model(**{name: sum(numbers[name] for numbers in told) for name in names}) if names else None
