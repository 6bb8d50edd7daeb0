"""Changes: what is true from now on, each a whole thing and never a patch.

``RowChanged``, ``WorkspaceChanged`` and ``AttentionRaised`` are written to the journal. ``PlanTaken`` and
``SessionChanged`` live as long as this engine: the plan has its own file, and a session ends with its process.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from immutables import Map

from orchestrate.core.effects import Effect
from orchestrate.core.queue import Queue
from orchestrate.model.names import AgentId, RequestId, RunId, TaskName, Timestamp
from orchestrate.model.plan import Plan
from orchestrate.model.rows import TaskRow, Workspace
from orchestrate.model.vocabulary import LaunchDelay


class Phase(StrEnum):
    """Where this engine is in its life."""

    RUNNING = "running"
    LEAVING = "leaving"
    ENDED = "ended"


class Linger(StrEnum):
    """Whether a run that is over but for work in the background still waits for that."""

    NOT_YET = "not-yet"
    NOW = "now"
    #: Longer, for commands that a plan has run.
    MEASURING = "measuring"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Line:
    """Launches that the service would not take, and what was learned of its room; ``core.capacity`` tells how."""

    #: How many agents of ours the service takes; None where nothing is known against it.
    room: int | None = None
    #: Who waits, by rank. The first one waits; some behind it may do so no longer.
    waiting: Queue[TaskName] | None = None
    #: Refusals since a launch was taken; paces the timer.
    refusals: int = 0
    #: Why the last one was refused.
    reason: LaunchDelay | None = None
    #: True while the timer is set that tries one.
    has_timer: bool = False
    #: True while one more is tried than is known to be taken.
    is_trying: bool = False
    #: The task whose agent is being archived.
    archiving: TaskName | None = None
    #: Tasks whose agents the service would not archive.
    spared: frozenset[TaskName] = frozenset()


@dataclass(frozen=True, slots=True)
class Settings:
    """What the caller chose for this run."""

    max_concurrent: int
    #: True where the caller named no number: then the plan's limit holds as it is from time to time.
    follows_plan: bool = False
    #: Go on after an error until nothing is left to do.
    drain: bool = False
    max_runtime_seconds: float | None = None
    #: Whether agents of finished tasks are archived where the service takes no more agents.
    archive: bool = True
    #: Only answer what other processes ask: nothing is launched, looked up or watched, and the end comes at once.
    answers_only: bool = False
    #: True where measurements that could not be run before are to be taken now.
    measures: bool = False
    #: False where there is no service to call: what needs one is left to whoever comes next.
    has_service: bool = True
    #: How deep this engine is in the tree of planners.
    depth: int = 0
    #: The agent that this engine runs in; None at a root that is no agent.
    own_agent_id: AgentId | None = None
    #: Whether planners take slots of the service, so that some must be left for others.
    planners_take_slots: bool = True
    #: Seconds from the end of a run for which its cost is waited for where only that may let the plan go on.
    cost_patience_seconds: float = 600.0


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A question for the cost of an attempt."""

    #: The run that is to be covered: the agent's last one that has ended.
    run_id: RunId | None
    #: When the run ended, as far as that is known.
    since: Timestamp
    #: How often it was answered that nothing is known yet.
    answers: int = 0
    #: True while the end of a run waits a moment for its first answer.
    lingers: bool = False
    #: True while an answer is on its way; else a timer is.
    is_asked: bool = True
    #: True once nobody waits for the cost any more, whether it is still asked for or not.
    is_given_up: bool = False


@dataclass(frozen=True, slots=True)
class Count:
    """A question what a subplanner's agents came to."""

    #: When it was first asked.
    since: Timestamp
    #: How often nobody was certain.
    answers: int = 0
    #: True while an answer is on its way; else a timer is.
    is_asked: bool = True
    #: True once nobody waits for it any more, whether it is still asked for or not.
    is_given_up: bool = False


@dataclass(frozen=True, slots=True)
class Session:
    """What is true of this engine's life only."""

    settings: Settings
    phase: Phase = Phase.RUNNING
    exit_code: int | None = None
    #: Why nothing is launched; None when launches are free.
    hold: str | None = None
    #: The tombstone that was found in the workspace.
    stop: str | None = None
    #: True from the start until the tombstone that was there then is taken in.
    awaits_stop: bool = False
    #: True once a task went to error in this session.
    has_new_error: bool = False
    #: Attempts, by task, that nobody can watch any more while they run.
    unwatched: Map[TaskName, int] = field(default_factory=Map)
    #: Requests whose answer is not on disk yet, each with the task that it is about, if that is known.
    requests: Map[RequestId, TaskName | None] = field(default_factory=Map)
    #: Tasks whose changed files are being compared with their paths.
    checking: frozenset[TaskName] = frozenset()
    #: Tasks whose branch is being looked up.
    looking_up: frozenset[TaskName] = frozenset()
    #: Tasks whose agents are being looked for by name.
    namesakes: frozenset[TaskName] = frozenset()
    #: Tasks whose measurements are being taken.
    measuring: frozenset[TaskName] = frozenset()
    linger: Linger = Linger.NOT_YET
    #: Launches that the service would not take; None before it refused one.
    line: Line | None = None
    #: Tasks whose cancel an engine that only answers sees to its end.
    ending: frozenset[TaskName] = frozenset()
    #: Attempts whose cost is asked for.
    inquiries: Map[tuple[TaskName, int], Inquiry] = field(default_factory=Map)
    #: Attempts of subplanners whose subtrees are being counted.
    counting: Map[tuple[TaskName, int], Count] = field(default_factory=Map)
    #: Planners that let others go before them until fewer planners run.
    benched: frozenset[TaskName] = frozenset()
    #: Since when the service takes nobody while no agent of this planner is alive.
    starves_since: Timestamp | None = None
    #: True until it is known what the planner above granted.
    awaits_grant: bool = False
    #: How often it could not be read.
    grant_misses: int = 0
    #: The limit of the plan that operators were last told of because it keeps tasks waiting.
    bound_told: str | None = None
    #: How often the end was waited for; a timer of a former time changes nothing.
    lingers: int = 0


@dataclass(frozen=True, slots=True)
class RowChanged:
    """This row replaces the one of its name."""

    row: TaskRow


@dataclass(frozen=True, slots=True)
class WorkspaceChanged:
    """The workspace's own facts."""

    workspace: Workspace


@dataclass(frozen=True, slots=True)
class AttentionRaised:
    """A line that an operator must see."""

    message: str


@dataclass(frozen=True, slots=True)
class PlanTaken:
    """This plan is the one in force."""

    plan: Plan


@dataclass(frozen=True, slots=True)
class SessionChanged:
    """The session as it is from now on."""

    session: Session


Change = RowChanged | WorkspaceChanged | AttentionRaised | PlanTaken | SessionChanged


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer to one event."""

    changes: tuple[Change, ...] = ()
    effects: tuple[Effect, ...] = ()

    def __add__(self, other: "Decision") -> "Decision":
        """This decision and then the other."""
        if not other.changes and not other.effects:
            return self
        return Decision(self.changes + other.changes, self.effects + other.effects)


NOTHING = Decision()


def change(*changes: Change, effects: Iterable[Effect] = ()) -> Decision:
    """A decision from its changes and effects."""
    return Decision(changes, tuple(effects))
