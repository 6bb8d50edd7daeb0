"""A kicked-off planner on this machine: it plans a goal, and its subplanner plans its part, all at one server."""

import sys

import anyio
import pytest

from orchestrate.cloud.client import CloudClient
from orchestrate.model.names import AgentId, RunId
from orchestrate.model.wire import METADATA_DEPTH, METADATA_PARENT, Agent, Run
from orchestrate.server.discovery import read_server_file
from tests.support.runs import SOURCES, Machine, Project, machine, project

__all__ = ["machine", "project"]

pytestmark = pytest.mark.slow

GOAL = "Write the chapter `guide`, which has these parts:\n\n- weather\n- camp\n  - shelter\n"


def kick_off(project: Project) -> dict:
    agent = f"{sys.executable} {SOURCES / 'examples/recursion/agent.py'}"
    words = ("--repo", project.remote.url, "--runtime", "local", "--agent-command", agent, "--json", "--yes")
    done = project.command("kickoff", GOAL, *words).end()
    assert done.code == 0, done.said
    return done.json()


def ended(machine: Machine, told: dict) -> tuple[Run, list[Agent]]:
    """The planner's run once it has ended, and every agent of the server."""
    server = read_server_file(machine.server_folder)
    assert server is not None

    async def ask() -> tuple[Run, list[Agent]]:
        agent_id, run_id = AgentId(told["agentId"]), RunId(told["runId"])
        async with CloudClient(base_url=server.endpoint.url, api_key=server.endpoint.token) as client:
            async with client.stream_run(agent_id, run_id) as frames:
                async for _ in frames:
                    continue
            return await client.get_run(agent_id, run_id), [each async for each in client.list_agents()]

    return anyio.run(ask)


def test_a_goal_becomes_a_tree_of_planners_below_one_agent(project: Project, machine: Machine) -> None:
    told = kick_off(project)
    again = kick_off(project)

    run, agents = ended(machine, told)

    assert (again["agentId"], again["adopted"]) == (told["agentId"], True)
    assert "## Status\nsuccess" in run.result
    assert "  - shelter: Wrote `guide/camp/shelter.md`." in run.result
    assert sorted(agent.metadata[METADATA_DEPTH] for agent in agents) == ["0", "1", "1", "1", "2", "2"]
    parents = {agent.metadata.get(METADATA_PARENT) for agent in agents if agent.metadata[METADATA_DEPTH] == "1"}
    assert parents == {told["agentId"]}
