"""The words that stand in files and on the wire, each an enumeration."""

from enum import StrEnum


class TaskType(StrEnum):
    """What a task is for: doing work, planning a subtree, or checking another task's branch."""

    WORKER = "worker"
    SUBPLANNER = "subplanner"
    VERIFIER = "verifier"


class TaskStatus(StrEnum):
    """Where a task stands: ``pending -> running -> handed-off``, or one of the ends that are no success."""

    PENDING = "pending"
    RUNNING = "running"
    HANDED_OFF = "handed-off"
    ERROR = "error"
    CANCELLED = "cancelled"
    PRUNED = "pruned"


class RunStatus(StrEnum):
    """The service's word for one execution of a prompt."""

    CREATING = "CREATING"
    RUNNING = "RUNNING"
    FINISHED = "FINISHED"
    ERROR = "ERROR"
    CANCELLED = "CANCELLED"
    EXPIRED = "EXPIRED"

    @property
    def is_terminal(self) -> bool:
        """True once the run will not change any more."""
        return self not in (RunStatus.CREATING, RunStatus.RUNNING)


class AgentStatus(StrEnum):
    """The service's word for an agent; ``ACTIVE`` does not mean that a run is active."""

    ACTIVE = "ACTIVE"
    IDLE = "IDLE"
    ARCHIVED = "ARCHIVED"


class Verification(StrEnum):
    """How far a result was checked."""

    LIVE_UI_VERIFIED = "live-ui-verified"
    UNIT_TEST_VERIFIED = "unit-test-verified"
    TYPE_CHECK_ONLY = "type-check-only"
    VERIFIER_BLOCKED = "verifier-blocked"
    VERIFIER_FAILED = "verifier-failed"
    NOT_VERIFIED = "not-verified"


class HandoffStatus(StrEnum):
    """The agent's own word under ``## Status``."""

    SUCCESS = "success"
    PARTIAL = "partial"
    BLOCKED = "blocked"


class FailureMode(StrEnum):
    """Why a run went wrong, from evidence."""

    CAP_HIT = "cap-hit"
    OOM = "oom"
    TOOL_ERROR = "tool-error"
    NETWORK_DROP = "network-drop"
    UNKNOWN = "unknown"


class MeasurementOutcome(StrEnum):
    """What became of a claim that was measured again."""

    MATCH = "match"
    VALUE_MISMATCH = "value-mismatch"
    #: The handoff claims nothing of that name, or different things.
    CLAIM_MISSING = "claim-missing"
    COMMAND_FAILED = "command-failed"
    #: No value could be read, or two that can be compared.
    PARSE_FAILED = "parse-failed"
    NOT_RUN = "not-run"


class RuntimeKind(StrEnum):
    """Where agents run: the vendor's cloud, or our own server on this machine."""

    CLOUD = "cloud"
    LOCAL = "local"


class OnBlocked(StrEnum):
    """What a handoff with status ``blocked`` does to the dependants of its task."""

    HOLD = "hold"
    RELEASE = "release"


class OnUnstructured(StrEnum):
    """What a finished run makes of its task when its last message has none of the handoff's headings."""

    ERROR = "error"
    HANDED_OFF = "handed-off"


class PathRule(StrEnum):
    """Which rule of its paths a changed file breaks."""

    FORBIDDEN = "forbidden"
    NOT_ALLOWED = "not-allowed"


class FindingKind(StrEnum):
    """What people should know of a task's result; a finding stops nothing by itself."""

    #: The handoff says success, and there is no commit beyond the starting point.
    NOTHING_PUSHED = "nothing-pushed"
    #: The remote lacks the branch that the handoff names.
    NOT_ON_REMOTE = "not-on-remote"
    #: The work is on a branch that neither the plan nor the service named.
    OTHER_NAME = "other-name"
    #: Another task handed off on the same branch.
    SHARED_BRANCH = "shared-branch"
    #: A measurement does not say what the handoff claims, or says nothing.
    MEASUREMENT = "measurement"
    #: A verifier did not pass the work.
    VERDICT = "verdict"


class MessageDelay(StrEnum):
    """Why a message to an agent waits although nothing is wrong with it."""

    #: Another run of the agent goes on.
    BUSY = "busy"
    RATE_LIMIT = "rate-limit"
    UNREACHABLE = "unreachable"
    #: The message may have been taken; the next step is a look at the agent's runs.
    UNKNOWN_OUTCOME = "unknown-outcome"


class LaunchDelay(StrEnum):
    """Why a launch waits although nothing is wrong with it."""

    CAPACITY = "capacity"
    RATE_LIMIT = "rate-limit"
    QUOTA = "quota"
    UNREACHABLE = "unreachable"
    #: The request may have been done; the next step is a look-up, not a launch.
    UNKNOWN_OUTCOME = "unknown-outcome"
