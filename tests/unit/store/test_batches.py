import errno
import os
import stat

import pytest

from orchestrate.errors import InputRefused, StorageFailed, WorkspaceDamaged
from orchestrate.store import batches
from orchestrate.store.batches import BatchWriter, NewFile, Place
from orchestrate.store.files import Folder, SyncFailed

DAMAGE = WorkspaceDamaged("another one is there")


@pytest.fixture
def writer():
    return BatchWriter()


@pytest.fixture(params=["nameless", "no such flag", "no such files", "no links"])
def way(request, monkeypatch):
    """How the file system can, or cannot, give a name to a file that is whole."""
    if request.param == "no such flag":
        monkeypatch.setattr(batches, "_NAMELESS", None)
    if request.param == "no such files":
        monkeypatch.setattr(batches, "_NAMELESS", os.O_CREAT | os.O_EXCL)  # of "."
    if request.param == "no links":
        monkeypatch.setattr(os, "link", lambda *_, **__: fail(errno.EPERM))
    return request.param


def fail(number=errno.EIO):
    raise OSError(number, os.strerror(number))


def save(folder, name, data, **fields):
    return (NewFile(data, Place(folder, name), **fields),)


def tree(path):
    return {str(each.relative_to(path)): each.read_bytes() for each in path.rglob("*") if each.is_file()}


def test_all_saves_are_there_whole_private_and_without_litter(writer, tmp_path, way):
    raw, latest = Folder(tmp_path).below("raw"), Folder(tmp_path).below("handoffs")
    attempts = latest.below("attempts")
    reply = (
        NewFile(b"x" * 3_000_000, Place(raw, "a.1.md")),
        NewFile(b"two", Place(attempts, "a.1.md"), then=Place(latest, "a.md")),
    )

    assert writer.write([reply, save(raw, "b.1.md", b"")]) == [None, None]

    assert tree(tmp_path) == {
        "raw/a.1.md": b"x" * 3_000_000,
        "raw/b.1.md": b"",
        "handoffs/attempts/a.1.md": b"two",
        "handoffs/a.md": b"two",
    }
    for path in tmp_path.rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_what_is_there_is_replaced(writer, tmp_path, way):
    folder = Folder(tmp_path)
    for data in (b"first", b"second"):
        file = NewFile(data, Place(folder, "a"), then=Place(folder, "b"))
        assert writer.write([[file]]) == [None]
        assert tree(tmp_path) == {"a": data, "b": data}


def test_one_that_may_not_be_replaced_is_left_and_an_equal_one_is_fine(writer, tmp_path, way):
    folder = Folder(tmp_path)
    once = {"if_taken": DAMAGE}
    assert writer.write([save(folder, "a", b"first", **once), save(folder, "a", b"first", **once)]) == [None, None]
    assert writer.write([save(folder, "a", b"second", **once)]) == [DAMAGE]
    assert tree(tmp_path) == {"a": b"first"}


def test_an_error_of_one_fails_only_its_caller(writer, tmp_path, way):
    folder = Folder(tmp_path)
    (tmp_path / "b").symlink_to("nowhere")
    (tmp_path / "pipe").mkdir()

    outcomes = writer.write(
        [
            save(folder, "a", b"a"),
            save(folder, "b", b"b", then=Place(folder, "b2")),
            save(folder.below("b"), "b3", b"b"),
            save(folder, "pipe", b""),
            save(folder, "c", b"c"),
        ]
    )

    assert [type(each) for each in outcomes] == [type(None), InputRefused, InputRefused, InputRefused, type(None)]
    assert "symlink" in outcomes[1].message
    assert {name for name in os.listdir(tmp_path)} == {"a", "b", "c", "pipe"}  # noqa: C416, PTH208  links to nowhere too


def test_a_file_that_cannot_be_written_fails_only_its_caller(writer, tmp_path, monkeypatch):
    write = os.write

    def full(descriptor, data):
        return fail(errno.ENOSPC) if bytes(data) == b"large" else write(descriptor, data)

    monkeypatch.setattr(os, "write", full)
    folder = Folder(tmp_path)

    first, second = writer.write([save(folder, "a", b"large"), save(folder, "b", b"small")])

    assert isinstance(first, StorageFailed)
    assert first.message == f"{tmp_path}/a: no space left on device"
    assert second is None
    assert tree(tmp_path) == {"b": b"small"}
    assert writer.write([save(folder, "c", b"small")]) == [None]


@pytest.mark.parametrize("failing", range(1, 6))
def test_a_sync_that_fails_is_final_for_the_batch_and_all_after_it(writer, tmp_path, monkeypatch, failing):
    """Two files, then two folders, then the folder of the second name: whichever sync fails."""
    fsync, calls = os.fsync, []
    one, two = Folder(tmp_path).below("one"), Folder(tmp_path).below("two")
    one.create()
    two.create()

    def sync(descriptor):
        calls.append(descriptor)
        return fail() if len(calls) == failing else fsync(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", sync)
        outcomes = writer.write([save(one, "a", b"a"), save(two, "b", b"b", then=Place(one, "c"))])

    assert [type(each) for each in outcomes] == [SyncFailed, SyncFailed]
    assert "did not confirm a write (input/output error)" in outcomes[0].message
    assert len(calls) == failing
    assert writer.write([save(one, "later", b"")]) == [outcomes[0]]
    assert not (tmp_path / "one" / "later").exists()


def test_a_failed_sync_of_a_replacement_is_final_too(writer, tmp_path, monkeypatch):
    monkeypatch.setattr(batches, "_NAMELESS", None)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: fail())
        (first,) = writer.write([save(Folder(tmp_path), "a", b"a")])
    assert isinstance(first, SyncFailed)
    assert writer.write([save(Folder(tmp_path), "a", b"a")]) == [first]
    assert tree(tmp_path) == {}


def test_names_come_after_the_syncs_of_files_and_the_second_name_after_that_of_folders(writer, tmp_path, monkeypatch):
    steps, fsync, link = [], os.fsync, os.link
    folder = Folder(tmp_path)

    def sync(descriptor):
        steps.append("sync folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "sync file")
        fsync(descriptor)

    def named(source, name, **keywords):
        steps.append(f"name {name}")
        link(source, name, **keywords)

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(os, "link", named)
    writer.write([save(folder, "a", b"", then=Place(folder, "latest-a")), save(folder, "b", b"")])

    assert steps == ["sync file", "sync file", "name a", "name b", "sync folder", "name latest-a", "sync folder"]


def test_a_folder_that_was_removed_is_made_anew_and_a_link_in_its_place_is_refused(writer, tmp_path):
    folder = Folder(tmp_path).below("raw")
    assert writer.write([save(folder, "a", b"a")]) == [None]
    (tmp_path / "raw").rename(tmp_path / "moved")
    assert writer.write([save(folder, "b", b"b")]) == [None]
    assert tree(tmp_path) == {"moved/a": b"a", "raw/b": b"b"}

    (tmp_path / "raw" / "b").unlink()
    (tmp_path / "raw").rmdir()
    (tmp_path / "raw").symlink_to("moved")
    (refusal,) = writer.write([save(folder, "c", b"c")])

    assert isinstance(refusal, InputRefused)
    assert tree(tmp_path / "moved") == {"a": b"a"}


def test_without_advice_to_the_system_files_are_written_all_the_same(writer, tmp_path, monkeypatch):
    monkeypatch.delattr(os, "posix_fadvise", raising=False)
    folder = Folder(tmp_path)
    assert writer.write([save(folder, "a", b"a"), save(folder, "b", b"b")]) == [None, None]


def test_an_error_of_closing_loses_nothing(writer, tmp_path, monkeypatch):
    close = os.close

    def complaining(descriptor):
        is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)
        close(descriptor)
        if is_file:
            fail()

    with monkeypatch.context() as patch:
        patch.setattr(os, "close", complaining)
        assert writer.write([save(Folder(tmp_path), "a", b"a")]) == [None]
    assert tree(tmp_path) == {"a": b"a"}


def test_a_batch_leaves_no_descriptor_open(writer, tmp_path, way):
    before = os.listdir("/proc/self/fd")  # noqa: PTH208  names are all that counts
    (tmp_path / "b").symlink_to("nowhere")
    writer.write([save(Folder(tmp_path), name, b"x") for name in ("a", "b")])
    assert os.listdir("/proc/self/fd") == before  # noqa: PTH208  as above


def test_a_closed_writer_writes_nothing(writer, tmp_path):
    writer.close()
    (refusal,) = writer.write([save(Folder(tmp_path), "a", b"a")])
    assert isinstance(refusal, StorageFailed)
    assert tree(tmp_path) == {}
