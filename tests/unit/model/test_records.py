from dataclasses import replace

import pytest

from orchestrate.errors import WorkspaceDamaged
from orchestrate.model.grants import Grant, OwnGrant
from orchestrate.model.names import AgentId
from orchestrate.model.records import decode_record, encode_record, workspace_id_in
from orchestrate.model.row_format import encode_row
from orchestrate.model.rows import Andon, Unpublished
from tests.support.records import FULL_ROW, MOMENT, WORKSPACE, attention, first_record, record, row


def test_a_lone_surrogate_does_not_stop_a_record():
    odd = record(1, row(note="cut \ud83d"), event={"type": "X", "text": "\udcff"}, attention=(attention("\udcff"),))

    line = encode_record(odd, [encode_row(each) for each in odd.rows])

    read = decode_record(line, where="j")
    assert read.rows[0].note == "cut ?"
    assert read.event["text"] == "?"


@pytest.mark.parametrize(
    "subject",
    [
        record(7, FULL_ROW, row()),
        first_record(attention=(attention("look"), attention("here"))),
        replace(
            first_record(),
            workspace=replace(
                WORKSPACE,
                andon=Andon(MOMENT, "me", "why", cleared=True, cleared_at=MOMENT, cleared_by="you", clear_note="ok"),
                slack_kickoff_ref={"channel": "C1", "ts": "1.2"},
                spent=5.0,
                unpublished=Unpublished(MOMENT, 3, "orch-state/shop", "timed out"),
                grant=OwnGrant(AgentId("bc-9"), Grant(agents=8), 2, 1.5),
                extra={"more": {"cents": 5}},
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
    encoded = encode_row(FULL_ROW)
    assert encoded in encode_record(record(1, FULL_ROW), [encoded])


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


def test_a_record_names_its_workspace_or_none():
    assert workspace_id_in(encode_record(first_record(), [])) == WORKSPACE.workspace_id
    for line in (b"", b"[]", b"{}", b'{"workspace":7}', b'{"workspace":{}}', encode_record(record(2), [])):
        assert workspace_id_in(line) is None


def test_a_failed_push_that_says_little_is_read():
    line = b'{"seq":1,"engine":"e","at":"2026-01-02T00:00:00.000Z","event":{"type":"x"},"rows":[],"workspace":%s}'
    workspace = b'{"workspaceId":"%s","rootSlug":"shop","unpublished":{}}' % WORKSPACE.workspace_id.encode()
    assert decode_record(line % workspace, where="j").workspace.unpublished == Unpublished("", 0, "", "")
