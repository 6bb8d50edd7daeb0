"""Workspaces on a real disk, with the files that an engine leaves behind."""

import json
from collections.abc import Iterable
from pathlib import Path

from orchestrate.model.records import Record, encode_record
from orchestrate.model.row_format import encode_row
from orchestrate.model.rows import Attention, TaskRow, Workspace
from orchestrate.model.states import encode_state
from orchestrate.model.workspace_format import encode_attention
from tests.support.builders import SLUG, WORKSPACE


def a_plan_document(*tasks: dict[str, object], **fields: object) -> dict[str, object]:
    """A plan as it stands in its file."""
    return {
        "goal": "Sell things.",
        "rootSlug": SLUG,
        "baseBranch": "main",
        "repoUrl": "https://git.example.org/team/shop.git",
        "tasks": list(tasks),
        **fields,
    }


def write_plan(folder: Path, document: dict[str, object]) -> Path:
    """The plan in its file."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "plan.json"
    path.write_text(json.dumps(document, indent=2))
    return path


def write_state(folder: Path, rows: Iterable[TaskRow], *, attention: Iterable[Attention] = ()) -> None:
    """A snapshot without a journal."""
    data = encode_state(
        Workspace(WORKSPACE, SLUG),
        rows=[encode_row(row) for row in rows],
        attention=[encode_attention(item) for item in attention],
        journal_seq=0,
        journal_offset=0,
    )
    (folder / "state.json").write_bytes(data)


def write_journal(folder: Path, records: Iterable[Record]) -> None:
    """These records behind those that are there."""
    with (folder / "journal.jsonl").open("ab") as file:
        file.writelines(encode_record(record, [encode_row(row) for row in record.rows]) for record in records)


def write_reply(
    folder: Path, task: str, attempt: int = 1, *, raw: bytes = b"", handoff: bytes, postmortem: bytes | None = None
) -> None:
    """What an attempt leaves behind; its handoff is the latest one."""
    _write(folder / "raw" / f"{task}.{attempt}.md", raw)
    _write(folder / "handoffs" / "attempts" / f"{task}.{attempt}.md", handoff)
    _write(folder / "handoffs" / f"{task}.md", handoff)
    if postmortem is not None:
        _write(folder / "handoffs" / f"{task}-failure.md", postmortem)


def write_request(folder: Path, task: str, attempt: int = 1, *, prompt: str) -> None:
    """The request that an attempt sent."""
    _write(folder / "requests" / f"{task}.{attempt}.json", json.dumps({"prompt": {"text": prompt}}).encode())


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
