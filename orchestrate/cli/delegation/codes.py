"""The stable error codes of the delegation verbs: what each means, whether the same call may work later, what to type."""

from dataclasses import dataclass
from enum import StrEnum


class Code(StrEnum):
    """What a program may decide on."""

    AUTH_FAILED = "AUTH_FAILED"
    REPO_ACCESS = "REPO_ACCESS"
    INVALID_INPUT = "INVALID_INPUT"
    AGENT_BUSY = "AGENT_BUSY"
    RATE_LIMITED = "RATE_LIMITED"
    QUOTA_EXHAUSTED = "QUOTA_EXHAUSTED"
    CAPACITY = "CAPACITY"
    SERVICE_UNAVAILABLE = "SERVICE_UNAVAILABLE"
    NOT_FOUND = "NOT_FOUND"
    UNSUPPORTED = "UNSUPPORTED"
    MALFORMED_RESPONSE = "MALFORMED_RESPONSE"
    STATE_CORRUPT = "STATE_CORRUPT"
    DUPLICATE_LAUNCH = "DUPLICATE_LAUNCH"
    CONFIRMATION_REQUIRED = "CONFIRMATION_REQUIRED"
    NESTED_DELEGATION = "NESTED_DELEGATION"
    CONCURRENCY_LIMIT = "CONCURRENCY_LIMIT"
    UNKNOWN_OUTCOME = "UNKNOWN_OUTCOME"
    INTERRUPTED = "INTERRUPTED"
    INTERNAL_ERROR = "INTERNAL_ERROR"


@dataclass(frozen=True, slots=True)
class Meaning:
    """What stands behind a code."""

    what: str
    #: Whether the very same call may work later, without anybody's doing.
    retryable: bool
    #: One imperative sentence with a command that works when typed. ``{verb}`` is the verb that was refused.
    recovery: str


MEANINGS: dict[Code, Meaning] = {
    Code.AUTH_FAILED: Meaning(
        "there is no key, the service does not take it, or it may not do this",
        retryable=False,
        recovery="Set CURSOR_API_KEY to a key that may do this, then type `orchestrate setup` to see whether it works.",
    ),
    Code.REPO_ACCESS: Meaning(
        "the service does not reach the repository",
        retryable=False,
        recovery="Give the service access to the repository, then type `orchestrate setup` and the same command again.",
    ),
    Code.INVALID_INPUT: Meaning(
        "an option, an id, a ref, a key or the prompt is wrong; nothing was sent, or the service refused it",
        retryable=False,
        recovery="Correct what the message names; `orchestrate help {verb}` shows what is taken.",
    ),
    Code.AGENT_BUSY: Meaning(
        "a run of that agent is active",
        retryable=True,
        recovery="Wait until its run has ended, which `orchestrate agents` shows, then type the same command again.",
    ),
    Code.RATE_LIMITED: Meaning(
        "too many calls; nothing was done",
        retryable=True,
        recovery="Wait a minute, then type the same command again; `orchestrate help {verb}` shows its options.",
    ),
    Code.QUOTA_EXHAUSTED: Meaning(
        "the account's quota is used up; nothing was done",
        retryable=False,
        recovery="Wait until the quota is reset, or raise it at the service; `orchestrate setup` shows whose key it is.",
    ),
    Code.CAPACITY: Meaning(
        "the service takes no more agents now; nothing was done",
        retryable=True,
        recovery="Wait until an agent has ended, or archive one that `orchestrate agents` shows, then try again.",
    ),
    Code.SERVICE_UNAVAILABLE: Meaning(
        "the service cannot be reached or cannot answer; nothing was done",
        retryable=True,
        recovery="Type `orchestrate setup` until the service answers, then the same command again.",
    ),
    Code.NOT_FOUND: Meaning(
        "the service does not know that agent, run or file",
        retryable=False,
        recovery="Take an id that `orchestrate agents --all` shows; where that fails too, check CURSOR_BACKEND_URL.",
    ),
    Code.UNSUPPORTED: Meaning(
        "the service, or this agent, cannot do that",
        retryable=False,
        recovery="Do without it; `orchestrate help {verb}` shows what else there is.",
    ),
    Code.MALFORMED_RESPONSE: Meaning(
        "the answer does not fit the contract of the Cloud Agents API",
        retryable=False,
        recovery="Check that CURSOR_BACKEND_URL leads to the Cloud Agents API, then type `orchestrate setup`.",
    ),
    Code.STATE_CORRUPT: Meaning(
        "a record of ours cannot be read or written; nothing was sent",
        retryable=False,
        recovery="Do what the message says, then type `orchestrate agents --all` to see what there is at the service.",
    ),
    Code.DUPLICATE_LAUNCH: Meaning(
        "that key is in flight: its agent was launched, or may have been; nothing was sent",
        retryable=False,
        recovery="Type `orchestrate agents` to see its agent, or give another --idempotency-key.",
    ),
    Code.CONFIRMATION_REQUIRED: Meaning(
        "nobody said yes; nothing was sent",
        retryable=False,
        recovery="Add --yes to the same command; `orchestrate help {verb}` shows its options.",
    ),
    Code.NESTED_DELEGATION: Meaning(
        "this process is inside an agent, and agents do not delegate",
        retryable=False,
        recovery="Do the work in this agent; as a subplanner write a plan, and see `orchestrate help run`.",
    ),
    Code.CONCURRENCY_LIMIT: Meaning(
        "so many agents are active on this repository; nothing was sent",
        retryable=True,
        recovery="Wait until one has ended, which `orchestrate agents` shows, or raise --max-active.",
    ),
    Code.UNKNOWN_OUTCOME: Meaning(
        "the request left and nobody can tell whether it was done; it is never sent again by itself",
        retryable=False,
        recovery="Type `orchestrate agents` to see whether it was done.",
    ),
    Code.INTERRUPTED: Meaning(
        "a signal ended the command; what was launched goes on",
        retryable=False,
        recovery="Type `orchestrate agents` to see what there is, then the same command again if it is not there.",
    ),
    Code.INTERNAL_ERROR: Meaning(
        "a fault of this program, not yours",
        retryable=False,
        recovery="Type the same command with -v and report what it says; `orchestrate agents` shows what there is.",
    ),
}
