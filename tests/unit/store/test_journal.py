import os

import pytest

from orchestrate.errors import StorageFailed, WorkspaceDamaged
from orchestrate.model.names import EngineId, WorkspaceId
from orchestrate.model.records import encode_record
from orchestrate.model.row_format import encode_row
from orchestrate.store import journal as journal_module
from orchestrate.store.files import Folder
from orchestrate.store.journal import JOURNAL, START, Journal, Position, read_tail
from tests.support.records import ENGINE, WORKSPACE, first_record, record, row

THREE = (first_record(row("a"), row("b")), record(2, row("a", note="x")), record(3))


def line(each):
    return encode_record(each, [encode_row(item) for item in each.rows])


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path)


@pytest.fixture
def journal(folder):
    opened = Journal(folder, engine=ENGINE, end=START)
    yield opened
    opened.close()


def written(tmp_path, *records):
    data = b"".join(map(line, records))
    (tmp_path / JOURNAL).write_bytes(data)
    return data


def test_records_are_read_as_they_were_written(folder, journal):
    journal.append([line(THREE[0])])
    journal.append([line(THREE[1]), line(THREE[2])])

    tail = read_tail(folder, START)

    assert tail.records == THREE
    assert tail.end == journal.end
    assert not tail.is_torn


def test_a_tail_starts_behind_its_position(folder, journal):
    journal.append([line(THREE[0])])
    position = journal.end
    journal.append([line(THREE[1])])

    assert read_tail(folder, position).records == THREE[1:2]
    assert read_tail(folder, journal.end).records == ()


def test_no_journal_and_an_empty_one_are_none(folder, tmp_path):
    assert read_tail(folder, START) is None
    (tmp_path / JOURNAL).touch()
    assert read_tail(folder, Position(5, 700)) is None


def test_a_batch_is_one_write_and_one_sync(journal, monkeypatch):
    calls = []
    monkeypatch.setattr(journal_module, "sync_data", lambda descriptor: calls.append("sync"))
    monkeypatch.setattr(journal_module, "append_whole", lambda descriptor, data, end: calls.append(data.count(b"\n")))

    journal.append(list(map(line, THREE)))

    assert calls == [3, "sync"]


def test_a_torn_last_line_does_not_count_wherever_it_is_cut(folder, tmp_path):
    data = written(tmp_path, *THREE)
    whole = len(data) - len(line(THREE[2]))
    for cut in range(whole, len(data)):
        (tmp_path / JOURNAL).write_bytes(data[:cut])

        tail = read_tail(folder, START)

        assert tail.records == THREE[:2]
        assert tail.end == Position(2, whole)
        assert tail.is_torn == (cut > whole)


@pytest.mark.parametrize("rubbish", [b"\0" * 300, b"{}\n", b"null\n", b'{"seq":4', b"\n"])
def test_rubbish_behind_the_last_record_does_not_count(folder, tmp_path, rubbish):
    data = written(tmp_path, *THREE)
    (tmp_path / JOURNAL).write_bytes(data + rubbish)

    tail = read_tail(folder, START)

    assert (tail.records, tail.end, tail.is_torn) == (THREE, Position(3, len(data)), True)


def test_opening_cuts_the_torn_line_off_and_goes_on(folder, tmp_path):
    data = written(tmp_path, *THREE)
    (tmp_path / JOURNAL).write_bytes(data[:-5])
    journal = Journal(folder, engine=ENGINE, end=read_tail(folder, START).end)

    journal.append([line(record(3))])
    journal.close()

    assert [each.seq for each in read_tail(folder, START).records] == [1, 2, 3]


@pytest.mark.parametrize("number", [0, 1])
def test_damage_that_is_not_last_is_refused_with_its_line(folder, tmp_path, number):
    lines = [line(each) for each in THREE]
    lines[number] = b"#" + lines[number][1:]
    (tmp_path / JOURNAL).write_bytes(b"".join(lines))

    with pytest.raises(WorkspaceDamaged, match=rf"^journal.jsonl:{number + 1}: damaged record: not JSON"):
        read_tail(folder, START)
    assert (tmp_path / JOURNAL).read_bytes() == b"".join(lines)


def test_the_line_of_a_damage_is_counted_from_the_start_of_the_file(folder, tmp_path):
    written(tmp_path, *THREE, record(5))
    start = Position(2, len(line(THREE[0])) + len(line(THREE[1])))

    with pytest.raises(WorkspaceDamaged, match=r"^journal.jsonl:4: expected record 4, found 5"):
        read_tail(folder, start)


def test_a_record_that_comes_twice_is_refused(folder, tmp_path):
    written(tmp_path, THREE[0], THREE[1], THREE[1])
    with pytest.raises(WorkspaceDamaged, match=r"^journal.jsonl:3: expected record 3, found 2"):
        read_tail(folder, START)


@pytest.mark.parametrize("offset", [5, 100_000])
def test_a_position_that_is_none_in_this_journal_is_refused(folder, tmp_path, offset):
    data = written(tmp_path, *THREE)

    with pytest.raises(WorkspaceDamaged, match="does not reach record 9"):
        read_tail(folder, Position(9, offset))
    assert (tmp_path / JOURNAL).read_bytes() == data


def test_the_journal_of_another_workspace_is_refused(folder, tmp_path):
    written(tmp_path, *THREE)

    assert read_tail(folder, START, workspace_id=WORKSPACE.workspace_id).records == THREE
    with pytest.raises(WorkspaceDamaged, match="belongs to another workspace"):
        read_tail(folder, START, workspace_id=WorkspaceId("other"))


def test_a_foreign_engine_behind_our_own_record_stops_us_for_good(folder, journal):
    journal.append([line(THREE[0])])
    other = Journal(folder, engine=EngineId("engine-2"), end=journal.end)
    other.append([line(record(2, engine=EngineId("engine-2")))])
    other.close()

    for _ in range(2):
        with pytest.raises(StorageFailed, match="the engine engine-2 wrote to it"):
            journal.append([line(record(2))])
    assert [each.engine for each in read_tail(folder, START).records] == ["engine-1", "engine-2"]


def test_anything_else_behind_our_own_record_stops_us_too(journal, tmp_path):
    journal.append([line(THREE[0])])
    with (tmp_path / JOURNAL).open("ab") as file:
        file.write(b"note to self\n")

    with pytest.raises(StorageFailed, match="something else wrote to it"):
        journal.append([line(record(2))])


def test_a_journal_that_was_removed_takes_no_record(journal, tmp_path):
    (tmp_path / JOURNAL).unlink()
    with pytest.raises(StorageFailed, match="was removed while this engine ran"):
        journal.append([line(THREE[0])])


def test_a_failed_sync_is_final(journal, monkeypatch):
    def fail(descriptor):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(journal_module, "sync_data", fail)
    with pytest.raises(StorageFailed, match=r"did not confirm a write \(Input/output error\)"):
        journal.append([line(THREE[0])])
    monkeypatch.setattr(journal_module, "sync_data", os.fsync)

    with pytest.raises(StorageFailed, match="did not confirm"):
        journal.append([line(THREE[0])])
    assert journal.end == START


def test_a_failed_write_leaves_the_journal_usable(folder, journal, monkeypatch):
    journal.append([line(THREE[0])])
    real_write, left = os.write, [40]

    def write_less(descriptor, data):
        if not left[0]:
            raise OSError(28, "No space left on device")
        written, left[0] = real_write(descriptor, data[: left[0]]), 0
        return written

    monkeypatch.setattr(os, "write", write_less)
    with pytest.raises(StorageFailed, match="no space left on device"):
        journal.append([line(THREE[1])])
    monkeypatch.setattr(os, "write", real_write)

    assert read_tail(folder, START).records == THREE[:1]
    journal.append([line(THREE[1])])
    assert read_tail(folder, START).records == THREE[:2]


def test_a_closed_journal_takes_nothing(journal):
    journal.close()
    with pytest.raises(StorageFailed, match="closed"):
        journal.append([line(THREE[0])])


def test_a_journal_that_cannot_be_cut_back_is_not_opened(folder, tmp_path, monkeypatch):
    def fail(descriptor, size):
        raise OSError(5, "x")

    written(tmp_path, *THREE)
    monkeypatch.setattr(os, "ftruncate", fail)

    with pytest.raises(StorageFailed, match="input/output error"):
        Journal(folder, engine=ENGINE, end=START)


def test_a_journal_that_cannot_be_read_is_told(folder, tmp_path, monkeypatch):
    def fail(file, start, workspace_id):
        raise OSError(5, "x")

    written(tmp_path, *THREE)
    monkeypatch.setattr(journal_module, "_read", fail)

    with pytest.raises(StorageFailed, match="input/output error"):
        read_tail(folder, START)
