"""Effects: orders to the outside, each answered by one event of its family. Dataclasses only, no behaviour.

================  ==============================================================================================
order             answers
================  ==============================================================================================
LaunchAgent       AgentLaunched, LaunchRefused, LaunchDelayed, LaunchOutcomeUnknown, AccessLost
LookUpAgent       AgentLaunched (adopted), AgentNotFound, LaunchRefused, LaunchOutcomeUnknown, AccessLost
WatchRun          RunEnded, RunMissing, AccessLost; before it any number of RunStalled, RunStirred
CancelRun         CancelAnswered
ArchiveAgent      ArchiveAnswered
LookForNamesakes  NamesakesSeen
WriteAcceptance   AcceptanceWritten, RequestUnmet
AnswerRequest     RequestAnswered
CheckPaths        PathsChecked
AskUsage          UsageAnswered
ReadGrant         GrantRead, GrantUnread
CountSubtree      SubtreeCounted
LookUpRefs        RefsSeen
TakeMeasurements  MeasurementsTaken
LookUpRuns        RunsSeen, FollowUpDelayed, FollowUpRefused, FollowUpOutcomeUnknown, AccessLost
SendFollowUp      FollowUpSent, FollowUpDelayed, FollowUpRefused, FollowUpOutcomeUnknown, AccessLost
SetTimer          TimerFired
EndRun            none: the loop ends
================  ==============================================================================================

A bug in a performer is answered by EffectFailed. Effects are not journalled: recovery derives them from the rows.
"""

from dataclasses import dataclass, field

from orchestrate.core.events import Timer
from orchestrate.core.ref_events import WantedRef
from orchestrate.model.inbox_requests import InboxAnswer
from orchestrate.model.names import AgentId, RequestId, RunId, TaskName, Timestamp
from orchestrate.model.plan import Measurement, Plan
from orchestrate.model.rows import TaskRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """Base of all effects; ``cause`` is the id of the event that led to it."""

    cause: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchAgent(Effect):
    """Send the create request of this row's intent: its request file's bytes if there is one, else render it."""

    row: TaskRow
    #: The rows of the task's dependencies, in the plan's order.
    upstream: tuple[TaskRow, ...] = ()
    #: Where launches wait for one another the lowest goes first.
    rank: tuple[int, int] = (0, 0)
    #: The plan in force; None leaves the engine with the one that it began with.
    plan: Plan | None = field(default=None, compare=False, repr=False)
    #: True when a request of this intent may have left before; it is sent again as it was.
    may_have_been_sent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LookUpAgent(Effect):
    """Ask the service for the agent of this row's intent by the id that we chose; ``code`` is why we look."""

    row: TaskRow
    code: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchRun(Effect):
    """Follow this row's run to its end, save and read the reply."""

    row: TaskRow


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelRun(Effect):
    """Ask the service to cancel this run."""

    task: TaskName
    agent_id: AgentId
    run_id: RunId


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteAcceptance(Effect):
    """Write the handoff that a person stands for, before the row says that the task handed off."""

    request: RequestId
    row: TaskRow
    branch: str
    by: str
    at: Timestamp
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRequest(Effect):
    """Tell the process that asked what became of its request."""

    answer: InboxAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckPaths(Effect):
    """Compare what this row's branch changed with the paths that the plan gives the task."""

    row: TaskRow
    allowed: tuple[str, ...]
    forbidden: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskUsage(Effect):
    """Ask the service what an attempt's agent cost, this run of it included."""

    task: TaskName
    attempt: int
    agent_id: AgentId
    run_id: RunId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadGrant(Effect):
    """Ask the service what was granted to the agent that this engine runs in."""

    agent_id: AgentId


@dataclass(frozen=True, slots=True, kw_only=True)
class CountSubtree(Effect):
    """Ask the service which agents stand below an attempt's agent, and what they cost where that is wanted."""

    task: TaskName
    attempt: int
    agent_id: AgentId
    wants_cost: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeMeasurements(Effect):
    """Run these commands on the commit that this row has handed off, and compare what they print with the claims."""

    row: TaskRow
    measurements: tuple[Measurement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LookUpRefs(Effect):
    """Ask the remote for these branches, all of them in one call."""

    refs: tuple[WantedRef, ...]
    #: True where a task waits for the answer, or the run's end; else it may share a call with those that come soon.
    is_awaited: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveAgent(Effect):
    """Archive the agent of a finished task, so that there is room for another one."""

    task: TaskName
    agent_id: AgentId


@dataclass(frozen=True, slots=True, kw_only=True)
class LookForNamesakes(Effect):
    """Ask the service which agents it has of these rows' names."""

    root_slug: str
    rows: tuple[TaskRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LookUpRuns(Effect):
    """List the runs of this row's agent: which is the newest, and whether the row's first message began one."""

    row: TaskRow


@dataclass(frozen=True, slots=True, kw_only=True)
class SendFollowUp(Effect):
    """Send the first message of this row's queue to its agent; every resend has the same bytes and the same key."""

    row: TaskRow


@dataclass(frozen=True, slots=True, kw_only=True)
class SetTimer(Effect):
    """Tell us after so many seconds."""

    timer: Timer
    delay_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EndRun(Effect):
    """Leave with this exit code: write the snapshot, free the lock. Agents that run go on."""

    exit_code: int
