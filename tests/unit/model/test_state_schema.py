"""``state.schema.json`` describes what the engine writes, field by field."""

import json

import orjson
import pytest
from jsonschema import Draft202012Validator

from orchestrate.model.names import TaskName
from orchestrate.model.row_format import encode_row
from orchestrate.model.rows import (
    Acceptance,
    Andon,
    Attention,
    Cancel,
    Finding,
    OnRemote,
    PathFinding,
    PathsCheck,
    TaskRow,
    Verdict,
    Workspace,
)
from orchestrate.model.state_schema import state_schema
from orchestrate.model.states import encode_state
from orchestrate.model.vocabulary import (
    FailureMode,
    FindingKind,
    HandoffStatus,
    LaunchDelay,
    PathRule,
    TaskStatus,
    Verification,
)
from orchestrate.model.workspace_format import encode_attention, workspace_document
from tests.support.builders import SLUG, WORKSPACE, a_handed_off_row, a_launching_row, a_row, an_intent, moment

VALIDATOR = Draft202012Validator(state_schema())


def state_of(*rows: TaskRow, workspace: Workspace | None = None) -> dict:
    data = encode_state(
        workspace or Workspace(WORKSPACE, SLUG),
        rows=[encode_row(row) for row in rows],
        attention=[encode_attention(Attention(moment(), "look here"))],
        journal_seq=3,
        journal_offset=120,
    )
    return json.loads(data)


def a_full_row() -> TaskRow:
    """A row in which every field says something."""
    return a_handed_off_row(
        "a",
        depends_on=(TaskName("b"),),
        parent_agent_id="bc-1",
        note="a note",
        slack_ts="1.2",
        pr_number=7,
        failure_mode=FailureMode.OOM,
        verification=Verification.UNIT_TEST_VERIFIED,
        launch=an_intent("a", note="odd", delays=2, delay=LaunchDelay.CAPACITY),
        handoff_status=HandoffStatus.SUCCESS,
        pushed=True,
        head_sha="5ea",
        on_remote=OnRemote(moment(), is_there=True),
        reported_branch="cursor/other-1",
        starting_sha="0ab",
        findings=(Finding(FindingKind.NOTHING_PUSHED, "nothing was pushed"),),
        self_report=Verification.NOT_VERIFIED,
        verdicts=(Verdict(by=TaskName("v"), value=Verification.VERIFIER_FAILED, sha="1f", at=moment()),),
        ref_from=TaskName("b"),
        not_before=moment(),
        cancel=Cancel(by="operator", at=moment()),
        stalled_since=moment(),
        accepted=Acceptance(by="ana", at=moment()),
        paths_check=PathsCheck(moment(), (PathFinding("docs/a.md", PathRule.FORBIDDEN, "docs/**"),), total=1),
        url="https://service.example.org/a",
    )


def test_the_schema_is_sound_and_the_same_each_time():
    Draft202012Validator.check_schema(state_schema())
    assert json.loads(json.dumps(state_schema())) == state_schema()
    assert state_schema()["$id"] == "orchestrate-agents/1/state.schema.json"


def test_every_field_has_words_and_an_example_that_fits():
    schema = state_schema()
    for definition in (schema, *schema["$defs"].values()):
        for name, field in definition["properties"].items():
            assert field["description"], name
            for example in field["examples"]:
                inner = Draft202012Validator({**field, "$defs": schema["$defs"]})
                assert inner.is_valid(example), (name, example)


def test_every_field_that_a_row_writes_is_in_the_schema():
    schema = state_schema()
    document = orjson.loads(encode_row(a_full_row()))

    assert set(document) <= set(schema["$defs"]["Row"]["properties"])
    assert set(document["launch"]) == set(schema["$defs"]["Launch"]["properties"])
    assert set(document["verdicts"][0]) == set(schema["$defs"]["Verdict"]["properties"])
    assert set(document["pathsCheck"]) == {"at", "notKept", "total"} < set(schema["$defs"]["PathsCheck"]["properties"])
    assert set(document["pathsCheck"]["notKept"][0]) == set(schema["$defs"]["PathFinding"]["properties"])
    assert set(document["accepted"]) == set(schema["$defs"]["Row"]["properties"]["accepted"]["properties"])
    assert set(document["cancel"]) == set(schema["$defs"]["Row"]["properties"]["cancel"]["properties"])


def test_every_field_that_a_state_writes_is_in_the_schema():
    andon = Andon(moment(), "me", "broken", True, moment(), "me", "mended", moment())
    workspace = Workspace(WORKSPACE, SLUG, andon=andon, slack_kickoff_ref={"channel": "C1"}, handled_requests=("r",))

    document = state_of(a_row(), workspace=workspace)

    assert set(document) <= set(state_schema()["properties"])
    assert set(workspace_document(workspace)["andon"]) == set(state_schema()["$defs"]["Andon"]["properties"])
    assert document["handledRequests"] == ["r"]
    VALIDATOR.validate(document)


@pytest.mark.parametrize(
    "row",
    [
        a_row(paths_check=PathsCheck(moment(), unknown="timed out")),
        a_row(),
        a_launching_row(),
        a_handed_off_row(),
        a_full_row(),
        a_row(status=TaskStatus.PRUNED),
    ],
    ids=lambda row: row.status,
)
def test_what_the_engine_writes_fits(row):
    VALIDATOR.validate(state_of(row))


def test_fields_of_other_tools_are_allowed():
    document = state_of(a_row())
    document["extra"] = {"theirs": 1}
    document["tasks"][0] |= {"adHoc": True, "slackRendered": "x", "whatever": [1]}
    VALIDATOR.validate(document)
    VALIDATOR.validate({"rootSlug": "theirs", "tasks": [], "attention": ["a bare line"]})


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"rootSlug": SLUG},
        {"rootSlug": SLUG, "tasks": {}},
        {"rootSlug": "", "tasks": []},
        {"rootSlug": SLUG, "tasks": [], "schemaVersion": 2},
        {"rootSlug": SLUG, "tasks": [], "journalSeq": -1},
        {"rootSlug": SLUG, "tasks": [], "workspaceId": "mine"},
        {"rootSlug": SLUG, "tasks": [{"name": "a"}]},
        {"rootSlug": SLUG, "tasks": [{"name": "Not kebab", "status": "pending"}]},
        {"rootSlug": SLUG, "tasks": [{"name": "a", "status": "done"}]},
        {"rootSlug": SLUG, "tasks": [{"name": "a", "status": "pending", "type": "boss"}]},
    ],
    ids=json.dumps,
)
def test_what_loading_refuses_the_schema_refuses(wrong):
    assert not VALIDATOR.is_valid(wrong)
