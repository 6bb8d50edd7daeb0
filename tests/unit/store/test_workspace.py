import fcntl
import os
import stat
from pathlib import Path

import anyio
import pytest

from orchestrate.errors import InputRefused, StorageFailed, WorkspaceDamaged
from orchestrate.model.states import decode_state
from orchestrate.model.timestamps import to_timestamp
from orchestrate.store import journal as journal_module
from orchestrate.store.files import Folder
from orchestrate.store.loading import read_workspace
from orchestrate.store.lock import LOCK, living_holder, read_holder
from orchestrate.store.workspace import WorkspaceStore
from tests.support.records import ENGINE, NOW, ROOT_SLUG, WORKSPACE, attention, first_record, record, row

CORPUS = Path(__file__).parents[2] / "corpus" / "states"


async def opened(path, **keywords):
    return await WorkspaceStore.open(path, **{"root_slug": ROOT_SLUG, "engine_id": ENGINE, "now": NOW} | keywords)


@pytest.fixture
async def store(tmp_path):
    held = await opened(tmp_path)
    yield held
    await held.close()


def names_in(path):
    return sorted(each.name for each in path.iterdir())


def snapshot_in(path):
    return decode_state((path / "state.json").read_bytes())


async def test_a_new_workspace_gets_its_folders_and_no_state(store, tmp_path):
    assert names_in(tmp_path) == [".gitignore", ".lock", "handoffs", "inbox", "journal.jsonl", "raw", "requests"]
    assert (tmp_path / ".gitignore").read_text().split() == [
        "raw/",
        "requests/",
        "inbox/",
        "messages/",
        "journal.jsonl",
        ".lock",
    ]
    for path in tmp_path.rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


async def test_what_was_appended_is_there_for_readers_and_after_a_restart(store, tmp_path):
    await store.append([first_record(row("a"), row("b")), record(2, row("a", note="x"))])
    await store.append([record(3, row("b", note="y"))])

    loaded = read_workspace(tmp_path, root_slug=ROOT_SLUG)
    assert loaded.rows == {"a": row("a", note="x"), "b": row("b", note="y")}
    assert (loaded.workspace, loaded.journal_seq) == (WORKSPACE, 3)

    await store.close()
    again = await opened(tmp_path)
    await again.close()
    assert again.loaded.rows == loaded.rows
    assert snapshot_in(tmp_path).journal_seq == 3


async def test_a_snapshot_holds_all_that_is_synced(store, tmp_path):
    await store.append([first_record(row("a")), record(2, row("b"), attention=(attention("look"),))])
    await store.write_snapshot()

    snapshot = snapshot_in(tmp_path)

    assert snapshot.rows == (row("a"), row("b"))
    assert snapshot.attention == (attention("look"),)
    assert snapshot.journal_offset == (tmp_path / "journal.jsonl").stat().st_size
    assert read_workspace(tmp_path).is_snapshot_current


async def test_a_snapshot_is_written_when_it_is_due(store, tmp_path):
    await store.write_snapshot_if_due(NOW)
    assert not (tmp_path / "state.json").exists()

    await store.append([first_record(row("a"))])
    await store.write_snapshot_if_due(NOW)
    assert snapshot_in(tmp_path).journal_seq == 1

    await store.append([record(2)])
    await store.write_snapshot_if_due(NOW + 0.5)
    assert snapshot_in(tmp_path).journal_seq == 1
    await store.write_snapshot_if_due(NOW + 1)
    assert snapshot_in(tmp_path).journal_seq == 2


async def test_a_workspace_without_an_id_has_no_snapshot(store, tmp_path):
    await store.write_snapshot()
    await store.append([record(1, row("a"))])
    await store.write_snapshot_if_due(NOW)
    assert not (tmp_path / "state.json").exists()


async def test_snapshots_that_are_asked_for_at_once_end_with_the_newest(store, tmp_path):
    await store.append([first_record(row("a"))])
    async with anyio.create_task_group() as group:
        for number in range(2, 30):
            group.start_soon(store.write_snapshot)
            group.start_soon(store.write_snapshot_if_due, NOW + number)
            await store.append([record(number, row("a", note=str(number)))])
        group.start_soon(store.write_snapshot)
    assert snapshot_in(tmp_path).rows == (row("a", note="29"),)


async def test_rows_are_written_in_the_order_of_the_plan(store, tmp_path):
    await store.append([first_record(row("b"), row("a"))])
    store.order_rows(["a", "b"])
    await store.write_snapshot()
    assert [each.name for each in snapshot_in(tmp_path).rows] == ["a", "b"]


async def test_a_record_out_of_order_is_a_fault_of_ours(store, tmp_path):
    with pytest.raises(AssertionError, match="expected 1"):
        await store.append([record(2)])
    assert (tmp_path / "journal.jsonl").read_bytes() == b""


async def test_attention_is_logged_once(store, tmp_path):
    await store.append([first_record(attention=(attention("one"), attention("two")))])
    await store.append([record(2)])
    log = (tmp_path / "attention.log").read_text().splitlines()
    assert [line.split()[-1] for line in log] == ["one", "two"]


async def test_attention_that_cannot_be_logged_waits_and_stops_nothing(store, tmp_path):
    (tmp_path / "attention.log").mkdir()
    await store.append([first_record(attention=(attention("one"),))])
    assert read_workspace(tmp_path).attention == (attention("one"),)

    (tmp_path / "attention.log").rmdir()
    await store.close()

    assert (tmp_path / "attention.log").read_text().endswith(" one\n")


async def test_files_of_attempts_go_through(store, tmp_path):
    await store.write_request("a", 1, b"{}")
    path = await store.save_reply("a", 1, raw=b"\xff", handoff=b"<!-- h -->\n\xff", postmortem=("a-failure.md", b"p"))

    assert await store.read_request("a", 1) == b"{}"
    assert await store.read_request("a", 2) is None
    assert await store.read_raw("a", 1) == b"\xff"
    assert await store.read_handoff("a") == "<!-- h -->\n\ufffd"
    assert await store.read_handoff("b") is None
    assert path == "handoffs/a.md"
    assert (tmp_path / "handoffs" / "a-failure.md").exists()


async def test_a_request_whose_record_was_lost_is_gone_in_the_next_life(store, tmp_path):
    await store.append([first_record(row("a", attempts=1), row("b"))])
    for task in ("a", "b"):
        await store.write_request(task, 1, b"{}")
    await store.close()

    again = await WorkspaceStore.open(tmp_path, root_slug=ROOT_SLUG, engine_id=ENGINE, now=0.0)

    assert [await again.read_request(task, 1) for task in ("a", "b")] == [b"{}", None]
    await again.close()


async def test_a_second_engine_is_refused_and_the_first_goes_on(store, tmp_path):
    with pytest.raises(InputRefused, match="an engine already runs this workspace"):
        await opened(tmp_path, engine_id="engine-2")
    await store.append([first_record()])
    assert living_holder(Folder(tmp_path), now=NOW).engine == ENGINE


async def test_a_reader_that_asks_in_the_same_moment_does_not_keep_an_engine_out(tmp_path, monkeypatch):
    real, refusals = fcntl.flock, []

    def flock(descriptor, kind):
        if len(refusals) < 2:
            refusals.append(kind)
            raise BlockingIOError
        real(descriptor, kind)

    monkeypatch.setattr(fcntl, "flock", flock)
    store = await opened(tmp_path)
    await store.close()
    assert len(refusals) == 2


async def test_a_closed_store_frees_the_lock_and_takes_nothing(store, tmp_path):
    await store.close()

    assert read_holder(Folder(tmp_path)) is None
    with pytest.raises(StorageFailed, match="closed"):
        await store.append([first_record()])
    await (await opened(tmp_path)).close()


async def test_after_a_failed_sync_nothing_is_taken_and_the_snapshot_stays_behind(store, tmp_path, monkeypatch):
    await store.append([first_record(row("a"))])

    def fail(descriptor):
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(journal_module, "sync_data", fail)
        with pytest.raises(StorageFailed):
            await store.append([record(2, row("a", note="lost"))])
    with pytest.raises(StorageFailed):
        await store.append([record(2)])
    await store.write_snapshot()

    assert snapshot_in(tmp_path).rows == (row("a"),)
    assert snapshot_in(tmp_path).journal_seq == 1


async def test_a_damaged_workspace_is_left_as_it_is_and_unlocked(tmp_path):
    (tmp_path / "state.json").write_bytes(b"")
    with pytest.raises(WorkspaceDamaged):
        await opened(tmp_path)
    assert names_in(tmp_path) == [".lock", "state.json"]
    assert read_holder(Folder(tmp_path)) is None


async def test_a_first_snapshot_that_fails_gives_the_lock_back(store, tmp_path, monkeypatch):
    await store.append([first_record(row("a"))])
    await store.close()
    (tmp_path / "state.json").unlink(missing_ok=True)

    def fail(*arguments, **keywords):
        raise OSError(28, "x")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", fail)
        with pytest.raises(StorageFailed, match="no space left"):
            await opened(tmp_path)
    await (await opened(tmp_path)).close()


@pytest.mark.parametrize("case", ["journal only", "state only"])
async def test_one_of_the_two_files_is_enough(store, tmp_path, case):
    await store.append([first_record(row("a")), record(2, row("a", note="x"))])
    await store.write_snapshot()
    await store.close()
    (tmp_path / ("state.json" if case == "journal only" else "journal.jsonl")).unlink()

    again = await opened(tmp_path)
    assert again.loaded.was_rebuilt == (case == "journal only")
    await again.append([record(3, row("b"))])
    await again.close()

    loaded = read_workspace(tmp_path, root_slug=ROOT_SLUG)
    assert loaded.rows == {"a": row("a", note="x"), "b": row("b")}
    assert (loaded.journal_seq, loaded.workspace) == (3, WORKSPACE)


async def test_a_foreign_state_is_taken_over_with_the_first_record(tmp_path):
    (tmp_path / "state.json").write_bytes((CORPUS / "left-running.json").read_bytes())
    store = await opened(tmp_path)
    assert store.loaded.workspace is None
    workspace = store.loaded.workspace_or(WORKSPACE.workspace_id, root_slug=ROOT_SLUG)

    await store.append([record(1, workspace=workspace)])
    await store.write_snapshot()
    await store.close()

    loaded = read_workspace(tmp_path, root_slug=ROOT_SLUG)
    assert loaded.workspace == workspace
    assert loaded.rows == store.loaded.rows


async def test_lines_of_the_user_in_gitignore_stay(tmp_path):
    (tmp_path / ".gitignore").write_text("mine/\nraw/")
    await (await opened(tmp_path)).close()
    await (await opened(tmp_path)).close()
    lines = ["mine/", "raw/", "requests/", "inbox/", "messages/", "journal.jsonl", ".lock"]
    assert (tmp_path / ".gitignore").read_text().splitlines() == lines


async def test_what_a_crash_left_half_written_is_swept(tmp_path):
    (tmp_path / ".state.json.0123456789abcdef.tmp").touch()
    await (await opened(tmp_path)).close()
    assert not (tmp_path / ".state.json.0123456789abcdef.tmp").exists()


@pytest.mark.parametrize("name", ["journal.jsonl", "state.json", LOCK, ".gitignore", "handoffs", "raw", "requests"])
async def test_a_link_in_the_place_of_one_of_our_files_is_refused(tmp_path, name):
    (tmp_path / "elsewhere").mkdir()
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / name).symlink_to("../elsewhere")

    with pytest.raises(InputRefused):
        await opened(workspace)
    assert os.listdir(tmp_path / "elsewhere") == []  # noqa: PTH208  an empty folder


class _Clock:
    """Sleeps twice without waiting, then for ever."""

    def __init__(self):
        self.moment = NOW
        self.has_slept = anyio.Event()

    def now(self):
        return self.moment

    def monotonic(self):
        return self.moment

    async def sleep(self, seconds):
        if self.moment > NOW + 5:
            self.has_slept.set()
            await anyio.sleep_forever()
        self.moment += seconds


async def test_a_beat_that_cannot_be_written_is_left_to_the_next(store, tmp_path, monkeypatch):
    def fail(*arguments):
        raise OSError(28, "x")

    monkeypatch.setattr(os, "pwrite", fail)
    clock = _Clock()
    async with anyio.create_task_group() as group:
        group.start_soon(store.keep_beating, clock)
        await clock.has_slept.wait()
        group.cancel_scope.cancel()
    assert read_holder(Folder(tmp_path)).beat == to_timestamp(NOW)


async def test_the_beat_is_renewed(store, tmp_path):
    clock = _Clock()
    async with anyio.create_task_group() as group:
        group.start_soon(store.keep_beating, clock)
        await clock.has_slept.wait()
        group.cancel_scope.cancel()
    assert read_holder(Folder(tmp_path)).beat == to_timestamp(NOW + 10)
