import json
import stat

import pytest

from orchestrate.errors import InputRefused, WorkspaceDamaged
from orchestrate.model.names import AgentId, IdempotencyKey, Timestamp
from orchestrate.store.delegation_records import Delegation, Kind, Phase, agent_id_of, decode, encode
from orchestrate.store.delegations import DelegationFiles

AT = Timestamp("2026-03-04T14:00:00.000Z")
REPO = "https://git.example/o/r"


def a_record(key="k1", *, phase=Phase.LAUNCHED, scope=REPO, **fields) -> Delegation:
    agent_id = agent_id_of(key, generation=0, account="a")
    return Delegation(IdempotencyKey(key), Kind.DELEGATE, scope, agent_id, phase, AT, AT, **fields)


def test_a_record_comes_back_as_it_was():
    record = a_record(ref="main", prompt_digest="d", prompt_bytes=3)
    assert decode(encode(record)) == record


@pytest.mark.parametrize(
    "change",
    [
        {"schemaVersion": 2},
        {"key": ""},
        {"key": 3},
        {"agentId": "x"},
        {"phase": "lost"},
        {"generation": -1},
        {"ref": 1},
    ],
)
def test_what_is_no_record_is_refused(change):
    with pytest.raises(WorkspaceDamaged):
        decode(json.dumps({**json.loads(encode(a_record())), **change}).encode())


@pytest.mark.parametrize("data", [b"", b"[]", b"null", b"{}", b'{"schemaVersion":1}'])
def test_neither_is_a_torn_file(data):
    with pytest.raises(WorkspaceDamaged):
        decode(data)


def test_one_key_is_one_agent_of_an_account():
    assert agent_id_of("k", generation=0, account="a") == agent_id_of("k", generation=0, account="a")
    others = {agent_id_of("k", generation=1, account="a"), agent_id_of("k", generation=0, account="b")}
    assert agent_id_of("k", generation=0, account="a") not in others


def test_records_are_found_by_key_agent_and_repository(tmp_path):
    files = DelegationFiles(tmp_path / "state")
    assert files.all() == []
    assert files.find("k1") is None
    first, second = a_record("k1"), a_record("k2", scope="https://git.example/o/other")
    with files.locked():
        files.put(first)
        files.put(second)
    assert files.find("k2") == second
    assert files.of_agent(AgentId(first.agent_id)) == [first]
    assert files.of_repository(REPO) == [first]
    assert [record.key for record in files.all()] == ["k1", "k2"]
    files.forget(first)
    assert files.all() == [second]
    (path,) = (tmp_path / "state" / "delegations").glob("*/*.json")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_cannot_be_read_is_set_aside_and_reading_goes_on(tmp_path):
    files = DelegationFiles(tmp_path)
    files.put(a_record("k1"))
    files.put(a_record("k2"))
    damaged, linked = sorted((tmp_path / "delegations").glob("*/*.json"))
    damaged.write_bytes(b"\xff")
    linked.unlink()
    linked.symlink_to("/etc/passwd")
    assert files.all() == []
    assert len(files.notes) == 2
    assert all("--reconcile" in note for note in files.notes)
    assert sorted(path.suffix for path in damaged.parent.iterdir()) == [".damaged", ".damaged"]


def test_a_folder_that_is_a_link_is_refused(tmp_path):
    (tmp_path / "delegations").symlink_to("/tmp")
    with pytest.raises(InputRefused), DelegationFiles(tmp_path).locked():
        pass
