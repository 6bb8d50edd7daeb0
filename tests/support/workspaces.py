"""Workspaces on a real disk, with the files that an engine leaves behind."""

import json
from collections.abc import Iterable
from pathlib import Path

from orchestrate.model.records import encode_attention, encode_row
from orchestrate.model.rows import Attention, TaskRow, Workspace
from orchestrate.model.states import encode_state
from orchestrate.store.attempts import AttemptFiles
from orchestrate.store.files import Folder
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


def attempt_files(folder: Path) -> AttemptFiles:
    """The files of attempts of this workspace."""
    return AttemptFiles(Folder(folder))
