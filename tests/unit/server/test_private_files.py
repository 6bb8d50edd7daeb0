import os
import stat

import pytest

from orchestrate.server.private_files import make_private_folder, read_regular_file, remove_tree, write_private


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_is_replaced_and_private(tmp_path):
    write_private(tmp_path / "file", b"one")
    write_private(tmp_path / "file", b"two")

    assert (tmp_path / "file").read_bytes() == b"two"
    assert mode(tmp_path / "file") == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_write_that_fails_leaves_nothing_behind(tmp_path):
    (tmp_path / "folder").mkdir()

    with pytest.raises(OSError):  # noqa: PT011  its kind differs between systems
        write_private(tmp_path / "folder", b"x")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_folders_are_private_all_the_way(tmp_path):
    make_private_folder(tmp_path / "a" / "b")
    make_private_folder(tmp_path / "a" / "b")

    assert (mode(tmp_path / "a"), mode(tmp_path / "a" / "b")) == (0o700, 0o700)


def test_a_folder_is_removed_with_what_is_in_it_and_no_more(tmp_path):
    kept, folder = tmp_path / "kept", tmp_path / "folder"
    kept.mkdir()
    (folder / "read-only").mkdir(parents=True)
    (folder / "read-only" / "file").write_text("x")
    (folder / "link").symlink_to(kept)
    (folder / "read-only").chmod(0o500)

    remove_tree(folder)
    remove_tree(folder)

    assert not folder.exists()
    assert kept.exists()


def test_a_file_is_read_up_to_a_limit(tmp_path):
    (tmp_path / "file").write_bytes(b"abcdef")

    assert read_regular_file(tmp_path / "file", limit=3) == b"abc"


def test_what_an_agent_put_in_a_files_place_is_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_bytes(b"secret")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    (tmp_path / "folder").mkdir()

    for name in ("pipe", "link", "folder", "nothing"):
        assert read_regular_file(tmp_path / name, limit=9) is None, name
