import os
from pathlib import Path

import pytest

from orchestrate.errors import InputRefused, WorkspaceDamaged
from orchestrate.model.names import WorkspaceId
from orchestrate.model.records import encode_record
from orchestrate.model.row_format import encode_row
from orchestrate.model.rows import Workspace
from orchestrate.model.states import decode_state, encode_state
from orchestrate.model.workspace_format import encode_attention
from orchestrate.store.loading import loaded_alone, read_workspace
from tests.support.records import ROOT_SLUG, WORKSPACE, attention, first_record, record, row

CORPUS = Path(__file__).parents[2] / "corpus" / "states"
NEW_ID = WorkspaceId("00000000-0000-4000-8000-000000000001")
RECORDS = (
    first_record(row("a"), row("b"), attention=(attention("one"),)),
    record(2, row("a", note="later"), attention=(attention("two"),)),
    record(3, row("c")),
)


def line(each):
    return encode_record(each, [encode_row(item) for item in each.rows])


def offset_after(count):
    return sum(len(line(each)) for each in RECORDS[:count])


def state_after(count, *rows, seq=None, offset=None):
    return encode_state(
        WORKSPACE,
        rows=[encode_row(each) for each in rows],
        attention=[encode_attention(attention("one"))],
        journal_seq=count if seq is None else seq,
        journal_offset=offset_after(count) if offset is None else offset,
    )


def write_journal(tmp_path, *records):
    (tmp_path / "journal.jsonl").write_bytes(b"".join(map(line, records)))


def test_a_new_workspace_is_empty(tmp_path):
    loaded = read_workspace(tmp_path, root_slug=ROOT_SLUG)

    assert (loaded.workspace, loaded.foreign, loaded.rows, loaded.journal_seq) == (None, None, {}, 0)
    assert loaded.workspace_or(NEW_ID, root_slug=ROOT_SLUG) == Workspace(NEW_ID, ROOT_SLUG)


def test_a_snapshot_and_the_tail_behind_it_make_the_state(tmp_path):
    (tmp_path / "state.json").write_bytes(state_after(1, row("a"), row("b")))
    write_journal(tmp_path, *RECORDS)

    loaded = read_workspace(tmp_path, root_slug=ROOT_SLUG)

    assert list(loaded.rows.items()) == [("a", row("a", note="later")), ("b", row("b")), ("c", row("c"))]
    assert loaded.workspace == WORKSPACE == loaded.workspace_or(NEW_ID, root_slug="x")
    assert loaded.attention == (attention("one"), attention("two"))
    assert (loaded.journal_seq, loaded.journal_offset) == (3, offset_after(3))
    assert not loaded.is_snapshot_current
    assert loaded.notes == ()


def test_a_snapshot_alone_goes_on_with_a_new_journal(tmp_path):
    (tmp_path / "state.json").write_bytes(state_after(2, row("a")))

    loaded = read_workspace(tmp_path)

    assert (loaded.journal_seq, loaded.journal_offset, loaded.is_snapshot_current) == (2, 0, False)
    assert list(loaded.rows) == ["a"]
    assert loaded.notes == ("journal.jsonl is missing or empty; state.json, which knew 2 of its records, counts alone",)


def test_a_snapshot_that_needs_nothing_of_an_empty_journal_is_told_of_nobody(tmp_path):
    (tmp_path / "state.json").write_bytes(state_after(2, row("a"), offset=0))
    (tmp_path / "journal.jsonl").touch()

    assert read_workspace(tmp_path).notes == ()


def test_a_journal_alone_rebuilds_the_state_and_says_so(tmp_path):
    write_journal(tmp_path, *RECORDS)

    loaded = read_workspace(tmp_path, root_slug=ROOT_SLUG)

    assert loaded.was_rebuilt
    assert loaded.notes == ("state.json was missing and was rebuilt from journal.jsonl",)
    assert list(loaded.rows) == ["a", "b", "c"]
    assert loaded.workspace == WORKSPACE


def test_a_journal_whose_beginning_is_missing_rebuilds_nothing(tmp_path):
    write_journal(tmp_path, *RECORDS[1:])
    with pytest.raises(WorkspaceDamaged, match="expected record 1, found 2"):
        read_workspace(tmp_path)


def test_a_torn_record_is_told_and_left(tmp_path):
    write_journal(tmp_path, *RECORDS)
    data = (tmp_path / "journal.jsonl").read_bytes()[:-3]
    (tmp_path / "journal.jsonl").write_bytes(data)

    loaded = read_workspace(tmp_path)

    assert loaded.notes[-1] == "journal.jsonl ended in a torn record after number 2; it does not count"
    assert (tmp_path / "journal.jsonl").read_bytes() == data


def test_a_gap_behind_the_snapshot_is_refused(tmp_path):
    (tmp_path / "state.json").write_bytes(state_after(2, row("a"), offset=offset_after(1)))
    write_journal(tmp_path, *RECORDS)
    with pytest.raises(WorkspaceDamaged, match="expected record 3, found 2"):
        read_workspace(tmp_path)


def test_a_snapshot_of_another_workspace_is_refused(tmp_path):
    (tmp_path / "state.json").write_bytes(state_after(0).replace(WORKSPACE.workspace_id.encode(), NEW_ID.encode()))
    write_journal(tmp_path, *RECORDS)
    with pytest.raises(WorkspaceDamaged, match="another workspace"):
        read_workspace(tmp_path)


def test_an_empty_state_is_refused_and_not_written_over(tmp_path):
    (tmp_path / "state.json").touch()
    write_journal(tmp_path, *RECORDS)
    with pytest.raises(WorkspaceDamaged, match=r"state\.json is empty"):
        read_workspace(tmp_path)


@pytest.mark.parametrize("has_state", [True, False])
def test_the_state_of_another_plan_is_refused(tmp_path, has_state):
    if has_state:
        (tmp_path / "state.json").write_bytes(state_after(1))
    write_journal(tmp_path, *RECORDS)

    with pytest.raises(InputRefused, match=f'belongs to the plan "{ROOT_SLUG}"'):
        read_workspace(tmp_path, root_slug="other")


def test_a_state_of_another_tool_gets_the_id_that_was_drawn_for_it(tmp_path):
    (tmp_path / "state.json").write_bytes((CORPUS / "legacy-tracker.json").read_bytes())

    loaded = read_workspace(tmp_path, root_slug="billing-cleanup")

    assert loaded.workspace is None
    workspace = loaded.workspace_or(NEW_ID, root_slug="billing-cleanup")
    assert (workspace.workspace_id, workspace.extra["toolVersion"]) == (NEW_ID, "0.4.2")
    assert list(loaded.rows) == ["drop-old-tables", "verify-drop"]


def test_an_older_snapshot_and_a_longer_journal_tell_the_same(tmp_path):
    write_journal(tmp_path, *RECORDS)
    states = []
    for state in (state_after(1, row("a"), row("b")), state_after(3, row("a", note="later"), row("b"), row("c"))):
        (tmp_path / "state.json").write_bytes(state)
        states.append(read_workspace(tmp_path).rows)
    assert states[0] == states[1]


def test_files_that_changed_under_a_reader_are_read_again(tmp_path, monkeypatch):
    """Between its two reads a workspace was started afresh: the journal is shorter than the snapshot says."""
    (tmp_path / "state.json").write_bytes(state_after(3, row("a")))
    write_journal(tmp_path, *RECORDS)
    real, calls = os.open, []

    def open_file(name, *arguments, **keywords):
        if name == "journal.jsonl":
            calls.append(name)
            write_journal(tmp_path, *RECORDS[:1])
            (tmp_path / "state.json").write_bytes(state_after(1, row("a"), row("b")))
        return real(name, *arguments, **keywords)

    monkeypatch.setattr(os, "open", open_file)

    assert list(read_workspace(tmp_path).rows) == ["a", "b"]
    assert len(calls) == 2


def test_files_that_never_hold_still_are_refused_in_the_end(tmp_path, monkeypatch):
    (tmp_path / "state.json").write_bytes(state_after(3))
    write_journal(tmp_path, *RECORDS[:1])
    real, calls = os.open, []

    def open_file(name, *arguments, **keywords):
        if name == "journal.jsonl":
            calls.append(name)
            (tmp_path / "state.json").write_bytes(state_after(3, row(f"t{len(calls)}")))
        return real(name, *arguments, **keywords)

    monkeypatch.setattr(os, "open", open_file)

    with pytest.raises(WorkspaceDamaged, match="does not reach record 3"):
        read_workspace(tmp_path)
    assert len(calls) == 6


def test_a_path_that_is_no_folder_is_refused(tmp_path):
    with pytest.raises(InputRefused, match="is no folder"):
        read_workspace(tmp_path / "gone")


def test_a_state_without_its_journal_tells_what_it_says_itself(tmp_path):
    data = encode_state(WORKSPACE, rows=[encode_row(row("a"))], attention=(), journal_seq=3, journal_offset=9)
    loaded = loaded_alone(decode_state(data), notes=("odd",))
    assert (loaded.workspace, loaded.foreign, set(loaded.rows), loaded.notes) == (WORKSPACE, None, {"a"}, ("odd",))
    foreign = loaded_alone(decode_state(b'{"rootSlug": "x", "tasks": []}'))
    assert (foreign.workspace, foreign.foreign.root_slug) == (None, "x")
