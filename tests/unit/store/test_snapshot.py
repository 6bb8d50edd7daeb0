import pytest

from orchestrate.model.row_format import encode_row
from orchestrate.model.states import decode_state
from orchestrate.store.files import Folder
from orchestrate.store.journal import START, Position
from orchestrate.store.snapshot import STATE, SnapshotPolicy, SnapshotWriter
from tests.support.records import WORKSPACE, attention, first_record, record, row

POLICY = SnapshotPolicy()


@pytest.mark.parametrize(
    ("tasks", "new_bytes", "seconds", "expected"),
    [
        (10, 0, 1000, False),  # nothing new
        (10, 1, 0.9, False),
        (10, 1, 1.0, True),  # at most a second behind
        (200, 900_000, 0.9, False),  # a small plan keeps its pace
        (201, 24_999, 9.9, False),
        (201, 25_000, 0.0, True),  # a quarter of the snapshot
        (201, 1, 10.0, True),  # at the latest after ten seconds
        (10, 1, -3600.0, True),  # the clock was set back
    ],
)
def test_a_snapshot_is_due(tasks, new_bytes, seconds, expected):
    is_due = POLICY.is_due(
        5000.0 + seconds,
        tasks=tasks,
        journal_bytes_since=new_bytes,
        snapshot_bytes=100_000,
        last_written_at=5000.0,
    )
    assert is_due is expected


def writer(*rows, workspace=WORKSPACE, is_current=False):
    return SnapshotWriter(
        workspace=workspace,
        rows={each.name: each for each in rows},
        attention=[attention("old")],
        position=START,
        is_current=is_current,
    )


def take(subject, each):
    subject.take(each, [encode_row(item) for item in each.rows])


def snapshot_of(subject, tmp_path):
    subject.image().write(Folder(tmp_path))
    return decode_state((tmp_path / STATE).read_bytes())


def test_later_rows_replace_earlier_ones_in_their_place(tmp_path):
    subject = writer(row("a"), row("b"))
    take(subject, record(1, row("a", note="new"), row("c"), attention=(attention("more"),)))
    subject.move_to(Position(1, 500))

    snapshot = snapshot_of(subject, tmp_path)

    assert snapshot.rows == (row("a", note="new"), row("b"), row("c"))
    assert snapshot.attention == (attention("old"), attention("more"))
    assert (snapshot.journal_seq, snapshot.journal_offset) == (1, 500)


def test_an_image_stays_as_it_was(tmp_path):
    subject = writer(row("a"))
    image = subject.image()
    take(subject, record(1, row("a", note="later")))
    subject.move_to(Position(1, 500))

    image.write(Folder(tmp_path))

    assert decode_state((tmp_path / STATE).read_bytes()).rows == (row("a"),)
    assert image.position == START


def test_what_the_disk_has_is_not_written_again():
    subject = writer(row("a"), row("b"), is_current=True)
    subject.order(["a"])
    assert subject.is_written
    subject.order(["b"])
    assert not subject.is_written
    image = subject.image()
    take(subject, record(1, row("a", note="later")))
    subject.note_written(image, size=1, now=None)
    assert not subject.is_written
    subject.note_written(subject.image(), size=1, now=None)
    assert subject.is_written


def test_rows_follow_the_plan(tmp_path):
    subject = writer(row("gone"), row("a"), row("b"))
    subject.order(["b", "unknown", "a"])
    assert [each.name for each in snapshot_of(subject, tmp_path).rows] == ["b", "a", "gone"]


def test_a_workspace_without_a_name_has_no_image():
    subject = writer(workspace=None)
    assert subject.image() is None
    take(subject, first_record())
    assert subject.image() is not None


def test_a_written_image_is_due_again_only_with_something_new():
    subject = writer(row("a"))
    assert not subject.is_due(POLICY, 100.0)

    subject.move_to(Position(1, 500))
    assert subject.is_due(POLICY, 100.0)

    image = subject.image()
    take(subject, record(2, row("a", note="later")))
    subject.move_to(Position(2, 900))
    subject.note_written(image, size=1000, now=100.0)
    assert not subject.is_due(POLICY, 100.5)
    assert subject.is_due(POLICY, 101.0)

    subject.note_written(subject.image(), size=1000, now=None)
    assert not subject.is_due(POLICY, 200.0)
