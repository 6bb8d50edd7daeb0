import json
from dataclasses import replace

from orchestrate.model.names import AgentId, TaskName
from orchestrate.model.rows import Charge
from orchestrate.model.vocabulary import TaskType
from tests.support.builders import a_handed_off_row, a_task
from tests.support.delegations import AGENT, desk, offline_desk
from tests.support.workspaces import a_plan_document, write_plan, write_state

__all__ = ["desk", "offline_desk"]

USAGE = {"usage": {"totalTokens": 6}, "cost": {"chargedCents": 1.5}}


def charged(name, *, cents=None, tokens=None, agent=AGENT, **fields):
    row = a_handed_off_row(name, **fields)
    charge = Charge(1, AgentId(agent), row.type, 500.0, cents, tokens)
    return replace(row, charges=(charge,), agent_id=AgentId(agent))


def test_of_an_agent(desk):
    line = f"printf %s '{json.dumps(USAGE)}' > \"$ORCHESTRATE_USAGE_FILE\""
    created = desk.server.create_scripted([{"run": ["sh", "-c", line]}])
    desk.server.end(created)
    code, told = desk.call("usage", "--agent-id", created.agent["id"])
    assert (code, told["cents"], told["costKnown"], told["tokens"]["totalTokens"]) == (0, 1.5, True, 6)


def test_a_cost_that_is_not_there_is_not_known_yet(desk):
    _, told = desk.delegate()
    _, usage = desk.call("usage", "--agent-id", told["agentId"])
    assert usage["costKnown"] is False
    assert "cents" not in usage
    assert desk.lines("usage", "--agent-id", told["agentId"])[1].split("  ", 1)[1] == (
        "tokens not known yet  not known yet\n"
    )


def test_of_a_tree_of_plans(offline_desk):
    root = offline_desk.home / "root"
    write_plan(root, a_plan_document(a_task("a"), a_task("part", type="subplanner")))
    own = "bc-00000000-0000-4000-8000-000000000002"
    part = replace(charged("part", cents=5.0, tokens=7, agent=own), type=TaskType.SUBPLANNER)
    write_state(root, [charged("a", cents=2.5, tokens=3), part])
    child = root / ".orchestrate" / "part"
    write_plan(child, a_plan_document(a_task("leaf"), a_task("late")))
    leaf = replace(charged("leaf", cents=1.0), parent_agent_id=AgentId(own))
    write_state(child, [leaf, replace(charged("late"), name=TaskName("late"), parent_agent_id=AgentId(own))])

    _, alone = offline_desk.call("usage", "root")
    _, whole = offline_desk.call("usage", "root", "--tree")
    _, branch = offline_desk.call("usage", "root", "part", "--tree")

    assert (alone["cents"], alone["totalTokens"], alone["agentCount"], alone["costUnknown"]) == (7.5, 10, 2, 0)
    assert (whole["cents"], whole["agentCount"], whole["costUnknown"]) == (8.5, 4, 1)
    assert (branch["cents"], branch["agentCount"]) == (6.0, 3)
    assert [each["costKnown"] for each in whole["agents"]] == [True, True, True, False]
    code, out, _ = offline_desk.lines("usage", "root", "--tree")
    assert (code, out.splitlines()[-1]) == (0, "4 agents: $0.09, not known yet of 1")


def test_what_is_meant_must_be_said(offline_desk):
    assert offline_desk.refused("usage", exit_code=2)[0] == "INVALID_INPUT"
    assert offline_desk.refused("usage", ".", "--agent-id", AGENT, exit_code=2)[0] == "INVALID_INPUT"
    assert offline_desk.refused("usage", "gone")[0] == "INVALID_INPUT"
    write_plan(offline_desk.home / "p", a_plan_document(a_task("a")))
    assert 'write "a"' not in offline_desk.refused("usage", "p", "zzz")[1]["error"]["message"]
