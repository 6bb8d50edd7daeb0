"""Events: what happened, each a fact with its moment and id. Dataclasses only, no behaviour.

Whoever reports a fact leaves ``at`` and ``id`` empty; the loop stamps them when it takes the event.
"""

from dataclasses import dataclass, field
from enum import StrEnum

from orchestrate.model.handoff import Handoff
from orchestrate.model.names import AgentId, RequestId, RunId, TaskName, Timestamp
from orchestrate.model.plan import Plan
from orchestrate.model.rows import PathFinding
from orchestrate.model.vocabulary import FailureMode, LaunchDelay, RunStatus


class StopReason(StrEnum):
    """Why the engine was asked to leave."""

    INTERRUPT = "interrupt"
    CHECKPOINT = "checkpoint"


class TimerKind(StrEnum):
    """What a timer stands for."""

    #: A delayed launch or look-up is due.
    RELAUNCH = "relaunch"
    #: A launch that the service had no room for is tried again.
    TURN = "turn"
    #: The task's own deadline, the only one there is.
    DEADLINE = "deadline"
    #: A task that may be tried again is due.
    RETRY = "retry"
    #: A cancel was not confirmed and is asked for again.
    CANCEL = "cancel"
    #: Answers in flight were awaited long enough.
    GRACE = "grace"
    #: The planned end of this engine's time.
    CHECKPOINT = "checkpoint"
    #: Nothing is left to do but what goes on in the background, and that was awaited long enough.
    LINGER = "linger"
    #: Tasks waited long enough for a look at the branch that they start from.
    LOOK_UP = "look-up"
    #: A cost that was not known is asked for again.
    USAGE = "usage"
    #: The service has taken nobody for long, and nobody works.
    STARVED = "starved"
    #: The grant of the planner above could not be read and is asked for again.
    GRANT = "grant"
    #: It was not certain what a subplanner's agents came to; they are counted again.
    SUBTREE = "subtree"
    #: A message to an agent had to wait and is due.
    MESSAGE = "message"


@dataclass(frozen=True, slots=True)
class Timer:
    """What is to be remembered; a timer of a former attempt changes nothing."""

    kind: TimerKind
    task: TaskName | None = None
    attempt: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """An agent's last message after it was saved and read; its text never enters the journal."""

    #: Where the redacted handoff lies, relative to the workspace.
    path: str | None = None
    #: SHA-256 of the raw message.
    digest: str = ""
    is_empty: bool = False
    handoff: Handoff = field(default_factory=Handoff)


_UNSTAMPED = Timestamp("")


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Base of all events."""

    at: Timestamp = _UNSTAMPED
    id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineStarted(Event):
    """An engine took the workspace's lock and loaded its state; ``notes`` are what was odd about the files."""

    engine: str
    #: True when the workspace got its id just now.
    is_first: bool = False
    notes: tuple[str, ...] = ()
    #: What other processes had asked for before, each reported by an event of its own.
    requests: tuple[RequestId, ...] = ()
    #: True where a tombstone stands in the workspace, which is reported by an event of its own.
    is_stopped: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRead(Event):
    """``plan.json`` was read and is free of faults; ``warnings`` are what is odd about a change of it."""

    plan: Plan
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentLaunched(Event):
    """The service runs an agent for this intent; ``answered_id`` is the agent's id as the service says it."""

    task: TaskName
    agent_id: AgentId
    answered_id: AgentId
    run_id: RunId
    url: str | None = None
    #: True when it was found by a look-up after silence.
    adopted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchRefused(Event):
    """The service, or our own rendering, refused this launch for good; no agent was made."""

    task: TaskName
    agent_id: AgentId
    message: str
    code: str = ""
    hint: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchDelayed(Event):
    """Nothing was done and nothing is wrong: the same request goes out later."""

    task: TaskName
    agent_id: AgentId
    #: The intent's ``delays`` when it was asked: tells the answer to one sending from that to another.
    delays: int = 0
    delay: LaunchDelay
    message: str
    retry_after_seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchOutcomeUnknown(Event):
    """The request left and nobody knows whether it was done; ``code`` is the service's, if it spoke at all."""

    task: TaskName
    agent_id: AgentId
    #: As in ``LaunchDelayed``.
    delays: int = 0
    message: str
    code: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentNotFound(Event):
    """A look-up by id says that this intent has no agent; ``code`` is what made us look."""

    task: TaskName
    agent_id: AgentId
    #: As in ``LaunchDelayed``.
    delays: int = 0
    code: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessLost(Event):
    """The service does not take our key any more; ``agent_id`` names a launch that was refused for it."""

    message: str
    hint: str | None = None
    task: TaskName
    agent_id: AgentId | None = None
    #: The run that nobody can watch any more.
    run_id: RunId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStalled(Event):
    """A run has been silent for long; it goes on."""

    task: TaskName
    run_id: RunId
    since: Timestamp
    last_activity: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStirred(Event):
    """A stalled run showed activity again."""

    task: TaskName
    run_id: RunId


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded(Event):
    """The service says that the run is over, and its reply is on disk."""

    task: TaskName
    run_id: RunId
    status: RunStatus
    reply: Reply
    failure_mode: FailureMode | None = None
    #: The service's words for an end that is no success.
    message: str | None = None
    #: The branch that the service reports for this run, whatever the reply says.
    reported_branch: str | None = None
    #: When it ended by the service's clock, which may be long before anybody looked.
    ended_at: Timestamp | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunMissing(Event):
    """The service positively knows no such run, and was asked for long enough."""

    task: TaskName
    run_id: RunId
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceUnreachable(Event):
    """Calls have had no answer for a while; reported at most once a minute."""

    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelAnswered(Event):
    """The service took, or refused, a cancel; only the run's own status says that it ended."""

    task: TaskName
    run_id: RunId
    accepted: bool
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PathsChecked(Event):
    """The branch's changed files were compared with the plan's paths; ``unknown`` says why they could not be."""

    task: TaskName
    branch: str
    findings: tuple[PathFinding, ...] = ()
    #: How many findings there are; the event names the first ones.
    total: int = 0
    unknown: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TimerFired(Event):
    """A timer that was set is due."""

    timer: Timer


@dataclass(frozen=True, slots=True, kw_only=True)
class StopRequested(Event):
    """Somebody, or the clock, wants this engine to leave; agents go on."""

    reason: StopReason


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectFailed(Event):
    """A performer met a bug of ours; ``effect`` is the order that it could not carry out."""

    effect: str
    message: str
    task: TaskName | None = None
    request: RequestId | None = None
