"""``orchestrate inspect PLAN TASK``: a sample of what an agent does right now; reads only, and leaves."""

import argparse
from collections import deque
from dataclasses import dataclass, field
from functools import partial

import anyio

from orchestrate.cli import numbers, output
from orchestrate.cli.agent_stream import (
    Kind,
    Said,
    Target,
    follow,
    lines_for,
    service_of_target,
    target_of,
    warn_people,
)
from orchestrate.cli.asking import add_plan_and_task, add_runtime
from orchestrate.cli.settings import Settings
from orchestrate.ports import Clock
from orchestrate.system import SystemClock

_LISTENED_SECONDS = 2.0
_TOOLS, _TEXTS = 5, 10


@dataclass(slots=True)
class _Sample:
    """The last of each kind, and when the last of all came."""

    clock: Clock
    heard_at: float
    last: Said | None = None
    #: The run's status, once it is over.
    ended: str | None = None
    tools: deque[str] = field(default_factory=lambda: deque(maxlen=_TOOLS))
    texts: deque[str] = field(default_factory=lambda: deque(maxlen=_TEXTS))

    def take(self, said: Said) -> None:
        """A line; what was said before the listening began comes first, and at once."""
        self.heard_at, self.last = self.clock.monotonic(), said
        (self.tools if said.kind is Kind.TOOL else self.texts).append(said.words)

    @property
    def silent_seconds(self) -> float:
        """For how long nothing came while somebody listened."""
        return round(self.clock.monotonic() - self.heard_at, 1)


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    add_plan_and_task(parser)
    add_runtime(parser)
    parser.add_argument(
        "--seconds",
        metavar="SEC",
        type=numbers.seconds_from_zero,
        default=_LISTENED_SECONDS,
        help=f"how long to listen (default: {_LISTENED_SECONDS:g})",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Listen for a moment, and print what came last."""
    target, clock = target_of(args), SystemClock()
    sample = _Sample(clock, clock.monotonic())
    if not target.is_over:
        anyio.run(partial(_listen, target, sample, args, settings))
    if args.json:
        output.put_json(output.success("inspect", **_object(target, sample)))
    else:
        output.put(_lines(target, sample))
    return 0


async def _listen(target: Target, sample: _Sample, args: argparse.Namespace, settings: Settings) -> None:
    service = await service_of_target(target, args, settings)
    lines = lines_for(service, settings)
    async with service.client() as client:
        with anyio.move_on_after(args.seconds):
            run = await follow(client, target, lines=lines, tell=sample.take, clock=sample.clock, warn=warn_people)
            sample.ended = run.status.value.lower()
    heard_at = sample.heard_at
    for each in lines.rest():
        sample.take(each)
    sample.heard_at = heard_at


def _object(target: Target, sample: _Sample) -> dict[str, object]:
    """The answer to ``--json``."""
    row = target.row
    found: dict[str, object] = {"task": row.name, "status": row.status, "agentId": row.agent_id, "runId": row.run_id}
    if target.is_over:
        return {**found, "message": target.over_words}
    if sample.ended is not None:
        found["runStatus"] = sample.ended
    if sample.last is not None:
        found["last"] = {"kind": sample.last.kind, "text": sample.last.words}
    if row.stalled_since is not None:
        found["stalledSince"] = row.stalled_since
    return {**found, "tools": [*sample.tools], "text": [*sample.texts], "silentSeconds": sample.silent_seconds}


def _lines(target: Target, sample: _Sample) -> list[str]:
    row = target.row
    if target.is_over:
        return [target.over_words]
    stalled = "" if row.stalled_since is None else f", stalled since {row.stalled_since}"
    ended = "" if sample.ended is None else f"; its run has just ended: {sample.ended}"
    last = "nothing yet" if sample.last is None else sample.last.words
    return [
        f"{row.name}  {row.status}{stalled}{ended}",
        f"  last     {last}",
        f"  silent   for {sample.silent_seconds:g} s while this command listened",
        *(f"  tool     {each}" for each in sample.tools),
        *(f"  text     {each}" for each in sample.texts),
        f"  follow   orchestrate tail {target.asked.location.argument} {row.name}",
    ]
