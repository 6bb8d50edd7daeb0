import fcntl
import os
from dataclasses import asdict, replace
from pathlib import Path

import orjson
import pytest

from orchestrate.errors import InputRefused, StorageFailed
from orchestrate.model.timestamps import to_timestamp
from orchestrate.store import lock as lock_module
from orchestrate.store.files import Folder
from orchestrate.store.lock import LOCK, WorkspaceLock, living_holder, read_holder, taken
from tests.support.records import ENGINE, NOW


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path)


@pytest.fixture
def lock(folder):
    held = WorkspaceLock(folder, engine=ENGINE)
    yield held
    held.release()


def write_holder(folder, holder):
    document = {"bootId" if key == "boot_id" else key: value for key, value in asdict(holder).items()}
    folder.replace({LOCK: orjson.dumps(document)})


def test_the_lock_names_its_holder(folder, lock):
    lock.acquire(NOW)

    holder = living_holder(folder, now=NOW)

    assert holder == read_holder(folder)
    assert (holder.engine, holder.pid, holder.since, holder.beat) == (
        ENGINE,
        os.getpid(),
        to_timestamp(NOW),
        holder.since,
    )


def test_a_second_engine_is_refused_and_told_where_to_look(folder, lock, tmp_path):
    lock.acquire(NOW)

    with pytest.raises(InputRefused) as refusal:
        WorkspaceLock(folder, engine="engine-2").acquire(NOW + 3600)

    assert refusal.value.message.startswith(f"an engine already runs this workspace (pid {os.getpid()}, since ")
    assert refusal.value.hint == f"orchestrate watch {tmp_path}"
    assert read_holder(folder).engine == ENGINE


def test_the_command_to_type_quotes_the_folder(tmp_path):
    folder = Folder(tmp_path / "two words")

    assert taken(folder, None).hint == f"orchestrate watch '{tmp_path}/two words'"


def test_a_released_lock_is_free_and_names_nobody(folder, lock, tmp_path):
    lock.acquire(NOW)
    lock.release()
    lock.release()

    assert living_holder(folder, now=NOW) is None
    assert (tmp_path / LOCK).exists()
    second = WorkspaceLock(folder, engine="engine-2")
    second.acquire(NOW)
    second.release()


def test_a_beat_moves_the_beat_only(folder, lock):
    lock.acquire(NOW)
    before = read_holder(folder)

    lock.beat(NOW + 5)

    assert read_holder(folder) == replace(before, beat=to_timestamp(NOW + 5))


def test_a_lock_that_is_not_held_does_not_beat(folder, lock):
    lock.beat(NOW)
    assert read_holder(folder) is None


def test_whoever_asks_is_not_taken_for_an_engine(folder, lock):
    lock.acquire(NOW)
    for _ in range(3):
        assert living_holder(folder, now=NOW) is not None
    lock.release()
    lock.acquire(NOW)


def test_a_holder_that_died_is_no_living_one_and_its_lock_is_free(folder, lock):
    lock.acquire(NOW)
    died = replace(read_holder(folder), pid=1)
    lock.release()
    write_holder(folder, died)

    assert read_holder(folder) == died
    assert living_holder(folder, now=NOW) is None
    lock.acquire(NOW)


@pytest.mark.parametrize(("age", "is_believed"), [(0, True), (59, True), (61, False), (-59, True), (-61, False)])
def test_another_host_is_believed_alive_while_its_beat_is_young(folder, lock, age, is_believed):
    lock.acquire(NOW)
    elsewhere = replace(read_holder(folder), host="build-7", pid=4121, beat=to_timestamp(NOW - age))
    lock.release()
    write_holder(folder, elsewhere)

    assert living_holder(folder, now=NOW) == (elsewhere if is_believed else None)
    if is_believed:
        with pytest.raises(InputRefused, match=r"\(host build-7, pid 4121, since "):
            lock.acquire(NOW)
        assert read_holder(folder) == elsewhere
    else:
        lock.acquire(NOW)


@pytest.mark.parametrize("content", [b"", b"\0\0", b"[]", b'{"pid": 1}', b"{"])
def test_a_lock_file_that_says_nothing_is_free(folder, lock, content):
    folder.replace({LOCK: content})
    assert living_holder(folder, now=NOW) is None
    lock.acquire(NOW)


def test_a_holder_that_names_no_moment_is_described_all_the_same(folder, lock):
    lock.acquire(NOW)
    odd = replace(read_holder(folder), since="", beat="")
    assert odd.described() == f"pid {os.getpid()}, since an unknown time"
    assert not odd.has_fresh_beat(NOW)


def test_an_engine_that_says_nothing_yet_is_refused_without_a_name(folder, lock, tmp_path):
    with (tmp_path / LOCK).open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(InputRefused, match=r"^an engine already runs this workspace\.$"):
            lock.acquire(NOW)


def test_a_lock_file_that_was_removed_in_between_is_not_held(folder, lock, tmp_path, monkeypatch):
    real, removed = fcntl.flock, []

    def flock(descriptor, kind):
        real(descriptor, kind)
        if not removed:
            removed.append((tmp_path / LOCK).unlink())

    monkeypatch.setattr(fcntl, "flock", flock)
    lock.acquire(NOW)
    monkeypatch.undo()

    with pytest.raises(InputRefused):
        WorkspaceLock(folder, engine="engine-2").acquire(NOW)


def test_a_link_is_refused(lock, tmp_path):
    (tmp_path / LOCK).symlink_to("elsewhere")
    with pytest.raises(InputRefused, match="symlink"):
        lock.acquire(NOW)


@pytest.mark.parametrize("call", ["flock", "pwrite"])
def test_a_disk_that_fails_leaves_the_lock_free(folder, lock, monkeypatch, call):
    def fail(*arguments):
        raise OSError(37, "x")

    monkeypatch.setattr(fcntl if call == "flock" else os, call, fail)
    with pytest.raises(StorageFailed, match="no locks available"):
        lock.acquire(NOW)
    monkeypatch.undo()

    WorkspaceLock(folder, engine="engine-2").acquire(NOW)


def test_without_a_boot_id_the_lock_works_too(folder, lock, monkeypatch):
    monkeypatch.setattr(lock_module, "_BOOT_ID", Path("/nowhere"))
    lock.acquire(NOW)
    assert read_holder(folder).boot_id == ""
