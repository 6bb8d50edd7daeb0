"""What an agent says and does, read from its run's stream beside whoever runs the plan; no word of it is trusted.

Agents write in pieces. They are put together to whole lines first, because half a secret is not known for one; then
what is secret is taken out, and what a terminal would obey is spelled out.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from orchestrate.cli import output
from orchestrate.cli.asking import Asked, asked_workspace
from orchestrate.cli.messages import message_lines
from orchestrate.cli.runtime import choose_runtime, named_runtime
from orchestrate.cli.services import service_at_hand
from orchestrate.cli.settings import Settings
from orchestrate.cli.surroundings import environment_of, secrets_in
from orchestrate.cli.wiring import Service
from orchestrate.cloud.stream import SeenFrames
from orchestrate.engine.view import words_of
from orchestrate.errors import InputRefused, OutcomeUnknown, ProtocolBroken, ServiceError, Unavailable
from orchestrate.model.names import AgentId, RunId
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import TaskStatus
from orchestrate.model.wire import Frame, Run
from orchestrate.ports import AgentService, Clock
from orchestrate.text.redaction import Redactor
from orchestrate.text.terminal import escape_for_terminal

#: Pauses before a stream that ended early is opened again, in seconds; the last one repeats.
_PAUSES = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0)
#: How often a service that cannot tell is told of.
_WARN_SECONDS = 60.0
#: A line that does not end is told in parts of this length.
_LONGEST_LINE = 65_536


class Kind(StrEnum):
    """What a line of an agent is."""

    TOOL = "tool"
    TEXT = "text"
    THINKING = "thinking"


_KINDS = {"assistant": Kind.TEXT, "thinking": Kind.THINKING}


@dataclass(frozen=True, slots=True)
class Said:
    """A line of what an agent said, or a tool call of its; safe to show."""

    kind: Kind
    words: str


class Lines:
    """Frames in, lines out."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._kind = Kind.TEXT
        self._pending = ""

    def take(self, frame: Frame) -> Iterator[Said]:
        """The lines that this frame makes whole."""
        kind, text = _KINDS.get(frame.event), frame.data.get("text")
        if frame.event == "tool_call":
            yield from self.rest()
            yield self._said(Kind.TOOL, f"{words_of(frame)} ({frame.data.get('status') or 'called'})")
        elif kind is not None and isinstance(text, str):
            if kind is not self._kind:
                yield from self.rest()
            self._kind, pending = kind, self._pending + text
            whole, line_end, self._pending = pending.rpartition("\n")
            if line_end:
                yield from self._all(whole)
            if len(self._pending) > _LONGEST_LINE:
                yield from self.rest()

    def rest(self) -> Iterator[Said]:
        """What came without an end of line."""
        pending, self._pending = self._pending, ""
        yield from self._all(pending)

    def _all(self, text: str) -> Iterator[Said]:
        for line in self._redactor.redact(text).split("\n"):
            if line.strip():
                yield Said(self._kind, escape_for_terminal(line.rstrip("\r")))

    def _said(self, kind: Kind, words: str) -> Said:
        return Said(kind, escape_for_terminal(" ".join(self._redactor.redact(words).split())))


@dataclass(frozen=True, slots=True)
class Target:
    """The run that is meant, and where it can be asked for."""

    asked: Asked
    row: TaskRow
    agent_id: AgentId
    run_id: RunId

    @property
    def is_over(self) -> bool:
        """True once whoever runs the plan has taken in the run's end."""
        return self.row.status != TaskStatus.RUNNING

    @property
    def over_words(self) -> str:
        """Where to read how it ended."""
        plan, name = self.asked.location.argument, self.row.name
        return f"{name} does not run any more: {self.row.status}. Read: orchestrate handoff {plan} {name}"


def target_of(args: argparse.Namespace) -> Target:
    """The run of this task; InputRefused where there is none."""
    asked = asked_workspace(args.plan)
    name = asked.task(args.task)
    row, plan = asked.rows.get(name), asked.location.argument
    if row is None or row.agent_id is None or row.run_id is None:
        raise InputRefused(f"{name} has no run that could be looked at.", hint=f"orchestrate status {plan} -v")
    return Target(asked, row, row.agent_id, row.run_id)


async def service_of_target(target: Target, args: argparse.Namespace, settings: Settings) -> Service:
    """The service at which the agent is; none is started, InputRefused where none runs."""
    environment = environment_of(settings)
    named = named_runtime(args.runtime, variable=environment.runtime)
    runtime = choose_runtime(named, plan=target.asked.plan, has_key=environment.api_key is not None)
    service = await service_at_hand(runtime.kind, environment)
    if service is None:
        hint = f"orchestrate run {target.asked.location.argument}"
        raise InputRefused("the local server does not run, so that nobody can tell of the agent.", hint=hint)
    return service


def lines_for(service: Service, settings: Settings) -> Lines:
    """Lines without what is secret here."""
    return Lines(Redactor((*service.secrets, *secrets_in(settings.environ))))


async def follow(
    client: AgentService,
    target: Target,
    *,
    lines: Lines,
    tell: Callable[[Said], None],
    clock: Clock,
    warn: Callable[[str], None],
) -> Run:
    """Tell every line until the run is over; a stream that ends early is opened again.

    ``warn`` hears why nobody can tell of the run, at once and then once a minute.
    """
    seen, broken, warned_at = SeenFrames(), 0, -_WARN_SECONDS
    while True:
        try:
            await _read(client, target, seen=seen, lines=lines, tell=tell)
        except (Unavailable, OutcomeUnknown, ProtocolBroken):
            pass  # the run is asked for, and the stream opened again
        except ServiceError as error:
            if error.code != "stream_expired":
                raise
        run = await _run(client, target)
        if isinstance(run, Run) and run.status.is_terminal:
            for each in lines.rest():
                tell(each)
            return run
        if isinstance(run, ServiceError) and clock.monotonic() - warned_at >= _WARN_SECONDS:
            warn(run.message)
            warned_at = clock.monotonic()
        await clock.sleep(_PAUSES[min(broken, len(_PAUSES) - 1)])
        broken += 1


def warn_people(message: str) -> None:
    """Why nobody can tell of the run now, on stderr."""
    output.say(message_lines("attention", f"{message}; asked again until it can be told."))


async def _read(
    client: AgentService, target: Target, *, seen: SeenFrames, lines: Lines, tell: Callable[[Said], None]
) -> None:
    seen.on_connect()
    async with client.stream_run(target.agent_id, target.run_id, last_event_id=seen.resume_after) as frames:
        async for frame in frames:
            if frame.event == "error" and frame.data.get("code") == "invalid_last_event_id":
                seen.on_connect(from_start=True)
            elif seen.is_new(frame):
                for each in lines.take(frame):
                    tell(each)


async def _run(client: AgentService, target: Target) -> Run | ServiceError:
    """The run as it is now, or why nobody can say."""
    try:
        return await client.get_run(target.agent_id, target.run_id)
    except (Unavailable, OutcomeUnknown, ProtocolBroken) as error:
        return error
