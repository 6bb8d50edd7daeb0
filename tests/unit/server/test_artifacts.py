import os
import stat

import pytest

from orchestrate.server.artifacts import ArtifactFolders


@pytest.fixture
def folders(tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "clone" / "artifacts").mkdir(parents=True)
    return ArtifactFolders(own=tmp_path / "own", in_clone=tmp_path / "clone" / "artifacts")


def read(folders, path):
    descriptor = folders.open(path)
    if descriptor is None:
        return None
    with os.fdopen(descriptor, "rb") as file:
        return file.read()


def put(folder, path, text):
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def paths(folders):
    return [(file.path, file.size) for file in folders.found()]


def test_both_folders_are_one_and_the_agents_own_counts_first(folders):
    put(folders.own, "both.txt", "own")
    put(folders.in_clone, "both.txt", "clone")
    put(folders.in_clone, "deep/er.txt", "deep")

    assert paths(folders) == [("artifacts/both.txt", 3), ("artifacts/deep/er.txt", 4)]
    assert read(folders, "artifacts/both.txt") == b"own"
    assert read(folders, "artifacts/deep/er.txt") == b"deep"


def test_what_was_there_before_is_none_of_them(folders, tmp_path):
    before = ArtifactFolders(
        own=folders.own, in_clone=folders.in_clone, not_its_own=frozenset({"artifacts/old.txt", "artifacts/both.txt"})
    )
    put(folders.in_clone, "old.txt", "old")
    put(folders.own, "both.txt", "new")

    assert paths(before) == [("artifacts/both.txt", 3)]
    assert read(before, "artifacts/old.txt") is None


def test_folders_that_are_not_there_hold_nothing(tmp_path):
    nowhere = ArtifactFolders(own=tmp_path / "a", in_clone=tmp_path / "b")

    assert nowhere.found() == []
    assert read(nowhere, "artifacts/x") is None
    nowhere.keep()


def test_links_pipes_and_names_that_are_no_text_are_left_out(folders, tmp_path):
    put(tmp_path, "secret", "secret")
    (folders.own / "link").symlink_to(tmp_path / "secret")
    (folders.own / "folder").symlink_to(tmp_path)
    os.mkfifo(folders.own / "pipe")
    (folders.own / os.fsdecode(b"\xff")).write_text("x")

    assert paths(folders) == []
    for path in ("link", "folder/secret", "pipe", "folder", ".", "..", "../secret", "/etc/hosts", "", "a\0"):
        assert read(folders, f"artifacts/{path}") is None
    for path in ("artifacts", "secret", "other/link", ""):
        assert read(folders, path) is None


def test_a_folder_that_is_a_link_holds_nothing(folders, tmp_path):
    put(tmp_path / "elsewhere", "file", "secret")
    linked = ArtifactFolders(own=tmp_path / "linked", in_clone=folders.in_clone)
    linked.own.symlink_to(tmp_path / "elsewhere")

    assert paths(linked) == []
    assert read(linked, "artifacts/file") is None


def test_what_is_kept_outlives_the_clone_and_replaces_nothing(folders):
    put(folders.own, "both.txt", "own")
    put(folders.in_clone, "both.txt", "clone")
    put(folders.in_clone, "deep/er.txt", "deep")

    folders.keep()
    folders.keep()

    assert (folders.own / "both.txt").read_text() == "own"
    assert (folders.own / "deep" / "er.txt").read_text() == "deep"


def test_what_is_kept_takes_no_second_room_on_the_disk(folders):
    put(folders.in_clone, "deep/a.txt", "a")

    folders.keep()

    kept = folders.own / "deep" / "a.txt"
    assert kept.samefile(folders.in_clone / "deep" / "a.txt")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


def refuse(*_arguments, **_options):
    raise PermissionError


def test_what_cannot_get_a_second_name_is_copied(folders, monkeypatch):
    put(folders.in_clone, "a.txt", "a")
    monkeypatch.setattr("os.link", refuse)

    folders.keep()

    assert (folders.own / "a.txt").read_text() == "a"


def test_a_list_has_an_end(folders, monkeypatch):
    monkeypatch.setattr("orchestrate.server.artifacts._MOST_FILES", 2)
    for number in range(3):
        put(folders.own, f"{number}.txt", "x")
        put(folders.in_clone, f"c{number}.txt", "x")

    assert len(folders.found()) == 2


def test_more_than_a_list_takes_is_not_kept_in_part(folders, monkeypatch):
    monkeypatch.setattr("orchestrate.server.artifacts._MOST_FILES", 2)
    for number in range(3):
        put(folders.in_clone, f"{number}.txt", "x")

    with pytest.raises(OSError, match="more artifacts than a list can take"):
        folders.keep()
    assert not folders.own.exists() or not list(folders.own.iterdir())
