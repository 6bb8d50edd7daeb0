"""Journal records, each one line, and back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import orjson

from orchestrate.errors import WorkspaceDamaged
from orchestrate.model.dumping import dump
from orchestrate.model.fields import Fields
from orchestrate.model.names import EngineId, Timestamp, WorkspaceId
from orchestrate.model.row_format import decode_row
from orchestrate.model.rows import Attention, TaskRow, Workspace
from orchestrate.model.workspace_format import decode_attention, decode_workspace, encode_attention, workspace_document


@dataclass(frozen=True, slots=True)
class Record:
    """One line of the journal: what happened, and what is true since then."""

    #: Rises by one from record to record.
    seq: int
    #: The engine that wrote it.
    engine: EngineId
    at: Timestamp
    #: For people and for the story; replay never looks at it.
    event: Mapping[str, object]
    #: Whole rows as they are from now on.
    rows: tuple[TaskRow, ...] = ()
    workspace: Workspace | None = None
    attention: tuple[Attention, ...] = ()


def encode_record(record: Record, rows: Sequence[bytes]) -> bytes:
    """The record as one line with its end; ``rows`` are its rows, encoded before."""
    document: dict[str, object] = {
        "seq": record.seq,
        "engine": record.engine,
        "at": record.at,
        "event": orjson.Fragment(dump(dict(record.event))),
        "rows": [orjson.Fragment(row) for row in rows],
    }
    if record.workspace is not None:
        document["workspace"] = orjson.Fragment(dump(workspace_document(record.workspace)))
    if record.attention:
        document["attention"] = [orjson.Fragment(encode_attention(item)) for item in record.attention]
    return orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE)


def decode_record(line: bytes, *, where: str) -> Record:
    """The record of a line; ``WorkspaceDamaged`` says what is wrong with it."""
    try:
        document = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise WorkspaceDamaged(f"{where}: not JSON") from error
    fields = Fields(document, where=where)
    seq, engine, at = fields.essential_number("seq"), fields.essential_text("engine"), fields.essential_text("at")
    rows = fields.essential_list("rows")
    workspace = fields.mapping("workspace")
    return Record(
        seq=seq,
        engine=EngineId(engine),
        at=Timestamp(at),
        event=fields.mapping("event") or {},
        rows=tuple(decode_row(row, where=f"{where} rows[{place}]") for place, row in enumerate(rows)),
        workspace=None if workspace is None else decode_workspace(workspace, where=f"{where} workspace"),
        attention=decode_attention(fields.value("attention")),
    )


def workspace_id_in(line: bytes) -> WorkspaceId | None:
    """The workspace that a record names, without a look at its rows; None if it names none or is damaged."""
    try:
        workspace = orjson.loads(line)["workspace"]
        return WorkspaceId(str(workspace["workspaceId"]))
    except (ValueError, KeyError, TypeError):
        return None
