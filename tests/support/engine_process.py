"""A process that opens a workspace like an engine does: ``python -m tests.support.engine_process FOLDER MODE [N]``.

It waits for a line on stdin, opens the store, says ``held`` or ``refused ...`` and does what the mode says:
``hold`` waits for the end of stdin; ``append`` writes records until it is killed, naming each once it is durable;
``few`` writes N records with snapshots in between; ``limited`` may write no file beyond N bytes; ``attempts`` saves
requests and replies, 20 at a time, until it is killed, naming each once it is durable.
"""

import resource
import sys
from itertools import count
from pathlib import Path

import anyio

from orchestrate.errors import OrchestrateError, StorageFailed
from orchestrate.model.names import TaskName
from orchestrate.store.workspace import WorkspaceStore
from tests.support.records import ENGINE, NOW, ROOT_SLUG, WORKSPACE, record, row


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


async def append_many(store: WorkspaceStore, *, count: int, snapshot_every: int) -> None:
    seq = store.loaded.journal_seq
    for number in range(seq + 1, seq + 1 + count):
        workspace = WORKSPACE if number == 1 else None
        await store.append([record(number, row(f"t{number % 5}", attempts=number), workspace=workspace)])
        say(str(number))
        if number % snapshot_every == 0:
            await store.write_snapshot()


async def append_until_full(store: WorkspaceStore, *, limit: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    try:
        await append_many(store, count=10_000, snapshot_every=20_000)
    except StorageFailed as error:
        say(f"failed {error.message} | {error.hint}")


def text_of(task: str, kind: str) -> bytes:
    """What is saved under this name: long enough to be torn, and told apart by its beginning and its end."""
    return f"{task} {kind} ".encode() * 400 + b"end"


async def save_attempts(store: WorkspaceStore, *, at_once: int = 20) -> None:
    async def save_on(caller: int) -> None:
        for number in count():
            task = TaskName(f"t{caller}-{number}")
            await store.write_request(task, 1, text_of(task, "request"))
            say(f"request {task}")
            handoff = text_of(task, "handoff")
            await store.save_reply(task, 1, raw=text_of(task, "raw"), handoff=handoff)
            say(f"reply {task}")

    async with anyio.create_task_group() as callers:
        for caller in range(at_once):
            callers.start_soon(save_on, caller)


async def run(path: Path, mode: str, number: int) -> None:
    sys.stdin.readline()
    try:
        store = await WorkspaceStore.open(path, root_slug=ROOT_SLUG, engine_id=ENGINE, now=NOW)
    except OrchestrateError as error:
        say(f"refused {error.message}")
        return
    say("held")
    match mode:
        case "append":
            await append_many(store, count=1_000_000, snapshot_every=7)
        case "attempts":
            await save_attempts(store)
        case "few":
            await append_many(store, count=number, snapshot_every=3)
        case "limited":
            await append_until_full(store, limit=number)
        case _:
            sys.stdin.read()
    await store.close()
    say("released")


if __name__ == "__main__":
    anyio.run(run, Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 0)
