import pytest

from orchestrate.errors import InputRefused, StorageFailed, WorkspaceDamaged
from orchestrate.store.files import Folder
from tests.support.attempts import WrittenAttempts


def names_in(path):
    return sorted(each.name for each in path.iterdir())


@pytest.fixture
def files(tmp_path):
    return WrittenAttempts(Folder(tmp_path))


def test_a_request_of_an_attempt_that_no_row_has_begun_is_swept_away(files):
    for task, attempt in (("a", 1), ("a", 2), ("b", 1), ("c", 1)):
        files.write_request(task, attempt, b"{}")

    files.sweep_requests({"a": 1, "b": 0})

    assert [files.read_request(task, attempt) for task, attempt in (("a", 1), ("a", 2), ("b", 1), ("c", 1))] == [
        b"{}",
        None,
        None,
        None,
    ]


def test_a_request_is_read_as_it_was_written(files, tmp_path):
    assert files.read_request("a", 1) is None
    files.write_request("a", 1, b"{}")
    assert files.read_request("a", 1) == (tmp_path / "requests" / "a.1.json").read_bytes() == b"{}"
    assert files.read_request("a", 2) is None


def test_a_request_is_never_replaced_by_another(files):
    files.write_request("a", 1, b"first")
    files.write_request("a", 1, b"first")
    with pytest.raises(WorkspaceDamaged, match=r"requests/a\.1\.json is there with another request"):
        files.write_request("a", 1, b"second")
    assert files.read_request("a", 1) == b"first"


def test_a_reply_is_kept_by_attempt_and_the_latest_is_the_handoff(files, tmp_path):
    files.save_reply("a", 1, raw=b"raw\r\n\xff", handoff=b"one", postmortem=("a-failure.md", b"why"))
    path = files.save_reply("a", 2, raw=b"raw2", handoff=b"two")

    assert path == "handoffs/a.md"
    assert files.read_handoff("a") == b"two"
    assert files.read_raw("a", 1) == b"raw\r\n\xff"
    assert (tmp_path / "handoffs/attempts/a.1.md").read_bytes() == b"one"
    assert (tmp_path / "handoffs/attempts/a.2.md").read_bytes() == b"two"
    assert (tmp_path / "handoffs/a-failure.md").read_bytes() == b"why"


def test_the_latest_handoff_and_its_attempt_are_one_file(files, tmp_path):
    files.save_reply("a", 1, raw=b"raw", handoff=b"one")
    assert (tmp_path / "handoffs/a.md").samefile(tmp_path / "handoffs/attempts/a.1.md")

    files.save_reply("a", 2, raw=b"raw", handoff=b"two")

    assert (tmp_path / "handoffs/attempts/a.1.md").read_bytes() == b"one"


def test_a_reply_that_is_taken_in_again_replaces_its_files(files, tmp_path):
    for text in (b"first", b"second"):
        files.save_reply("a", 1, raw=text, handoff=text)
    for name in ("raw/a.1.md", "handoffs/attempts/a.1.md", "handoffs/a.md"):
        assert (tmp_path / name).read_bytes() == b"second"


def test_an_attempt_is_on_the_disk_before_it_becomes_the_handoff(files, tmp_path):
    (tmp_path / "handoffs").mkdir()
    (tmp_path / "handoffs/a.md").symlink_to("nowhere")

    with pytest.raises(InputRefused):
        files.save_reply("a", 1, raw=b"raw", handoff=b"one")

    assert (tmp_path / "handoffs/attempts/a.1.md").read_bytes() == b"one"
    assert files.read_raw("a", 1) == b"raw"


def test_an_attempt_that_cannot_be_written_leaves_the_former_handoff(files, tmp_path):
    files.save_reply("a", 1, raw=b"raw", handoff=b"one")
    (tmp_path / "handoffs/attempts").rename(tmp_path / "moved")
    (tmp_path / "handoffs/attempts").symlink_to("../moved")

    with pytest.raises((InputRefused, StorageFailed)):
        files.save_reply("a", 2, raw=b"raw", handoff=b"two")

    assert files.read_handoff("a") == b"one"
    assert names_in(tmp_path / "moved") == ["a.1.md"]


@pytest.mark.parametrize("task", ["", "..", "../../etc/passwd", "A", "a b", "a.1"])
def test_a_name_that_is_no_task_name_reaches_no_file(files, tmp_path, task):
    for act in (
        lambda: files.read_handoff(task),
        lambda: files.read_raw(task, 1),
        lambda: files.read_request(task, 1),
        lambda: files.write_request(task, 1, b""),
        lambda: files.save_reply(task, 1, raw=b"", handoff=b""),
    ):
        with pytest.raises(InputRefused, match="is no task name"):
            act()
    assert names_in(tmp_path) == []


@pytest.mark.parametrize("name", ["b-failure.md", "a.md", "../a-failure.md", "a-failure.md.sh"])
def test_a_postmortem_has_one_of_two_names(files, name):
    with pytest.raises(InputRefused, match="is no postmortem of a"):
        files.save_reply("a", 1, raw=b"", handoff=b"", postmortem=(name, b""))
