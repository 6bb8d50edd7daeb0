"""The whole history of a workspace: every record of its journal, read without the lock while an engine may write it."""

import os
from collections.abc import Iterable, Iterator, Sequence
from io import BufferedReader
from pathlib import Path

from orchestrate.errors import WorkspaceDamaged
from orchestrate.model.names import TaskName
from orchestrate.model.records import Record, decode_record
from orchestrate.store.files import failure
from orchestrate.store.journal import JOURNAL
from orchestrate.store.loading import workspace_folder

_HINT = "keep a copy, cut the journal before that line, and run the same command again"


def read_records(path: Path, *, naming: TaskName | None = None, events: Iterable[str] = ()) -> Iterator[Record]:
    """The records from the first on, one at a time; none where there is no journal, as in a foreign workspace.

    A torn last line is passed over: an engine may be writing it. With ``naming`` only records in which the task's name
    stands are read, and those of these ``events``, which is what a single task's story needs of a long journal; some of
    them may not be about it.
    """
    folder = workspace_folder(path)
    needles = [b""] if naming is None else [f'"{word}"'.encode() for word in (naming, *events)]
    try:
        with folder.opened(JOURNAL, os.O_RDONLY) as descriptor, open(descriptor, "rb", closefd=False) as file:
            yield from _records(file, needles)
    except FileNotFoundError:
        return
    except OSError as error:
        raise failure(error, folder.path / JOURNAL) from error


def _records(file: BufferedReader, needles: Sequence[bytes]) -> Iterator[Record]:
    """What is appended while we read counts too; nothing behind a line without its end does."""
    for number, line in enumerate(file, start=1):
        if not line.endswith(b"\n"):
            return
        if any(needle in line for needle in needles):
            try:
                yield decode_record(line, where=f"{JOURNAL}:{number}")
            except WorkspaceDamaged as error:
                if not file.peek(1):
                    return
                raise WorkspaceDamaged(f"{error.message}: damaged record", hint=_HINT) from error
