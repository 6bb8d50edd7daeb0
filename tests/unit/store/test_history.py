from dataclasses import replace

import pytest

from orchestrate.errors import InputRefused, WorkspaceDamaged
from orchestrate.model.names import TaskName
from orchestrate.model.records import encode_record
from orchestrate.model.row_format import encode_row
from orchestrate.store.history import read_records
from tests.support.records import first_record, record, row

THREE = (first_record(row("a"), row("b")), record(2, row("a", note="x")), record(3, row("b", depends_on=("a",))))


def line(each):
    return encode_record(each, [encode_row(item) for item in each.rows])


def write(tmp_path, *parts):
    (tmp_path / "journal.jsonl").write_bytes(b"".join(parts))


def test_every_record_is_read_from_the_first_on(tmp_path):
    write(tmp_path, *map(line, THREE))
    assert tuple(read_records(tmp_path)) == THREE


def test_a_workspace_without_a_journal_has_no_history(tmp_path):
    assert list(read_records(tmp_path)) == []
    write(tmp_path)
    assert list(read_records(tmp_path)) == []


def test_only_records_that_name_the_task_are_read(tmp_path):
    write(tmp_path, line(THREE[0]), line(record(2, row("ab"))), line(THREE[2]))
    assert [each.seq for each in read_records(tmp_path, naming=TaskName("a"))] == [1, 3]
    assert [each.seq for each in read_records(tmp_path, naming=TaskName("b"))] == [1, 3]


@pytest.mark.parametrize("torn", [line(THREE[1])[:-20], line(THREE[1])[:-1], b'{"seq":\n'])
def test_a_torn_last_line_is_passed_over(tmp_path, torn):
    write(tmp_path, line(THREE[0]), torn)
    assert tuple(read_records(tmp_path)) == THREE[:1]


def test_damage_in_the_middle_is_told_with_its_line(tmp_path):
    write(tmp_path, line(THREE[0]), b"{}\n", line(THREE[2]))
    with pytest.raises(WorkspaceDamaged, match=r"journal\.jsonl:2"):
        list(read_records(tmp_path))


def test_what_is_appended_while_it_is_read_counts(tmp_path):
    write(tmp_path, line(THREE[0]))
    records = read_records(tmp_path)
    assert next(records) == THREE[0]
    with (tmp_path / "journal.jsonl").open("ab") as file:
        file.write(line(THREE[1]))
    assert list(records) == [THREE[1]]


def test_what_is_no_file_of_ours_is_refused(tmp_path):
    (tmp_path / "journal.jsonl").mkdir()
    with pytest.raises(InputRefused):
        list(read_records(tmp_path))


def test_records_of_certain_events_are_read_as_well(tmp_path):
    andon = replace(record(2, row("b")), event={"type": "AndonSeen"})
    write(tmp_path, line(THREE[0]), line(andon), line(record(3, row("c"))))
    assert [each.seq for each in read_records(tmp_path, naming=TaskName("a"), events=["AndonSeen"])] == [1, 2]
