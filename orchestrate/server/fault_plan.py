"""What a server is told to do wrong: the format, and reading it. Off unless somebody asks for it.

docs/server-faults.md says what each field means to whoever writes one.
"""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from orchestrate.errors import InputRefused
from orchestrate.model.call_classes import CallClass

#: JSON, or the path of a file with it, in the environment of a server.
FAULTS_VARIABLE = "ORCHESTRATE_SERVER_FAULTS"

_Seconds = Annotated[float, Field(ge=0, le=86_400)]
_Whole = Annotated[int, Field(ge=0, le=1_000_000)]


class Deed(StrEnum):
    """What is done to a call."""

    #: Answered with a status and a code; nothing is done.
    REFUSE = "refuse"
    #: Done after a while.
    DELAY = "delay"
    #: Done at once, answered after a while.
    ANSWER_LATE = "answer-late"
    #: Done, and the connection breaks in the place of an answer.
    NO_ANSWER = "no-answer"
    #: The server dies before anything is done.
    CRASH = "crash"
    #: The server dies after it is done and before it is answered.
    CRASH_AFTER = "crash-after"
    #: The stream breaks after so many frames.
    CUT = "cut"
    #: Every frame comes several times.
    REPEAT = "repeat"
    #: The stream says nothing but that it is there.
    HEARTBEATS = "heartbeats"
    #: The stream is not kept any more.
    EXPIRE = "expire"


_OF_STREAMS = frozenset({Deed.CUT, Deed.REPEAT, Deed.HEARTBEATS, Deed.EXPIRE})


class RetryAfter(StrEnum):
    """How an answer that asks for fewer calls says when to come again."""

    SECONDS = "seconds"
    DATE = "date"
    NONE = "none"


class _Part(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True)


class Rule(_Part):
    """One thing that goes wrong, with calls of one class or with all."""

    do: Deed
    #: The class of calls; None is every call.
    call: CallClass | None = None
    #: Only calls whose path contains this.
    path: str = ""
    #: So many calls that fit pass unharmed first.
    skip: _Whole = 0
    #: How often; None is always.
    times: Annotated[int, Field(ge=1)] | None = None
    status: Annotated[int, Field(ge=300, le=599)] = 503
    code: str = "unavailable"
    message: str = "this fault was asked for"
    headers: dict[str, str] = {}
    seconds: _Seconds = 1.0
    frames: _Whole = 0
    copies: Annotated[int, Field(ge=2, le=1000)] = 2

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.do in _OF_STREAMS and self.call is not CallClass.STREAM:
            raise ValueError(f'"{self.do}" needs "call": "stream"')
        return self


class Limit(_Part):
    """A bucket of tokens: it holds ``burst``, and ``perMinute`` flow in."""

    per_minute: Annotated[float, Field(gt=0)]
    burst: Annotated[int, Field(ge=1)] = 20
    retry_after: RetryAfter = RetryAfter.SECONDS


class Capacity(_Part):
    """How many agents the service takes."""

    agents: _Whole
    #: True: an agent counts until it is archived, not only while a run goes on.
    until_archived: bool = False


class FaultPlan(_Part):
    """Everything that goes wrong."""

    rules: tuple[Rule, ...] = ()
    limits: dict[CallClass, Limit] = {}
    capacity: Capacity | None = None
    #: Repeated requests are done again, whatever their key.
    ignore_keys: bool = False
    #: The server chooses every agent's id, whatever was asked for.
    ignore_ids: bool = False
    #: New agents and runs are missing from lists for so long.
    list_lag_seconds: _Seconds = 0.0


def read_fault_plan(text: str, *, where: str) -> FaultPlan:
    """The plan in this JSON; InputRefused with everything that is wrong with it."""
    try:
        return FaultPlan.model_validate_json(text)
    except ValidationError as error:
        wrong = "; ".join(_readable(item["loc"], item["msg"]) for item in error.errors())
        raise InputRefused(f"{where}: {wrong}", hint="docs/server-faults.md has the format") from error


def fault_plan_at(path: Path) -> FaultPlan:
    """The plan in this file."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputRefused(f"{path} cannot be read: {reason}", hint="name a file with a JSON object") from error
    return read_fault_plan(text, where=str(path))


def fault_plan_named(value: str | None) -> FaultPlan | None:
    """What the environment asks for: JSON, or the path of a file; None where it asks for nothing."""
    if not value:
        return None
    if value.lstrip().startswith("{"):
        return read_fault_plan(value, where=FAULTS_VARIABLE)
    return fault_plan_at(Path(value))


def _readable(location: tuple[int | str, ...], message: str) -> str:
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in location).lstrip(".")
    return f"{path or 'the object'}: {message}"
