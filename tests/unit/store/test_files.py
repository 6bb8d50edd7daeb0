import errno
import os
import stat

import pytest

from orchestrate.errors import InputRefused, StorageFailed
from orchestrate.store.files import Folder, SyncFailed, append_whole, failure, replace_file


def names_in(path):
    return sorted(each.name for each in path.iterdir())


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_is_replaced_as_a_whole_and_private(folder, tmp_path):
    folder.replace({"a.json": b"first and longer"})
    folder.replace({"a.json": b"second", "b.json": b""})

    assert folder.read("a.json") == b"second"
    assert folder.read("b.json") == b""
    assert mode(tmp_path / "a.json") == 0o600
    assert names_in(tmp_path) == ["a.json", "b.json"]


def test_a_reader_of_the_former_file_keeps_it(folder, tmp_path):
    folder.replace({"a": b"first"})
    with (tmp_path / "a").open("rb") as reader:
        folder.replace({"a": b"second"})
        assert reader.read() == b"first"


def test_folders_are_made_on_the_way_and_private(folder, tmp_path):
    folder.below("handoffs").below("attempts").replace({"a.md": b"x"})

    assert mode(tmp_path / "handoffs") == 0o700
    assert mode(tmp_path / "handoffs" / "attempts") == 0o700
    folder.below("handoffs").create()
    assert folder.below("handoffs").below("attempts").read("a.md") == b"x"


def test_a_missing_file_is_none(folder):
    assert folder.read("a") is None
    assert folder.below("none").read("a") is None
    assert not folder.below("none").has("a")
    folder.below("none").sweep()


def test_a_large_file_is_read_whole(folder):
    data = os.urandom(3 << 20)
    folder.replace({"a": data})
    assert folder.read("a") == data


def test_replace_file_takes_a_path(tmp_path):
    replace_file(tmp_path / "a", b"x", mode=0o644)
    assert (tmp_path / "a").read_bytes() == b"x"


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../a", "/etc/passwd", "a\0b"])
def test_a_name_is_one_step_down(folder, name):
    for act in (folder.read, folder.has, folder.below, lambda each: folder.replace({each: b""})):
        with pytest.raises(InputRefused, match="is no name of a file in a workspace"):
            act(name)


def test_a_link_in_the_place_of_a_file_is_refused(folder, tmp_path):
    (tmp_path / "elsewhere").write_bytes(b"secret")
    (tmp_path / "a").symlink_to("elsewhere")

    for act in (lambda: folder.read("a"), lambda: folder.replace({"a": b"x"}), lambda: folder.open("a", os.O_RDWR)):
        with pytest.raises(InputRefused, match="symlink"):
            act()
    assert (tmp_path / "elsewhere").read_bytes() == b"secret"
    assert names_in(tmp_path) == ["a", "elsewhere"]


def test_a_link_to_nowhere_is_refused_too(folder, tmp_path):
    (tmp_path / "a").symlink_to("nowhere")

    assert folder.has("a")
    with pytest.raises(InputRefused, match="symlink"):
        folder.open("a", os.O_RDWR | os.O_CREAT)


@pytest.mark.parametrize("level", ["handoffs", "handoffs/attempts"])
def test_a_link_in_the_place_of_a_folder_is_refused(folder, tmp_path, level):
    outside = tmp_path / "outside"
    outside.mkdir()
    link = tmp_path / "workspace" / level
    link.parent.mkdir(parents=True)
    link.symlink_to(outside)
    attempts = Folder(tmp_path / "workspace").below("handoffs").below("attempts")

    for act in (lambda: attempts.replace({"a": b"x"}), attempts.create):
        with pytest.raises((InputRefused, StorageFailed)):
            act()
    assert not (outside / "a").exists()


def test_the_workspace_itself_may_be_reached_through_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")

    Folder(tmp_path / "link").replace({"a": b"x"})

    assert (tmp_path / "real" / "a").read_bytes() == b"x"


def test_a_pipe_in_the_place_of_a_file_is_refused_and_not_waited_for(folder, tmp_path):
    os.mkfifo(tmp_path / "a")

    with pytest.raises(InputRefused, match="no regular file"):
        folder.read("a")
    with pytest.raises(InputRefused):
        folder.replace({"a": b"x"})


def test_a_sweep_takes_what_a_crash_left_and_nothing_else(folder, tmp_path):
    for name in (".state.json.0123456789abcdef.tmp", ".notes.tmp", "a.tmp", ".lock"):
        (tmp_path / name).touch()

    folder.sweep()

    assert names_in(tmp_path) == [".lock", ".notes.tmp", "a.tmp"]


def test_an_append_that_does_not_fit_is_taken_back(tmp_path):
    descriptor = os.open(tmp_path / "a", os.O_RDONLY | os.O_CREAT)
    with pytest.raises(OSError, match="Bad file descriptor"):
        append_whole(descriptor, b"x", end=0)
    os.close(descriptor)


@pytest.mark.parametrize(
    ("number", "message", "hint"),
    [
        (errno.ENOSPC, "no space left on device", "free some space"),
        (errno.EROFS, "read-only file system", "mounted read-only"),
        (errno.EACCES, "permission denied", "give yourself the right"),
        (errno.EIO, "input/output error", "check the disk"),
        (errno.ENOLCK, "no locks available", "check the disk and its rights"),
    ],
)
def test_an_error_of_the_disk_says_what_to_do(tmp_path, number, message, hint):
    error = failure(OSError(number, "x"), tmp_path / "a")

    assert isinstance(error, StorageFailed)
    assert error.message == f"{tmp_path}/a: {message}"
    assert hint in error.hint


def test_an_error_without_a_number_keeps_its_words(tmp_path):
    assert failure(OSError("odd"), tmp_path).message.endswith(": odd")


def test_a_folder_that_is_gone_fails_the_write(tmp_path):
    with pytest.raises(StorageFailed, match="no such file or directory"):
        Folder(tmp_path / "gone").replace({"a": b"x"})


def test_a_file_in_the_place_of_a_folder_is_refused(folder, tmp_path):
    (tmp_path / "raw").write_bytes(b"")

    for act in (folder.below("raw").sweep, lambda: folder.below("raw").read("a"), lambda: folder.below("raw").has("a")):
        with pytest.raises(InputRefused, match="symlink or a file that is none of ours"):
            act()


def test_a_file_that_cannot_be_written_whole_leaves_the_former_one_and_no_litter(folder, tmp_path, monkeypatch):
    def fail(descriptor):
        raise OSError(errno.EIO, "x")

    folder.replace({"a": b"former"})
    monkeypatch.setattr(os, "fsync", fail)

    with pytest.raises(SyncFailed, match=r"did not confirm a write \(input/output error\)"):
        folder.replace({"a": b"new"})

    assert folder.read("a") == b"former"
    assert names_in(tmp_path) == ["a"]


def test_a_file_that_cannot_be_read_is_told(folder, monkeypatch):
    def fail(descriptor, size):
        raise OSError(errno.EIO, "x")

    folder.replace({"a": b"former"})
    monkeypatch.setattr(os, "read", fail)

    with pytest.raises(StorageFailed, match="input/output error"):
        folder.read("a")


def test_a_file_beyond_a_bound_is_not_read(folder):
    folder.replace({"a": b"12345"})
    assert folder.read("a", at_most=5) == b"12345"
    with pytest.raises(InputRefused, match="larger than 4 bytes"):
        folder.read("a", at_most=4)


def test_what_is_moved_is_moved_as_it_is(folder, tmp_path):
    folder.replace({"a": b"1"})
    folder.below("b").replace({"c": b"2"})
    (tmp_path / "link").symlink_to("nowhere")
    target = folder.below("former").below("one")
    assert [folder.move(name, target) for name in ("a", "b", "link", "d")] == [True, True, True, False]
    assert sorted(each.name for each in (tmp_path / "former" / "one").iterdir()) == ["a", "b", "link"]
    assert target.below("b").read("c") == b"2"
    with pytest.raises(InputRefused):
        folder.move("../x", target)
