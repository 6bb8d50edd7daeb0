"""Requests of other processes and the engine's answers, as they stand in ``inbox/``, and back.

A request is a file that anybody with access to the workspace may write, so it is read without trust: what is no
request is told apart (``WorkspaceDamaged``) from one of a kind that this version does not know.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

import orjson

from orchestrate.errors import WorkspaceDamaged
from orchestrate.model.dumping import dump
from orchestrate.model.fields import Fields
from orchestrate.model.names import RequestId, TaskName, is_kebab_case, is_valid_ref

#: Longest text of one field: a note of some pages.
LONGEST_TEXT = 16_000
#: A request beyond this is none; the largest has a note in which every character is escaped.
LARGEST_REQUEST_BYTES = 256 * 1024
_LONGEST_NAME = 200

_NOTHING: Mapping[str, object] = MappingProxyType({})


class RequestKind(StrEnum):
    """What another process may ask of the engine."""

    ACCEPT = "accept"


@dataclass(frozen=True, slots=True)
class AcceptRequest:
    """A person says that the task is done on this branch."""

    id: RequestId
    #: Who asks, for people.
    by: str
    task: TaskName
    branch: str
    note: str | None = None


@dataclass(frozen=True, slots=True)
class UnknownRequest:
    """A request of a kind that this version does not know."""

    id: RequestId
    kind: str


InboxRequest = AcceptRequest | UnknownRequest


@dataclass(frozen=True, slots=True)
class InboxAnswer:
    """What became of a request."""

    id: RequestId
    #: True when it was carried out, now or earlier.
    is_done: bool
    #: Why it was refused, as a word for programs and in a sentence; empty when it was carried out.
    code: str = ""
    message: str = ""
    hint: str | None = None
    #: What came of it.
    details: Mapping[str, object] = field(default_factory=lambda: _NOTHING, hash=False)


def encode_request(request: AcceptRequest) -> bytes:
    """The request as one line of JSON."""
    document = {
        "id": request.id,
        "kind": RequestKind.ACCEPT,
        "by": request.by,
        "task": request.task,
        "branch": request.branch,
        "note": request.note,
    }
    return dump({key: value for key, value in document.items() if value is not None}) + b"\n"


def decode_request(data: bytes, *, request_id: RequestId) -> InboxRequest:
    """The request in the file of this id; ``WorkspaceDamaged`` says why it is none."""
    fields = _fields(data)
    if fields.essential_text("id") != request_id:
        fields.refuse("id", "it is not the name of the file")
    kind = fields.essential_text("kind")
    if kind != RequestKind.ACCEPT:
        return UnknownRequest(request_id, kind[:_LONGEST_NAME])
    task, branch = fields.essential_text("task"), fields.essential_text("branch")
    if not is_kebab_case(task):
        fields.refuse("task", "it is no task name")
    if not is_valid_ref(branch) or len(branch) > _LONGEST_NAME:
        fields.refuse("branch", "it is no name of a branch")
    by, note = fields.essential_text("by"), fields.text("note")
    if len(by) > _LONGEST_NAME or len(note or "") > LONGEST_TEXT:
        fields.refuse("note", f"longer than {LONGEST_TEXT} characters")
    return AcceptRequest(request_id, by=by, task=TaskName(task), branch=branch, note=note or None)


def encode_answer(answer: InboxAnswer) -> bytes:
    """The answer as one line of JSON."""
    document: dict[str, object] = {"id": answer.id, "done": answer.is_done}
    if not answer.is_done:
        document |= {"code": answer.code, "message": answer.message, "hint": answer.hint}
    if answer.details:
        document["details"] = dict(answer.details)
    return dump(document) + b"\n"


def decode_answer(data: bytes, *, request_id: RequestId) -> InboxAnswer:
    """The answer in the file of this id."""
    fields = _fields(data)
    return InboxAnswer(
        id=request_id,
        is_done=fields.flag("done") or False,
        code=fields.text("code") or "",
        message=fields.text("message") or "",
        hint=fields.text("hint"),
        details=fields.mapping("details") or _NOTHING,
    )


def _fields(data: bytes) -> Fields:
    try:
        return Fields(orjson.loads(data), where="inbox")
    except orjson.JSONDecodeError as error:
        raise WorkspaceDamaged("inbox: not JSON") from error
