import pytest

from orchestrate.errors import InputRefused
from orchestrate.model.names import WorkspaceId
from orchestrate.model.records import encode_record
from orchestrate.model.row_format import encode_row
from orchestrate.model.rows import Workspace
from orchestrate.model.states import encode_state
from orchestrate.store.tailing import News, WorkspaceTail
from tests.support.records import ROOT_SLUG, WORKSPACE, first_record, record, row

THREE = (first_record(row("a")), record(2, row("a", note="x")), record(3, row("b")))
OTHER = Workspace(WorkspaceId("00000000-0000-4000-8000-000000000009"), ROOT_SLUG)


def line(each):
    return encode_record(each, [encode_row(item) for item in each.rows])


def append(tmp_path, *parts):
    with (tmp_path / "journal.jsonl").open("ab") as file:
        file.write(b"".join(parts))


def test_only_what_came_since_is_told(tmp_path):
    append(tmp_path, line(THREE[0]))
    tail = WorkspaceTail(tmp_path, root_slug=ROOT_SLUG)
    assert list(tail.first.rows) == ["a"]
    assert tail.news() == News()
    append(tmp_path, line(THREE[1]), line(THREE[2]))
    assert tail.news() == News(records=THREE[1:])
    assert tail.news() == News()


def test_half_a_record_is_waited_for(tmp_path):
    append(tmp_path, line(THREE[0]))
    tail = WorkspaceTail(tmp_path)
    whole = line(THREE[1])
    append(tmp_path, whole[:30])
    assert tail.news() == News()
    append(tmp_path, whole[30:])
    assert tail.news().records == THREE[1:2]


def test_a_snapshot_that_is_replaced_meanwhile_changes_nothing(tmp_path):
    append(tmp_path, line(THREE[0]))
    tail = WorkspaceTail(tmp_path)
    append(tmp_path, line(THREE[1]))
    size = len(line(THREE[0])) + len(line(THREE[1]))
    state = encode_state(
        WORKSPACE, rows=[encode_row(THREE[1].rows[0])], attention=[], journal_seq=2, journal_offset=size
    )
    (tmp_path / "state.json").write_bytes(state)
    assert tail.news().records == THREE[1:2]


def test_the_first_record_of_a_new_workspace_is_news(tmp_path):
    tail = WorkspaceTail(tmp_path)
    assert tail.first.rows == {}
    append(tmp_path, line(THREE[0]))
    assert tail.news().records == THREE[:1]


@pytest.mark.parametrize("later", [(), (record(2, row("z", note="longer than what was there")),)])
def test_another_journal_is_read_from_its_beginning(tmp_path, later):
    append(tmp_path, line(THREE[0]), line(THREE[1]))
    tail = WorkspaceTail(tmp_path)
    (tmp_path / "journal.jsonl").unlink()
    append(tmp_path, line(record(1, row("z"), workspace=OTHER)), *map(line, later))
    anew = tail.news().anew
    assert anew is not None
    assert (list(anew.rows), anew.workspace) == (["z"], OTHER)


def test_a_journal_that_is_gone_is_read_from_what_is_left(tmp_path):
    append(tmp_path, line(THREE[0]))
    tail = WorkspaceTail(tmp_path)
    (tmp_path / "journal.jsonl").unlink()
    anew = tail.news().anew
    assert anew is not None
    assert anew.rows == {}
    assert tail.news() == News()


def test_what_is_no_folder_is_refused(tmp_path):
    with pytest.raises(InputRefused):
        WorkspaceTail(tmp_path / "none")
