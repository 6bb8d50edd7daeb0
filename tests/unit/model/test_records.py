from dataclasses import fields, replace

import orjson
import pytest

from orchestrate.errors import WorkspaceDamaged
from orchestrate.model.names import AgentId, IdempotencyKey, RunId, TaskName
from orchestrate.model.records import (
    decode_attention,
    decode_record,
    decode_row,
    encode_record,
    encode_row,
    workspace_document,
    workspace_id_in,
)
from orchestrate.model.rows import Andon, Cancel, Launch, TaskRow, Verdict
from orchestrate.model.vocabulary import FailureMode, HandoffStatus, LaunchDelay, TaskStatus, TaskType, Verification
from tests.support.records import MOMENT, WORKSPACE, attention, first_record, record, row

FORMAT_FIELDS = [
    *("name", "type", "branch", "startingRef", "dependsOn", "agentId", "runId", "parentAgentId", "status"),
    *("resultStatus", "handoffPath", "startedAt", "finishedAt", "lastUpdate", "note", "attempts", "slackTs"),
    *("prNumber", "failureMode", "verification"),
]

FULL = TaskRow(
    name=TaskName("merge-all"),
    type=TaskType.SUBPLANNER,
    branch="cursor/merge-all-77d0",
    starting_ref="cursor/a-1",
    depends_on=(TaskName("a"), TaskName("b")),
    status=TaskStatus.HANDED_OFF,
    agent_id=AgentId("bc-1"),
    run_id=RunId("run-1"),
    parent_agent_id=AgentId("bc-0"),
    result_status="finished",
    handoff_path="handoffs/merge-all.md",
    started_at=MOMENT,
    finished_at=MOMENT,
    last_update=MOMENT,
    note="größer als gedacht",
    attempts=2,
    slack_ts="17.5",
    pr_number=812,
    failure_mode=FailureMode.CAP_HIT,
    verification=Verification.UNIT_TEST_VERIFIED,
    launch=Launch(
        AgentId("bc-1"), IdempotencyKey("k"), 2, MOMENT, note="adopted", delays=3, delay=LaunchDelay.CAPACITY
    ),
    handoff_status=HandoffStatus.PARTIAL,
    pushed=False,
    self_report=Verification.TYPE_CHECK_ONLY,
    verdicts=(
        Verdict(TaskName("v"), None, None, MOMENT),
        Verdict(TaskName("w"), Verification.NOT_VERIFIED, "abc", MOMENT),
    ),
    ref_from=TaskName("a"),
    not_before=MOMENT,
    cancel=Cancel(by="operator", at=MOMENT),
    stalled_since=MOMENT,
    url="https://example.com/agents/bc-1",
    extra={"adHoc": True, "runs": [{"id": 1}]},
)


def through_bytes(subject: TaskRow) -> TaskRow:
    return decode_row(orjson.loads(encode_row(subject)), where="row")


def test_the_full_row_sets_every_field():
    plain = row()
    assert [each.name for each in fields(TaskRow) if getattr(FULL, each.name) == getattr(plain, each.name)] == []


@pytest.mark.parametrize("subject", [FULL, row(), row(launch=Launch(AgentId("bc-1"), IdempotencyKey("k"), 1, MOMENT))])
def test_a_row_comes_back_as_it_was(subject):
    assert through_bytes(subject) == subject


def test_a_plain_row_has_the_fields_of_the_format_and_no_others():
    document = orjson.loads(encode_row(row()))

    assert list(document) == FORMAT_FIELDS
    assert document["agentId"] is None
    assert document["dependsOn"] == []


def test_foreign_words_read_as_unknown_and_are_written_back():
    foreign = {"name": "a", "type": "worker", "status": "error", "failureMode": "context-limit", "spawnLog": ["x"]}

    read = decode_row(foreign, where="row")

    assert read.failure_mode is None
    assert orjson.loads(encode_row(read)).items() >= foreign.items()


def test_a_value_of_ours_replaces_a_foreign_one():
    read = decode_row({"name": "a", "status": "error", "failureMode": "context-limit"}, where="row")

    known = replace(read, failure_mode=FailureMode.OOM)

    assert orjson.loads(encode_row(known))["failureMode"] == "oom"


def test_the_reference_to_a_tracker_is_dropped():
    assert decode_row({"name": "a", "status": "error", "trackerRef": {"id": 1}}, where="row").extra == {}


def test_a_row_without_a_type_is_a_worker():
    assert decode_row({"name": "a", "status": "pending"}, where="row").type is TaskType.WORKER


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"status": "pending"}, "file tasks[0].name: expected text, found nothing"),
        (
            {"name": "../x", "status": "pending"},
            'file tasks[0].name: "../x" is no task name (lower-case words joined by hyphens)',
        ),
        (
            {"name": "a"},
            "file tasks[0].status: nothing is none of pending, running, handed-off, error, cancelled, pruned",
        ),
        (
            {"name": "a", "status": "pending", "type": "boss"},
            'file tasks[0].type: "boss" is none of worker, subplanner, verifier',
        ),
        (None, "file tasks[0]: expected an object, found nothing"),
    ],
)
def test_a_row_that_is_not_sound_is_refused_with_its_field(document, message):
    with pytest.raises(WorkspaceDamaged) as refusal:
        decode_row(document, where="file tasks[0]")
    assert refusal.value.message == message


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("launch", {"agentId": "bc-1", "idempotencyKey": "k", "attempt": 1}),
        ("verdicts", [{"by": "v"}]),
        ("cancel", {"by": "operator"}),
    ],
)
def test_an_incomplete_object_is_kept_as_it_came(key, value):
    read = decode_row({"name": "a", "status": "running", key: value}, where="row")

    assert not getattr(read, key)
    assert read.extra == {key: value}


def test_a_lone_surrogate_does_not_stop_a_record():
    odd = record(1, row(note="cut \ud83d"), event={"type": "X", "text": "\udcff"}, attention=(attention("\udcff"),))

    line = encode_record(odd, [encode_row(each) for each in odd.rows])

    read = decode_record(line, where="j")
    assert read.rows[0].note == "cut ?"
    assert read.event["text"] == "?"


@pytest.mark.parametrize(
    "subject",
    [
        record(7, FULL, row()),
        first_record(attention=(attention("look"), attention("here"))),
        replace(
            first_record(),
            workspace=replace(
                WORKSPACE,
                andon=Andon(MOMENT, "me", "why", cleared=True, cleared_at=MOMENT, cleared_by="you", clear_note="ok"),
                slack_kickoff_ref={"channel": "C1", "ts": "1.2"},
                extra={"spent": {"cents": 5}},
            ),
        ),
    ],
)
def test_a_record_comes_back_as_it_was(subject):
    line = encode_record(subject, [encode_row(each) for each in subject.rows])

    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert decode_record(line, where="j") == subject


def test_a_row_is_in_its_record_byte_for_byte():
    encoded = encode_row(FULL)
    assert encoded in encode_record(record(1, FULL), [encoded])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"\0\0\0", "j: not JSON"),
        (b"[]", "j: expected an object, found a list"),
        (b'{"seq":1,"engine":"e","at":"t"}', "j rows: expected a list, found nothing"),
        (b'{"seq":1,"engine":"e","at":"t","rows":[{}]}', "j rows[0].name: expected text, found nothing"),
        (
            b'{"seq":1,"engine":"e","at":"t","rows":[],"workspace":{"rootSlug":"x"}}',
            "j workspace.workspaceId: missing",
        ),
        (
            b'{"seq":1,"engine":"e","at":"t","rows":[],"workspace":{"rootSlug":"x","workspaceId":"7"}}',
            'j workspace.workspaceId: "7" is no UUID',
        ),
    ],
)
def test_a_line_that_is_no_record_says_what_is_wrong(line, message):
    with pytest.raises(WorkspaceDamaged) as refusal:
        decode_record(line, where="j")
    assert refusal.value.message == message


def test_a_record_without_an_event_reads_as_one_with_an_empty_one():
    assert decode_record(b'{"seq":1,"engine":"e","at":"t","rows":[]}', where="j").event == {}


def test_a_plain_workspace_has_two_fields():
    assert workspace_document(WORKSPACE) == {"workspaceId": WORKSPACE.workspace_id, "rootSlug": WORKSPACE.root_slug}


def test_attention_of_other_tools_is_read_as_far_as_it_goes():
    read = decode_attention([{"at": "t", "message": "m"}, {"message": "n"}, "bare", {"at": "t"}, 5])

    assert [(item.at, item.message) for item in read] == [("t", "m"), ("", "n"), ("", "bare")]
    assert decode_attention("none") == ()


def test_a_record_names_its_workspace_or_none():
    assert workspace_id_in(encode_record(first_record(), [])) == WORKSPACE.workspace_id
    for line in (b"", b"[]", b"{}", b'{"workspace":7}', b'{"workspace":{}}', encode_record(record(2), [])):
        assert workspace_id_in(line) is None
