import json

from tests.support.delegations import AGENT, desk, offline_desk
from tests.support.server import wait_until

__all__ = ["desk", "offline_desk"]


def test_the_list_stands_beside_the_records(desk):
    _, told = desk.delegate(key="k1")
    assert desk.server is not None
    foreign = desk.server.create("work").agent["id"]

    _, listed = desk.call("agents")

    entries = {entry["agentId"]: entry for entry in listed["agents"]}
    assert entries[told["agentId"]]["records"][0]["idempotencyKey"] == "k1"
    assert "drift" not in entries[told["agentId"]]
    assert entries[foreign]["isRecorded"] is False


def test_all_pages_are_read_and_one_can_be_asked_for(desk):
    assert desk.server is not None
    for _ in range(105):
        desk.server.create("work")
    _, listed = desk.call("agents")
    assert listed["count"] == 105
    page = desk.server.agents(limit="100")
    _, rest = desk.call("agents", "--cursor", page["nextCursor"])
    assert (rest["count"], "nextCursor" in rest) == (5, False)


def test_the_service_wins_over_a_record_that_says_otherwise(desk):
    _, told = desk.delegate(seconds=0, key="k1")
    path = f"/v1/agents/{told['agentId']}/runs/{told['runId']}"
    wait_until(lambda: desk.server.http.get(path).json()["status"] == "FINISHED", what="the end of the run")

    _, listed = desk.call("agents")

    assert listed["agents"][0]["drift"] == ["the record said CREATING, the service says FINISHED"]
    assert listed["agents"][0]["records"][0]["phase"] == "ended"
    assert "drift" not in desk.call("agents")[1]["agents"][0]


def test_an_agent_that_the_service_does_not_know_is_marked(desk):
    desk.delegate(key="k1")
    record = json.loads(desk.records[0].read_text())
    path = desk.records[0].with_name("1" * 40 + ".json")
    path.write_text(json.dumps({**record, "agentId": AGENT, "key": "k2"}))

    _, listed = desk.call("agents")

    (gone,) = [entry for entry in listed["agents"] if not entry["isLive"]]
    assert (gone["agentId"], gone["drift"]) == (AGENT, ["the service does not know this agent"])


def test_a_damaged_record_is_set_aside_and_can_be_rebuilt(desk):
    _, told = desk.delegate(key="k1")
    path = desk.records[0]
    path.write_bytes(b'{"schemaVersion": 1, "key"')

    code, listed = desk.call("agents")

    assert code == 0
    assert "set aside" in listed["notes"][0]
    assert "--reconcile" in listed["notes"][0]
    assert [each.name.endswith(".damaged") for each in path.parent.iterdir()] == [True]
    _, mended = desk.call("agent-status", "--agent-id", told["agentId"], "--reconcile")
    assert mended["repaired"] == ["key k1: rebuilt from the agent's metadata"]
    assert json.loads(path.read_text())["key"] == "k1"
    assert desk.delegate(key="k1")[1]["error"]["code"] == "DUPLICATE_LAUNCH"


def test_archived_agents_are_listed_on_demand(desk):
    _, told = desk.delegate("--wait", seconds=0)
    desk.call("archive", "--agent-id", told["agentId"], "--yes")
    assert desk.call("agents")[1]["count"] == 0
    assert desk.call("agents", "--all")[1]["agents"][0]["agentStatus"] == "ARCHIVED"
    code, out, _ = desk.lines("agents", "--all")
    assert (code, out.split()[:2]) == (0, [told["agentId"], "ARCHIVED"])
