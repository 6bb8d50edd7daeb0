"""``state.json``: a snapshot of every row, ours or that of another tool.

Each row has a line of its own, so that a difference between two states reads well.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from orchestrate.errors import InputRefused, WorkspaceDamaged
from orchestrate.model.dumping import dump
from orchestrate.model.fields import Fields, shown
from orchestrate.model.row_format import decode_row
from orchestrate.model.rows import Attention, TaskRow, Workspace
from orchestrate.model.workspace_format import Header, decode_attention, decode_header, workspace_document

SCHEMA_VERSION = 1
#: How many lines for the operator a state keeps.
ATTENTION_KEPT = 500

_FILE = "state.json"
#: Rows of a state that nobody here has written; a plan has fewer.
_MOST_ROWS = 20_000
_RESTORE = f"restore {_FILE}, or move it away: it is rebuilt from journal.jsonl where that is there"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a ``state.json`` says; without a ``header.workspace_id`` the caller draws one."""

    header: Header
    #: In the order of the file.
    rows: tuple[TaskRow, ...]
    attention: tuple[Attention, ...]
    #: The last journal record that is in it, and where the next one starts; 0 in a state of another tool.
    journal_seq: int
    journal_offset: int


def encode_state(
    workspace: Workspace, *, rows: Sequence[bytes], attention: Sequence[bytes], journal_seq: int, journal_offset: int
) -> bytes:
    """The state as a JSON object from rows and lines that were encoded before."""
    head = dump({"schemaVersion": SCHEMA_VERSION, **workspace_document(workspace)})
    parts = (
        head[:-1],
        b',\n"attention":[',
        b",\n".join(attention),
        b'],\n"journalSeq":%d,\n"journalOffset":%d,\n"tasks":[\n' % (journal_seq, journal_offset),
        b",\n".join(rows),
        b"\n]}\n",
    )
    return b"".join(parts)


def decode_state(data: bytes) -> Snapshot:
    """The snapshot in these bytes; an empty or newer file is refused, never read as an empty state."""
    try:
        return _decoded(data)
    except WorkspaceDamaged as error:
        error.hint = error.hint or _RESTORE
        raise


def _decoded(data: bytes) -> Snapshot:
    fields = Fields(_loaded(data), where=_FILE)
    _require_schema(fields)
    tasks = fields.essential_list("tasks")
    rows = tuple(decode_row(task, where=f"{_FILE} tasks[{place}]") for place, task in enumerate(tasks))
    _require_unique(rows)
    attention = decode_attention(fields.value("attention"))
    seq, offset = _place(fields, "journalSeq"), _place(fields, "journalOffset")
    return Snapshot(decode_header(fields), rows, attention[-ATTENTION_KEPT:], journal_seq=seq, journal_offset=offset)


def salvage_state(data: bytes) -> tuple[Snapshot, tuple[str, ...]]:
    """As much of a state as can be read, and what cannot, a sentence each; WorkspaceDamaged where there are no tasks.

    For states that others have pushed: half of one tells of more agents than none.
    """
    fields, faults = Fields(_loaded(data), where=_FILE), list[str]()
    tasks = fields.essential_list("tasks")
    rows: dict[str, TaskRow] = {}
    for place, task in enumerate(tasks[:_MOST_ROWS]):
        try:
            row = decode_row(task, where=f"{_FILE} tasks[{place}]")
        except WorkspaceDamaged as error:
            faults.append(error.message)
            continue
        rows.setdefault(row.name, row)
    if len(tasks) > _MOST_ROWS:
        faults.append(f"{_FILE} has {len(tasks):,} tasks; the first {_MOST_ROWS:,} were read")
    header = _salvaged_header(fields, faults)
    seq = fields.value("journalSeq")
    known = seq if type(seq) is int and seq >= 0 else 0
    return Snapshot(header, tuple(rows.values()), (), journal_seq=known, journal_offset=0), tuple(faults)


def _salvaged_header(fields: Fields, faults: list[str]) -> Header:
    try:
        _require_schema(fields)
        return decode_header(fields)
    except WorkspaceDamaged as error:
        faults.append(error.message)
        return Header(None, "", None, None, (), 0.0, None, None, {})


def require_root_slug(found: str, *, wanted: str) -> None:
    """Refuse the state of another plan."""
    if found != wanted:
        raise InputRefused(
            f'{_FILE} belongs to the plan {shown(found)}, but plan.json has the rootSlug "{wanted}"',
            hint="give the plan its own folder, or write the former rootSlug into plan.json",
        )


def _loaded(data: bytes) -> object:
    if not data.strip():
        raise WorkspaceDamaged(f"{_FILE} is empty")
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        document: object = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        document = _loaded_leniently(data)
        if document is None:
            raise WorkspaceDamaged(f"{_FILE}:{error.lineno}: not JSON: {error.msg}") from error
    return document


def _loaded_leniently(data: bytes) -> object:
    """The document of a tool that cuts text between the halves of a character, as JavaScript does; None if none."""
    try:
        return orjson.loads(dump(json.loads(data)))
    except (ValueError, RecursionError):
        return None


def _require_schema(fields: Fields) -> None:
    version = fields.value("schemaVersion")
    if version is None:
        return
    if type(version) is not int or version < 1:
        fields.refuse("schemaVersion", f"{shown(version)} is no version")
    if version > SCHEMA_VERSION:
        raise WorkspaceDamaged(
            f"{_FILE} has schemaVersion {version}; this version reads up to {SCHEMA_VERSION}",
            hint="install a newer orchestrate-agents",
        )


def _require_unique(rows: Sequence[TaskRow]) -> None:
    seen: set[str] = set()
    for place, row in enumerate(rows):
        if row.name in seen:
            raise WorkspaceDamaged(f'{_FILE} tasks[{place}].name: "{row.name}" is there twice')
        seen.add(row.name)


def _place(fields: Fields, key: str) -> int:
    value = fields.value(key)
    if value is None:
        return 0
    if type(value) is not int or value < 0:
        fields.refuse(key, f"expected a whole number from 0 on, found {shown(value)}")
    return value
