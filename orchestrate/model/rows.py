"""Rows: one frozen definition of what is known of each task, for the core, the journal and ``state.json``.

A new row is made by ``dataclasses.replace``. Field names on disk are camelCase (see ``model.row_format``).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from orchestrate.model.grants import OwnGrant, Share
from orchestrate.model.messages import FollowUpRun, QueuedMessage
from orchestrate.model.names import AgentId, IdempotencyKey, RequestId, RunId, TaskName, Timestamp, WorkspaceId
from orchestrate.model.vocabulary import (
    FailureMode,
    FindingKind,
    HandoffStatus,
    LaunchDelay,
    MeasurementOutcome,
    PathRule,
    TaskStatus,
    TaskType,
    Verification,
)

_NOTHING: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Launch:
    """The intent to launch an agent; on disk before the request leaves."""

    agent_id: AgentId
    idempotency_key: IdempotencyKey
    attempt: int
    at: Timestamp
    #: What was odd about this launch: another id answered, adopted after silence.
    note: str | None = None
    #: How many answers to this intent left it open; paces the next request, and tells its answer from former ones.
    delays: int = 0
    #: Why the last answer said "later".
    delay: LaunchDelay | None = None


@dataclass(frozen=True, slots=True)
class Charge:
    """What one attempt costs: set aside with its intent, and settled once the service knows."""

    attempt: int
    agent_id: AgentId
    #: The task's type when it was launched.
    type: TaskType
    #: Cents that are set aside while the cost is not known.
    reserved: float
    #: Cents that the service tells; None while it does not know.
    cents: float | None = None
    tokens: int | None = None
    #: Cents that are set aside for follow-up runs, until the service tells what the agent cost with them.
    follow_ups: float = 0.0

    @property
    def set_aside(self) -> float:
        """Cents that are still set aside."""
        return self.follow_ups + (self.reserved if self.cents is None else 0.0)

    @property
    def is_open(self) -> bool:
        """True while the service has not told all of the cost."""
        return self.cents is None or self.follow_ups > 0


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one verifier said of this task's branch; ``value`` is None when it was unreadable."""

    by: TaskName
    value: Verification | None
    sha: str | None
    at: Timestamp


@dataclass(frozen=True, slots=True)
class Cancel:
    """A cancel that was asked for and is not confirmed yet."""

    by: str
    at: Timestamp


@dataclass(frozen=True, slots=True)
class Acceptance:
    """A person's word that the task is done on the row's branch, in the place of an agent's handoff."""

    by: str
    at: Timestamp


@dataclass(frozen=True, slots=True)
class PathFinding:
    """A file that the task should have left alone."""

    path: str
    rule: PathRule
    #: The pattern that forbids it; None for a file that no pattern allows.
    pattern: str | None = None

    def __str__(self) -> str:
        """``docs/a.md (forbidden by docs/**)``."""
        why = "outside pathsAllowed" if self.pattern is None else f"forbidden by {self.pattern}"
        return f"{self.path} ({why})"


@dataclass(frozen=True, slots=True)
class PathsCheck:
    """What came of comparing the branch's changed files with the plan's paths."""

    at: Timestamp
    #: The first files that were not to be changed.
    findings: tuple[PathFinding, ...] = ()
    #: How many there are.
    total: int = 0
    #: Why it could not be told; None where it could.
    unknown: str | None = None


@dataclass(frozen=True, slots=True)
class OnRemote:
    """What a look at the remote said of the row's branch."""

    at: Timestamp
    #: None where the remote could not be asked.
    is_there: bool | None = None
    #: Why it could not be asked.
    unknown: str | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about the task's result that people should know, in a sentence."""

    kind: FindingKind
    message: str


@dataclass(frozen=True, slots=True)
class Measured:
    """What became of one declared measurement."""

    name: str
    outcome: MeasurementOutcome
    at: Timestamp
    #: Why, in one line.
    detail: str
    #: The commit that was measured; None where none was.
    sha: str | None = None
    #: The value that was measured.
    value: str | None = None
    #: How far it is from the claim, as a part of that.
    drift: float | None = None


@dataclass(frozen=True, slots=True)
class TaskRow:
    """Everything that is known of one task."""

    name: TaskName
    type: TaskType
    #: Planned name before the spawn, the real one after the handoff.
    branch: str
    starting_ref: str
    depends_on: tuple[TaskName, ...] = ()
    status: TaskStatus = TaskStatus.PENDING
    agent_id: AgentId | None = None
    run_id: RunId | None = None
    parent_agent_id: AgentId | None = None
    #: The run's last status in lower case.
    result_status: str | None = None
    #: Relative to the workspace.
    handoff_path: str | None = None
    started_at: Timestamp | None = None
    finished_at: Timestamp | None = None
    last_update: Timestamp | None = None
    note: str | None = None
    #: Launches so far, this one included.
    attempts: int = 0
    slack_ts: str | None = None
    pr_number: int | None = None
    failure_mode: FailureMode | None = None
    verification: Verification | None = None
    launch: Launch | None = None
    handoff_status: HandoffStatus | None = None
    #: Whether the task pushed a branch, as far as the handoff and the service tell; None in a foreign state.
    pushed: bool | None = None
    #: Commit at the head of ``branch``, as the remote last said.
    head_sha: str | None = None
    #: The remote's word on ``branch``; None until it was looked up.
    on_remote: OnRemote | None = None
    #: A branch that the run reported beside the one of the handoff.
    reported_branch: str | None = None
    #: Commit that the present attempt started from, where it starts from another task's branch.
    starting_sha: str | None = None
    findings: tuple[Finding, ...] = ()
    measured: tuple[Measured, ...] = ()
    self_report: Verification | None = None
    verdicts: tuple[Verdict, ...] = ()
    #: The task whose branch ``starting_ref`` follows.
    ref_from: TaskName | None = None
    #: No launch before this moment.
    not_before: Timestamp | None = None
    cancel: Cancel | None = None
    stalled_since: Timestamp | None = None
    #: Set where a person handed the task off.
    accepted: Acceptance | None = None
    #: None until the branch was looked at, and for a task that is bound to no paths.
    paths_check: PathsCheck | None = None
    #: When the agent was archived, to make room for others; it takes no follow-up before that is undone.
    archived_at: Timestamp | None = None
    #: The agent's page at the service.
    url: str | None = None
    #: One for each attempt that made an agent, or may have made one.
    charges: tuple[Charge, ...] = ()
    #: What subplanners were given for agents of their own, by attempt; one whose launch went back keeps what its request says.
    shares: tuple[Share, ...] = ()
    #: Messages to the task's agent, in their order; the first one may be on its way or at work.
    queue: tuple[QueuedMessage, ...] = ()
    #: The runs that messages have begun.
    runs: tuple[FollowUpRun, ...] = ()
    #: Fields of a foreign state that we do not know, kept as they are.
    extra: Mapping[str, object] = field(default_factory=lambda: _NOTHING, hash=False)

    @property
    def is_called(self) -> bool:
        """True for a task that is over and has a message for its agent: it runs again, and till then releases nobody."""
        if not self.queue or self.status not in (TaskStatus.HANDED_OFF, TaskStatus.ERROR):
            return False
        return self.agent_id is not None and self.run_id is not None

    @property
    def shares_out(self) -> tuple[Share, ...]:
        """The shares that count: those of attempts that made an agent, or may have made one."""
        if not self.shares:
            return ()
        charged = {charge.attempt for charge in self.charges}
        return tuple(share for share in self.shares if share.attempt in charged)


@dataclass(frozen=True, slots=True)
class Attention:
    """What an operator must know, one line."""

    at: Timestamp
    message: str


@dataclass(frozen=True, slots=True)
class Andon:
    """The cord that stops launching while watching goes on."""

    raised_at: Timestamp | None = None
    raised_by: str | None = None
    reason: str | None = None
    cleared: bool = False
    cleared_at: Timestamp | None = None
    cleared_by: str | None = None
    clear_note: str | None = None
    last_checked_at: Timestamp | None = None

    @property
    def is_raised(self) -> bool:
        """True while launches are stopped."""
        return self.raised_at is not None and not self.cleared


@dataclass(frozen=True, slots=True)
class Unpublished:
    """The state that others see on git is behind, and why."""

    #: Since when.
    since: Timestamp
    #: How often in a row it could not be pushed.
    failures: int
    #: The branch that it belongs on.
    ref: str
    reason: str


@dataclass(frozen=True, slots=True)
class Workspace:
    """What is true of the workspace as a whole; ``workspace_id`` is drawn once and never derived."""

    workspace_id: WorkspaceId
    root_slug: str
    andon: Andon | None = None
    slack_kickoff_ref: Mapping[str, object] | None = None
    #: The latest requests of other processes that were carried out; asked again, they are only answered again.
    handled_requests: tuple[RequestId, ...] = ()
    #: Cents that the service has told, over all attempts; never less than it was.
    spent: float = 0.0
    #: None while others see the state, or nobody is to see it.
    unpublished: Unpublished | None = None
    #: What the planner above gave for agents; None at a root, and until it was read.
    grant: OwnGrant | None = None
    extra: Mapping[str, object] = field(default_factory=lambda: _NOTHING, hash=False)
