"""The simulated remote: which branches agents really pushed, and what a look at them says."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from orchestrate.core.measurement_events import MeasurementsTaken
from orchestrate.core.ref_events import RefsSeen, SeenRef, WantedRef
from orchestrate.model.names import placeholder_branch
from orchestrate.model.vocabulary import MeasurementOutcome, RunStatus, TaskType
from tests.support.builders import SLUG
from tests.support.world_measuring import SimulatedBench

if TYPE_CHECKING:
    from orchestrate.model.names import RunId, Timestamp
    from orchestrate.model.plan import Measurement
    from orchestrate.model.rows import TaskRow
    from tests.support.world_service import SimulatedAgent, SimulatedService

_BASE = "main"
_BASE_SHA = "sha of main"
#: How often an agent that names a branch did push it, and how often it pushed no commit of its own.
_PUSHES, _EMPTY = 0.85, 0.05
#: How often one that failed had pushed to the planned branch before.
_PUSHES_AND_FAILS = 0.4
_UNREACHABLE, _LATE = 0.1, 0.15


class SimulatedRemote:
    """Draws from a stream of its own, so that the seeds of the service stay what they are."""

    def __init__(self, seed: int, service: SimulatedService) -> None:
        self._random = Random(f"remote {seed}")
        self._service = service
        self._of_failed = Random(f"pushed and failed {seed}")
        self.bench = SimulatedBench(seed)
        self._shas: dict[RunId, str | None] = {}

    def head(self, branch: str, *, now: float) -> str | None:
        """The commit of this branch; None if nobody has pushed it."""
        if branch == _BASE:
            return _BASE_SHA
        runs = [run for agent in self._service.agents.values() for run in agent.runs if run.is_over(now)]
        shas = [self._pushed(run) for run in runs if _branch_of(run) == branch]
        return next((sha for sha in reversed(shas) if sha is not None), None)

    def answer(self, refs: tuple[WantedRef, ...], *, now: float) -> tuple[RefsSeen, float]:
        """What a look says, and after how many seconds."""
        lot = self._random.random()
        if lot < _UNREACHABLE:
            event = RefsSeen(
                refs=tuple(SeenRef(ref.task, ref.attempt, ref.branch, runs=ref.runs) for ref in refs),
                unknown="no route",
            )
            return event, self._random.uniform(0.1, 12)
        seconds = self._random.uniform(5, 12) if lot < _UNREACHABLE + _LATE else self._random.uniform(0, 1)
        return RefsSeen(refs=tuple(self._seen(ref, now=now) for ref in refs)), seconds

    def measure(
        self, row: TaskRow, declared: tuple[Measurement, ...], *, at: Timestamp
    ) -> tuple[MeasurementsTaken, float]:
        """What commands print on a commit, and after how many seconds."""
        assert row.head_sha is not None, row
        outcomes = [self._random.choice(list(MeasurementOutcome)) for _ in declared]
        pairs = zip(declared, outcomes, strict=True)
        measured = tuple(self.bench.measured(spec, sha=row.head_sha, drawn=drawn, at=at) for spec, drawn in pairs)
        return MeasurementsTaken(task=row.name, sha=row.head_sha, measured=measured), self._random.uniform(0, 120)

    def _seen(self, ref: WantedRef, *, now: float) -> SeenRef:
        start = None if ref.start is None else self.head(ref.start, now=now)
        return SeenRef(ref.task, ref.attempt, ref.branch, self.head(ref.branch, now=now), start, ref.runs)

    def _pushed(self, agent: SimulatedAgent) -> str | None:
        if agent.run_id not in self._shas and not agent.hands_off:
            self._shas[agent.run_id] = _sha_of(agent) if self._of_failed.random() < _PUSHES_AND_FAILS else None
        if agent.run_id not in self._shas:
            lot = self._random.random()
            own = _sha_of(agent)
            self._shas[agent.run_id] = _BASE_SHA if lot < _EMPTY else own if lot < _PUSHES else None
        return self._shas[agent.run_id]


def _sha_of(agent: SimulatedAgent) -> str:
    """A commit of its own for each run."""
    return f"sha of {agent.id}" if agent.message is None else f"sha of {agent.run_id}"


def _branch_of(agent: SimulatedAgent) -> str | None:
    """The branch that it names, or the planned one of one that failed."""
    if agent.hands_off:
        return agent.handoff.branch
    if agent.is_gone or agent.status == RunStatus.CANCELLED:
        return None
    return placeholder_branch(SLUG, agent.request.task, task_type=TaskType.WORKER)
