"""The workspace's store for the one engine that holds its lock: journal, snapshot and the files of each attempt.

Nothing here blocks the event loop: each call hops to a thread. Journal, requests and replies go separate ways, so that
a record never waits behind a handoff, nor a launch behind the replies of others.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar, TypeVarTuple, Unpack

import anyio
import anyio.to_thread

from orchestrate.errors import InputRefused, StorageFailed
from orchestrate.model.inbox_requests import InboxAnswer
from orchestrate.model.names import EngineId, RequestId, TaskName
from orchestrate.model.records import Record, encode_record
from orchestrate.model.row_format import encode_row
from orchestrate.model.rows import Attention
from orchestrate.model.stops import Stop
from orchestrate.ports import Clock, Incoming
from orchestrate.store.attempts import ATTEMPTS, HANDOFFS, RAW, REQUESTS, AttemptFiles, handoff_path
from orchestrate.store.attention import append_attention
from orchestrate.store.batches import BatchWriter, Save
from orchestrate.store.exhibits import ExhibitMaker
from orchestrate.store.files import Folder
from orchestrate.store.group_commit import GroupCommit
from orchestrate.store.inbox import INBOX, InboxFiles
from orchestrate.store.journal import JOURNAL, Journal, Position
from orchestrate.store.loading import LoadedState, load, workspace_folder
from orchestrate.store.lock import BEAT_SECONDS, LOCK, WorkspaceLock
from orchestrate.store.messages import MESSAGES, MessageFiles
from orchestrate.store.recent import RecentHandoffs
from orchestrate.store.snapshot import STATE, SnapshotPolicy, SnapshotWriter
from orchestrate.store.tombstone import read_stop
from orchestrate.text.redaction import Redactor

#: What git leaves out: unredacted text, requests with their prompts, and what only this machine needs.
_IGNORED = (f"{RAW}/", f"{REQUESTS}/", f"{INBOX}/", f"{MESSAGES}/", JOURNAL, LOCK)
_GITIGNORE = ".gitignore"
#: A reader that asks for the lock's holder is in the way for less than this.
_LOCK_TRIES = 4
_LOCK_PAUSE_SECONDS = 0.05
#: Threads that read files of attempts; more would only queue at the disk.
_READING_THREADS = 4

_Arguments = TypeVarTuple("_Arguments")
_Result = TypeVar("_Result")


class WorkspaceStore:
    """Open it with ``open``, give it back with ``close``; ``loaded`` is what it found."""

    def __init__(
        self, folder: Folder, *, lock: WorkspaceLock, journal: Journal, loaded: LoadedState, policy: SnapshotPolicy
    ) -> None:
        self.loaded = loaded
        self._folder = folder
        self._lock = lock
        self._journal = journal
        self._policy = policy
        self._files = AttemptFiles(folder)
        self._inbox = InboxFiles(folder)
        self._messages = MessageFiles(folder)
        self._recent = RecentHandoffs()
        self._writer = BatchWriter()
        self._requests = GroupCommit[Save](self._writer.write)
        self._replies = GroupCommit[Save](self._writer.write)
        self._snapshot = SnapshotWriter(
            workspace=loaded.workspace,
            rows=loaded.rows,
            attention=loaded.attention,
            position=journal.end,
            is_current=loaded.is_snapshot_current,
        )
        self._exhibits: ExhibitMaker | None = None
        #: Lines that ``attention.log`` has not taken yet.
        self._unlogged: list[Attention] = []
        self._journal_thread = anyio.CapacityLimiter(1)
        self._snapshot_thread = anyio.CapacityLimiter(1)
        self._reading_threads = anyio.CapacityLimiter(_READING_THREADS)
        #: Whoever makes a snapshot, from its image to its end: no older one may replace a newer.
        self._snapshot_turn = anyio.CapacityLimiter(1)

    @classmethod
    async def open(
        cls,
        path: Path,
        *,
        root_slug: str,
        engine_id: EngineId,
        now: float,
        policy: SnapshotPolicy | None = None,
    ) -> "WorkspaceStore":
        """Take the lock, load the state and repair a torn journal; refused if another engine runs this workspace."""
        folder = await anyio.to_thread.run_sync(workspace_folder, path)
        lock = WorkspaceLock(folder, engine=engine_id)
        await _acquire(lock, now=now)
        try:
            journal, loaded = await anyio.to_thread.run_sync(_prepare, folder, root_slug, engine_id)
            await anyio.to_thread.run_sync(InboxFiles(folder).tidy, now)
        except BaseException:
            lock.release()
            raise
        store = cls(folder, lock=lock, journal=journal, loaded=loaded, policy=policy or SnapshotPolicy())
        if not loaded.is_snapshot_current:
            await store._write_first_snapshot()
        return store

    async def append(self, records: Sequence[Record]) -> None:
        """Write and sync these records in one go; durable when this returns. Their ``seq`` goes on without a gap."""
        encoded = [[encode_row(row) for row in record.rows] for record in records]
        lines = [encode_record(record, rows) for record, rows in zip(records, encoded, strict=True)]
        lines_for_people = [item for record in records for item in record.attention]
        numbers = [record.seq for record in records]
        await anyio.to_thread.run_sync(self._append, numbers, lines, lines_for_people, limiter=self._journal_thread)
        for record, rows in zip(records, encoded, strict=True):
            self._snapshot.take(record, rows)
        self._snapshot.move_to(self._journal.end)

    async def write_snapshot_if_due(self, now: float) -> None:
        """Bring ``state.json`` up to the last synced record, if the policy asks for it and nobody is at it."""
        if self._snapshot_turn.borrowed_tokens == 0 and self._snapshot.is_due(self._policy, now):
            await self._write_snapshot(now)

    async def write_snapshot(self) -> None:
        """Bring ``state.json`` up to the last synced record."""
        await self._write_snapshot(None)

    def order_rows(self, names: Iterable[TaskName]) -> None:
        """Rows stand in this order in ``state.json`` from now on: the plan's."""
        self._snapshot.order(names)

    async def write_request(self, task: TaskName, attempt: int, body: bytes) -> None:
        """Write and sync a create request before it is sent; that of an attempt is never replaced."""
        await self._requests.put(self._files.request(task, attempt, body))

    async def read_request(self, task: TaskName, attempt: int) -> bytes | None:
        """The request of this attempt; None means that nothing was sent."""
        return await self._in_reading_thread(self._files.read_request, task, attempt)

    async def save_reply(
        self,
        task: TaskName,
        attempt: int,
        *,
        raw: bytes,
        handoff: bytes,
        postmortem: tuple[str, bytes] | None = None,
        follow_up: int = 0,
    ) -> str:
        """Write and sync a reply, the attempt's files before the latest handoff; answers its path in the workspace."""
        save = self._files.reply(task, attempt, raw=raw, handoff=handoff, postmortem=postmortem, follow_up=follow_up)
        await self._replies.put(save)
        self._recent.put(task, handoff)
        return handoff_path(task)

    async def read_raw(self, task: TaskName, attempt: int) -> bytes | None:
        """The reply of this attempt, byte for byte."""
        return await self._in_reading_thread(self._files.read_raw, task, attempt)

    async def read_handoff(self, task: TaskName) -> str | None:
        """The task's latest handoff with its header; what is no UTF-8 is replaced."""
        data = self._recent.get(task) or await self._in_reading_thread(self._files.read_handoff, task)
        return None if data is None else data.decode(errors="replace")

    async def read_message(self, message: RequestId) -> bytes | None:
        """The text of a message to an agent."""
        return await self._in_reading_thread(self._messages.read, message)

    async def save_acceptance(self, task: TaskName, acceptance: str, *, handoff: bytes) -> str:
        """Write and sync a handoff that no agent wrote, beside those of the attempts; answers its path in the workspace."""
        await self._replies.put(self._files.acceptance(task, acceptance, handoff=handoff))
        self._recent.put(task, handoff)
        return handoff_path(task)

    async def take_requests(self) -> Sequence[Incoming]:
        """What other processes ask for, oldest first, and what was no request and was moved away."""
        return await self._in_reading_thread(self._inbox.take)

    async def read_stop(self) -> Stop | None:
        """The tombstone of a kill, if there is one."""
        return await self._in_reading_thread(read_stop, self._folder)

    async def answer_request(self, answer: InboxAnswer) -> None:
        """Write and sync the answer, then remove the request."""
        await self._in_reading_thread(self._inbox.answer, answer)

    def show_without(self, redactor: Redactor) -> None:
        """Exhibits lose what this redactor finds; without it there are none."""
        self._exhibits = ExhibitMaker(self._folder, redactor)

    async def exhibits(self) -> Mapping[str, bytes]:
        """Plan, exact state and handoffs as they are now, without secrets, by their names in the workspace."""
        if self._exhibits is None:
            return {}
        return await self._in_reading_thread(self._exhibits.exhibits, self._snapshot.image())

    async def keep_beating(self, clock: Clock) -> None:
        """Renew the lock's beat until cancelled; engines on other hosts believe in it."""
        while True:
            await clock.sleep(BEAT_SECONDS)
            with suppress(StorageFailed):  # the lock itself is the kernel's; the next beat tries again
                await anyio.to_thread.run_sync(self._lock.beat, clock.now())

    async def close(self) -> None:
        """Give journal and lock back; it writes no snapshot."""
        with anyio.CancelScope(shield=True):
            await self._requests.wait_until_idle()
            await self._replies.wait_until_idle()
            async with self._snapshot_turn:
                await anyio.to_thread.run_sync(self._close, limiter=self._journal_thread)

    async def _write_first_snapshot(self) -> None:
        try:
            await self.write_snapshot()
        except BaseException:
            await self.close()
            raise

    async def _write_snapshot(self, now: float | None) -> None:
        async with self._snapshot_turn:
            image = None if self._snapshot.is_written else self._snapshot.image()
            if image is not None:
                size = await anyio.to_thread.run_sync(image.write, self._folder, limiter=self._snapshot_thread)
                self._snapshot.note_written(image, size=size, now=now)

    def _append(self, numbers: Sequence[int], lines: Sequence[bytes], lines_for_people: Sequence[Attention]) -> None:
        first = self._journal.end.seq + 1
        assert list(numbers) == list(range(first, first + len(numbers))), f"expected {first}, found {numbers}"
        self._journal.append(lines)
        self._unlogged.extend(lines_for_people)
        if self._unlogged:
            self._log_attention()

    def _log_attention(self) -> None:
        """The journal has the lines, so a failure here only puts them off to the next time."""
        try:
            append_attention(self._folder, self._unlogged)
        except (StorageFailed, InputRefused):
            return
        self._unlogged.clear()

    def _close(self) -> None:
        if self._unlogged:
            self._log_attention()
        self._writer.close()
        self._journal.close()
        self._lock.release()

    async def _in_reading_thread(
        self, call: Callable[[Unpack[_Arguments]], _Result], *arguments: *_Arguments
    ) -> _Result:
        return await anyio.to_thread.run_sync(call, *arguments, limiter=self._reading_threads)


async def _acquire(lock: WorkspaceLock, *, now: float) -> None:
    for _ in range(_LOCK_TRIES - 1):
        try:
            return await anyio.to_thread.run_sync(lock.acquire, now)
        except InputRefused:
            await anyio.sleep(_LOCK_PAUSE_SECONDS)
    return await anyio.to_thread.run_sync(lock.acquire, now)


def _prepare(folder: Folder, root_slug: str, engine_id: EngineId) -> tuple[Journal, LoadedState]:
    """Read before anything is written: what is refused stays as it is."""
    loaded = load(folder, folder.read(STATE), root_slug=root_slug)
    _write_gitignore(folder)
    folder.below(INBOX).create()  # others write there: what they are at is not swept away
    for each in _folders(folder):
        each.create()
        each.sweep()
    AttemptFiles(folder).sweep_requests({name: row.attempts for name, row in loaded.rows.items()})
    end = Position(seq=loaded.journal_seq, offset=loaded.journal_offset)
    return Journal(folder, engine=engine_id, end=end), loaded


def _folders(folder: Folder) -> tuple[Folder, ...]:
    handoffs = folder.below(HANDOFFS)
    return folder, folder.below(REQUESTS), folder.below(RAW), handoffs, handoffs.below(ATTEMPTS)


def _write_gitignore(folder: Folder) -> None:
    """Name what git leaves out; lines of the user stay."""
    present = folder.read(_GITIGNORE) or b""
    missing = [name for name in _IGNORED if name.encode() not in present.split()]
    if missing:
        gap = b"" if present.endswith(b"\n") or not present else b"\n"
        folder.replace({_GITIGNORE: present + gap + "".join(f"{name}\n" for name in missing).encode()})
