"""Names, ids and refs: their shapes, and what is derived from what.

Sources: ``bc-<uuid>`` and ``run-<uuid>`` are the service's id shapes; ref rules are those of
``git check-ref-format --allow-onelevel``.
"""

import re
import uuid
from typing import NewType

from orchestrate.model.vocabulary import TaskType

TaskName = NewType("TaskName", str)
AgentId = NewType("AgentId", str)
RunId = NewType("RunId", str)
WorkspaceId = NewType("WorkspaceId", str)
IdempotencyKey = NewType("IdempotencyKey", str)
EngineId = NewType("EngineId", str)
#: A lower-case hex UUID, drawn by whoever asks; the name of the request's file.
RequestId = NewType("RequestId", str)
#: UTC, RFC 3339 with milliseconds and ``Z``: ``2026-03-04T14:31:36.123Z``. Sorts as text.
Timestamp = NewType("Timestamp", str)

#: Longest agent name the service takes.
AGENT_NAME_LENGTH = 100
TASK_NAME_LENGTH = 64

_KEBAB = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z")
_AGENT_ID = re.compile(r"bc-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")
_REQUEST_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")
_RUN_ID = re.compile(r"run-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")
_REF_FORBIDDEN = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(?:/|\Z)")


def is_kebab_case(text: str) -> bool:
    """True for lower-case ASCII words and digits joined by single hyphens: ``fix-date-2``."""
    return _KEBAB.match(text) is not None


def is_agent_id(text: str) -> bool:
    """True for ``bc-`` and a lower-case hex UUID."""
    return _AGENT_ID.match(text) is not None


def is_run_id(text: str) -> bool:
    """True for ``run-`` and a lower-case hex UUID."""
    return _RUN_ID.match(text) is not None


def is_request_id(text: str) -> bool:
    """True for a lower-case hex UUID."""
    return _REQUEST_ID.match(text) is not None


def is_valid_ref(ref: str) -> bool:
    """True for a ref name that git accepts and that cannot be read as an option or a force push."""
    if not ref or ref == "@" or ref[0] in "-+./" or ref[-1] in "./":
        return False
    return _REF_FORBIDDEN.search(ref) is None


def agent_id_for(workspace_id: WorkspaceId, task: TaskName, attempt: int) -> AgentId:
    """The agent id of a launch intent: the same intent has the same id after a crash, a move or a clone."""
    return AgentId(f"bc-{_derived(workspace_id, f'{task}/{attempt}')}")


def idempotency_key_for(workspace_id: WorkspaceId, task: TaskName, attempt: int) -> IdempotencyKey:
    """The idempotency key of a launch intent, derived beside its agent id."""
    return IdempotencyKey(str(_derived(workspace_id, f"{task}/{attempt}/key")))


def message_key_for(workspace_id: WorkspaceId, task: TaskName, message: RequestId) -> IdempotencyKey:
    """The idempotency key of a message to a task's agent."""
    return IdempotencyKey(str(_derived(workspace_id, f"{task}/message/{message}/key")))


def placeholder_branch(root_slug: str, task: str, *, task_type: str) -> str:
    """The branch planned for a task before its spawn; of a worker ``merge-<x>`` it is that of ``x``."""
    return f"orch/{root_slug}/{task.removeprefix('merge-') if task_type == TaskType.WORKER else task}"


def agent_name(root_slug: str, task: str) -> str:
    """``<rootSlug>/<task>`` in at most 100 characters: the slug is cut, the task stays whole."""
    room = AGENT_NAME_LENGTH - len(task) - 1
    return f"{root_slug[: max(room, 0)]}/{task}"


def _derived(workspace_id: WorkspaceId, intent: str) -> uuid.UUID:
    return uuid.uuid5(uuid.UUID(workspace_id), intent)
