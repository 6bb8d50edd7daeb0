from pathlib import Path

import orjson
import pytest

from orchestrate.errors import InputRefused, WorkspaceDamaged
from orchestrate.model import states
from orchestrate.model.row_format import encode_row
from orchestrate.model.states import ATTENTION_KEPT, decode_state, encode_state, require_root_slug, salvage_state
from orchestrate.model.vocabulary import TaskStatus, Verification
from orchestrate.model.workspace_format import encode_attention
from tests.support.records import ROOT_SLUG, WORKSPACE, attention, row

CORPUS = Path(__file__).parents[2] / "corpus" / "states"


def encoded(*rows, lines=(), seq=3, offset=99):
    return encode_state(
        WORKSPACE,
        rows=[encode_row(each) for each in rows],
        attention=[encode_attention(each) for each in lines],
        journal_seq=seq,
        journal_offset=offset,
    )


def state_with(**fields):
    return orjson.dumps({"rootSlug": "x", "tasks": [], **fields})


@pytest.mark.parametrize("rows", [(), (row("b"), row("a"))])
@pytest.mark.parametrize("lines", [(), (attention("one"), attention("two"))])
def test_a_state_comes_back_as_it_was(rows, lines):
    snapshot = decode_state(encoded(*rows, lines=lines))

    assert snapshot.header.workspace_id is not None
    assert snapshot.header.named(snapshot.header.workspace_id) == WORKSPACE
    assert (snapshot.rows, snapshot.attention) == (rows, lines)
    assert (snapshot.journal_seq, snapshot.journal_offset) == (3, 99)


def test_each_row_has_a_line_of_its_own():
    lines = encoded(row("b"), row("a")).splitlines()
    assert [line[:11] for line in lines if line.startswith(b'{"name"')] == [b'{"name":"b"', b'{"name":"a"']


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.json")), ids=lambda path: path.stem)
def test_states_of_other_tools_open_and_lose_nothing(path):
    text = path.read_text()
    snapshot = decode_state(text.encode())

    assert snapshot.header.workspace_id is None
    assert snapshot.journal_seq == 0
    before = {task["name"]: task for task in orjson.loads(text.replace("\\ud83d", "?"))["tasks"]}
    for each in snapshot.rows:
        after = orjson.loads(encode_row(each))
        kept = {key: value for key, value in before[each.name].items() if value is not None and key != "trackerRef"}
        lost = {key: value for key, value in kept.items() if after[key] != value}
        assert lost in ({}, {"attempts": "2"})


def test_a_row_left_running_without_ids_is_read_as_it_is():
    running = decode_state((CORPUS / "left-running.json").read_bytes()).rows[1]
    assert (running.status, running.agent_id, running.run_id) == (TaskStatus.RUNNING, None, None)


def test_top_level_fields_of_other_tools_are_kept():
    snapshot = decode_state((CORPUS / "legacy-tracker.json").read_bytes())

    assert snapshot.header.extra == {"createdAt": "2025-11-02T18:00:00.000Z", "toolVersion": "0.4.2"}
    assert snapshot.header.slack_kickoff_ref == {"channel": "C0ABCDEF", "ts": "1762106400.000100"}
    assert [each.verification for each in snapshot.rows] == [None, None]


def test_an_andon_is_read():
    andon = decode_state((CORPUS / "left-running.json").read_bytes()).header.andon
    assert andon is not None
    assert (andon.raised_by, andon.is_raised) == ("U024BE7LH", False)
    assert (
        Verification.UNIT_TEST_VERIFIED
        is decode_state((CORPUS / "left-running.json").read_bytes()).rows[0].verification
    )


def test_only_the_last_lines_for_the_operator_are_kept():
    lines = [attention(str(number)) for number in range(ATTENTION_KEPT + 5)]
    assert decode_state(encoded(lines=lines)).attention == tuple(lines[5:])


def test_a_byte_order_mark_is_passed_over():
    assert decode_state(b"\xef\xbb\xbf" + state_with()).rows == ()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "state.json is empty"),
        (b" \n", "state.json is empty"),
        (b'{"tasks":\n nope}', "state.json:2: not JSON: invalid literal"),
        (b"[" * 5000, "state.json:1: not JSON"),
        (b"[]", "state.json: expected an object, found a list"),
        (b"{}", "state.json tasks: expected a list, found nothing"),
        (b'{"tasks":[]}', "state.json rootSlug: expected text, found nothing"),
        (state_with(schemaVersion=2), "state.json has schemaVersion 2; this version reads up to 1"),
        (state_with(schemaVersion="1"), 'state.json schemaVersion: "1" is no version'),
        (state_with(workspaceId="x"), 'state.json workspaceId: "x" is no UUID'),
        (state_with(journalSeq=-1), "state.json journalSeq: expected a whole number from 0 on"),
        (
            state_with(tasks=[{"name": "a", "status": "pending"}, {"name": "b", "status": "done"}]),
            'state.json tasks[1].status: "done" is none of pending, running, handed-off, error, cancelled, pruned',
        ),
        (
            state_with(tasks=[{"name": "a", "status": "pending"}] * 2),
            'state.json tasks[1].name: "a" is there twice',
        ),
    ],
)
def test_a_state_that_is_not_sound_is_refused_with_its_place(data, message):
    with pytest.raises(WorkspaceDamaged) as refusal:
        decode_state(data)
    assert refusal.value.message.startswith(message)


def test_a_state_of_another_plan_is_refused():
    require_root_slug(ROOT_SLUG, wanted=ROOT_SLUG)
    with pytest.raises(InputRefused, match='belongs to the plan "other"'):
        require_root_slug("other", wanted=ROOT_SLUG)


def salvaged(**document):
    return salvage_state(orjson.dumps({"rootSlug": "shop", "tasks": [], **document}))


def test_of_a_state_that_is_half_broken_everything_that_is_whole_is_taken():
    rows = [{"name": "a", "status": "running"}, {"name": "b", "status": "no"}, 7, {"name": "a", "status": "error"}]
    snapshot, faults = salvaged(tasks=rows, journalSeq=3)
    assert [(row.name, row.status.value) for row in snapshot.rows] == [("a", "running")]
    assert [fault.partition(":")[0] for fault in faults] == ["state.json tasks[1].status", "state.json tasks[2]"]
    assert (snapshot.header.root_slug, snapshot.journal_seq) == ("shop", 3)


@pytest.mark.parametrize(
    ("fields", "said"),
    [({"schemaVersion": 99}, "schemaVersion 99"), ({"rootSlug": 7}, "rootSlug"), ({"workspaceId": "x"}, "workspaceId")],
)
def test_rows_below_a_head_that_cannot_be_read_are_taken_without_it(fields, said):
    snapshot, (fault,) = salvaged(tasks=[{"name": "a", "status": "running"}], journalSeq="x", **fields)
    assert said in fault
    assert (snapshot.header.workspace_id, len(snapshot.rows), snapshot.journal_seq) == (None, 1, 0)


def test_more_rows_than_any_plan_has_are_cut(monkeypatch):
    monkeypatch.setattr(states, "_MOST_ROWS", 1)
    snapshot, (fault,) = salvaged(tasks=[{"name": "a", "status": "running"}, {"name": "b", "status": "running"}])
    assert ([row.name for row in snapshot.rows], "2 tasks; the first 1" in fault) == (["a"], True)


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"{}", b'{"tasks": {}}'])
def test_what_has_no_tasks_is_no_state(data):
    with pytest.raises(WorkspaceDamaged):
        salvage_state(data)
