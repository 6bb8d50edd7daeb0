"""Requests of other processes and the engine's answers, as they stand in ``inbox/``, and back.

A request is a file that anybody with access to the workspace may write, so it is read without trust: what is no
request is told apart (``WorkspaceDamaged``) from one of a kind that this version does not know. On disk a request has
its record's fields in camelCase; what says nothing is left out.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import fields as fields_of
from types import MappingProxyType

import orjson

from orchestrate.errors import WorkspaceDamaged
from orchestrate.model.andon_format import LONGEST_TEXT as LONGEST_ANDON
from orchestrate.model.dumping import dump
from orchestrate.model.fields import Fields
from orchestrate.model.inbox_requests import (
    AcceptRequest,
    AndonClearRequest,
    AndonRaiseRequest,
    CancelRequest,
    DropRequest,
    InboxAnswer,
    InboxRequest,
    RequestKind,
    RespawnRequest,
    SpawnRequest,
    SteerRequest,
    UnknownRequest,
)
from orchestrate.model.names import RequestId, TaskName, is_kebab_case, is_request_id, is_valid_ref

#: Longest text of one field: a note of some pages.
LONGEST_TEXT = 16_000
#: A request beyond this is none; the largest has a note in which every character is escaped.
LARGEST_REQUEST_BYTES = 256 * 1024
#: Longest name of a person or a branch.
LONGEST_NAME = 200
#: Most tasks that one request names.
MOST_TASKS = 2_000

_DIGEST = re.compile(r"[0-9a-f]{64}")
_NOTHING: Mapping[str, object] = MappingProxyType({})
_SILENT = (None, False, (), _NOTHING)


def encode_request(request: InboxRequest) -> bytes:
    """The request as one line of JSON."""
    document: dict[str, object] = {"id": request.id, "kind": request.kind, "by": request.by}
    for item in fields_of(request):
        value = getattr(request, item.name)
        if value not in _SILENT:
            document[_on_disk(item.name)] = dict(value) if isinstance(value, Mapping) else value
    return dump(document) + b"\n"


def decode_request(data: bytes, *, request_id: RequestId) -> InboxRequest:
    """The request in the file of this id; ``WorkspaceDamaged`` says why it is none."""
    fields = _fields(data)
    if fields.essential_text("id") != request_id:
        fields.refuse("id", "it is not the name of the file")
    kind = fields.essential_text("kind")
    read = _READERS.get(kind)
    if read is None:
        return UnknownRequest(request_id, by=(fields.text("by") or "")[:LONGEST_NAME], named=kind[:LONGEST_NAME])
    by = fields.essential_text("by")
    if len(by) > LONGEST_NAME:
        fields.refuse("by", f"longer than {LONGEST_NAME} characters")
    return read(fields, request_id, by)


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


def _accept(fields: Fields, request_id: RequestId, by: str) -> AcceptRequest:
    task, branch, note = _task(fields), _branch(fields, fields.essential_text("branch")), _text(fields, "note")
    return AcceptRequest(request_id, by, task=task, branch=branch, note=note)


def _cancel(fields: Fields, request_id: RequestId, by: str) -> CancelRequest:
    return CancelRequest(request_id, by, task=_task(fields))


def _respawn(fields: Fields, request_id: RequestId, by: str) -> RespawnRequest:
    tasks, refs = fields.names("tasks", TaskName), fields.mapping("startingRefs") or {}
    if not tasks or len(tasks) > MOST_TASKS or not all(map(is_kebab_case, tasks)):
        fields.refuse("tasks", "they are no list of task names")
    if not all(name in tasks for name in refs):
        fields.refuse("startingRefs", "it names a task that is not asked for")
    return RespawnRequest(
        request_id,
        by,
        tasks=tasks,
        again=fields.flag("again") or False,
        source=fields.flag("source") or False,
        cascade=fields.flag("cascade") or False,
        starting_refs={TaskName(name): _branch(fields, ref) for name, ref in refs.items()},
    )


def _spawn(fields: Fields, request_id: RequestId, by: str) -> SpawnRequest:
    definition = fields.mapping("definition")
    if definition is None:
        fields.refuse("definition", "expected an object")
    return SpawnRequest(request_id, by, definition=definition)


def _steer(fields: Fields, request_id: RequestId, by: str) -> SteerRequest:
    digest = fields.essential_text("digest")
    if not _DIGEST.fullmatch(digest):
        fields.refuse("digest", "it is no SHA-256 in hexadecimal digits")
    return SteerRequest(request_id, by, task=_task(fields), digest=digest)


def _drop(fields: Fields, request_id: RequestId, by: str) -> DropRequest:
    message = fields.essential_text("message")
    if not is_request_id(message):
        fields.refuse("message", "it is no id of a message")
    return DropRequest(request_id, by, task=_task(fields), message=RequestId(message))


def _andon_raise(fields: Fields, request_id: RequestId, by: str) -> AndonRaiseRequest:
    return AndonRaiseRequest(request_id, by, reason=fields.essential_text("reason")[:LONGEST_ANDON])


def _andon_clear(fields: Fields, request_id: RequestId, by: str) -> AndonClearRequest:
    return AndonClearRequest(request_id, by, note=(fields.text("note") or "")[:LONGEST_ANDON] or None)


_READERS: Mapping[str, Callable[[Fields, RequestId, str], InboxRequest]] = MappingProxyType(
    {
        RequestKind.ACCEPT: _accept,
        RequestKind.CANCEL: _cancel,
        RequestKind.RESPAWN: _respawn,
        RequestKind.SPAWN: _spawn,
        RequestKind.STEER: _steer,
        RequestKind.DROP: _drop,
        RequestKind.ANDON_RAISE: _andon_raise,
        RequestKind.ANDON_CLEAR: _andon_clear,
    }
)


def _task(fields: Fields) -> TaskName:
    task = fields.essential_text("task")
    if not is_kebab_case(task):
        fields.refuse("task", "it is no task name")
    return TaskName(task)


def _branch(fields: Fields, branch: object) -> str:
    if not isinstance(branch, str) or not is_valid_ref(branch) or len(branch) > LONGEST_NAME:
        fields.refuse("branch", "it is no name of a branch")
    return branch


def _text(fields: Fields, key: str) -> str | None:
    text = fields.text(key)
    if len(text or "") > LONGEST_TEXT:
        fields.refuse(key, f"longer than {LONGEST_TEXT} characters")
    return text or None


def _on_disk(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.title, others))


def _fields(data: bytes) -> Fields:
    try:
        return Fields(orjson.loads(data), where="inbox")
    except orjson.JSONDecodeError as error:
        raise WorkspaceDamaged("inbox: not JSON") from error
