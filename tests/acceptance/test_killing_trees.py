"""Killing trees whose planners are elsewhere: by what they have pushed, with real git and a real server."""

import json
import os
import uuid
from functools import partial

import anyio
import pytest

from orchestrate.cloud.client import CloudClient
from orchestrate.model.wire import METADATA_ROOT, METADATA_TASK
from orchestrate.server.serve import ensure_server, stop_server
from tests.support.builders import a_row
from tests.support.pushed_trees import PushedTree, agent_in, planner, state_of, worker
from tests.support.repositories import git
from tests.support.runs import Machine, Project, project, task
from tests.support.server import wait_until

__all__ = ["project"]

pytestmark = pytest.mark.slow


@pytest.fixture
def machine(tmp_path_factory):
    """A machine for each test: ids of agents follow from names, and come again."""
    machine = Machine(tmp_path_factory.mktemp("machine"))
    yield machine
    stop_server(machine.server_folder)


class Elsewhere:
    """Agents at the server, without anything that would tell to which tree they belong."""

    def __init__(self, project):
        start = partial(ensure_server, project.machine.server_folder, environment=dict(os.environ))
        self.endpoint = start()

    def launch(self, *agent_ids, **metadata):
        anyio.run(partial(self._launch, agent_ids, metadata))

    def statuses(self, *agent_ids):
        return anyio.run(self._statuses, agent_ids)

    async def _launch(self, agent_ids, metadata):
        async with self._client() as client:
            for agent_id in agent_ids:
                prompt = {"text": 'null-runner: {"seconds": 3600}'}
                body = {"agentId": agent_id, "prompt": prompt, "localAgent": {"runner": "null"}}
                await client.create_agent(json.dumps({**body, "metadata": metadata}).encode(), key=str(uuid.uuid4()))

    async def _statuses(self, agent_ids):
        async with self._client() as client:
            return [(await client.first_run(agent_id)).status.value for agent_id in agent_ids]

    def _client(self):
        return CloudClient(base_url=self.endpoint.url, api_key=self.endpoint.token)


@pytest.fixture
def elsewhere(project):
    return Elsewhere(project)


@pytest.fixture
def tree(project, elsewhere):
    """A root, a planner on a branch of its own, and one below; of the last task not even an intent was pushed yet."""
    tree = PushedTree(project.remote)
    sub, deep = agent_in("demo", "sub"), agent_in("sub", "deep")
    tree.push("orch-state/demo", "demo", [planner("demo", "sub", branch="cursor/sub-1"), worker("demo", "leaf")])
    tree.push("cursor/sub-1", "sub", [planner("sub", "deep"), worker("sub", "mid")], of=sub)
    tree.push("orch-state/deep", "deep", [worker("deep", "inmost"), a_row("later")], of=deep)
    return tree


AGENTS = (
    agent_in("demo", "sub"),
    agent_in("demo", "leaf"),
    agent_in("sub", "deep"),
    agent_in("sub", "mid"),
    agent_in("deep", "inmost"),
    agent_in("deep", "later"),
)
STRANGER = f"bc-{uuid.UUID(int=7)}"


def killed(project, *words, code=0):
    done = project.command("kill-tree", *words, "-y", "--json", "--runtime", "local", at=project.folder).end()
    assert done.code == code, done.said
    return done.json()


def test_from_a_machine_without_a_workspace_what_was_pushed_leads_to_everybody(project, elsewhere, tree):
    elsewhere.launch(*AGENTS, STRANGER)
    told = killed(project, project.remote.url, "main", "demo")
    assert {each["agentId"] for each in told["victims"]} == set(AGENTS)
    assert (told["cancelled"], told["alive"]) == (6, [])
    assert elsewhere.statuses(*AGENTS) == ["CANCELLED"] * 6
    assert elsewhere.statuses(STRANGER) == ["RUNNING"]
    assert told["stopped"] == ["orch-state/demo", "orch-state/deep"]
    for slug in ("demo", "deep"):
        stop = json.loads(tree.remote.read(f"orch-state/{slug}", f".orchestrate/{slug}/stop.json"))
        assert stop["id"]
        assert "tasks" in tree.remote.read(f"orch-state/{slug}", f".orchestrate/{slug}/state.json")
    assert "stop.json" not in git("ls-tree", "-r", "--name-only", "cursor/sub-1", at=tree.remote.path)


def test_only_the_subtree_of_one_agent_is_meant_where_that_is_said(project, elsewhere, tree):
    elsewhere.launch(*AGENTS)
    told = killed(project, project.remote.url, "main", "demo", "--agent-id", AGENTS[2])
    assert {each["agentId"] for each in told["victims"]} == {AGENTS[2], AGENTS[4], AGENTS[5]}
    assert elsewhere.statuses(*AGENTS) == ["RUNNING", "RUNNING", "CANCELLED", "RUNNING", "CANCELLED", "CANCELLED"]
    assert told["stopped"] == ["orch-state/deep"]


def test_where_states_are_lost_the_list_alone_tells(project, elsewhere):
    elsewhere.launch(*AGENTS[:2], **{METADATA_ROOT: "demo", METADATA_TASK: "x"})
    elsewhere.launch(STRANGER, **{METADATA_ROOT: "other"})
    told = killed(project, project.remote.url, "main", "demo")
    assert ({each["agentId"] for each in told["victims"]}, told["alive"]) == (set(AGENTS[:2]), [])
    assert elsewhere.statuses(STRANGER) == ["RUNNING"]
    assert "orch-state/demo" not in project.remote.heads()
    live = project.command("tree", "--live", "--root", "demo", "--runtime", "local", "--json").end().json()
    assert {each["agentId"] for each in live["agents"]} == set(AGENTS[:2])


def test_from_its_workspace_planners_elsewhere_are_reached_by_what_they_have_pushed(project, elsewhere, tree):
    elsewhere.launch(*AGENTS)
    git("clone", "--quiet", project.remote.url, "clone", at=project.folder)
    workspace = project.folder / "clone/.orchestrate/demo"
    workspace.mkdir(parents=True)
    rows = [planner("demo", "sub", branch="cursor/sub-1"), worker("demo", "leaf")]
    (workspace / "state.json").write_bytes(state_of("demo", rows))
    plan = {"goal": "g", "rootSlug": "demo", "baseBranch": "main", "repoUrl": project.remote.url}
    tasks = [{"name": "sub", "type": "subplanner", "scopedGoal": "x"}, task("leaf")]
    runtime = {"kind": "local", "agent": {"command": ["true"]}}
    (workspace / "plan.json").write_text(json.dumps({**plan, "tasks": tasks, "runtime": runtime}))
    told = killed(project, str(workspace))
    assert {each["agentId"] for each in told["victims"]} == set(AGENTS)
    assert elsewhere.statuses(*AGENTS) == ["CANCELLED"] * 6
    assert (workspace / "stop.json").exists()
    assert set(told["stopped"]) == {str(workspace), "orch-state/demo", "orch-state/deep"}


def test_git_that_is_not_there_leaves_it_to_the_list(project, elsewhere):
    elsewhere.launch(AGENTS[0], **{METADATA_ROOT: "demo", METADATA_TASK: "sub"})
    words = ("kill-tree", str(project.folder / "nowhere.git"), "main", "demo", "-y", "--runtime", "local")
    done = project.command(*words).end()
    assert done.code == 2, done.said
    (project.folder / "empty").mkdir()
    words = ("kill-tree", str(project.folder / "empty"), "main", "demo", "-y", "--runtime", "local")
    done = project.command(*words).end()
    assert done.code == 0, done.said
    assert "nothing that was pushed could be read" in done.err
    assert elsewhere.statuses(AGENTS[0]) == ["CANCELLED"]


class InClone(Project):
    """The workspace is in a clone."""

    @property
    def workspace(self):
        return self.folder / "clone/.orchestrate/demo"


def test_an_engine_elsewhere_is_stopped_where_its_state_is(project):
    """Killed by somebody who has nothing but the address; on the engine's machine the plan stays stopped."""
    git("clone", "--quiet", project.remote.url, "clone", at=project.folder)
    here = InClone(
        **{name: getattr(project, name) for name in ("machine", "folder", "remote", "variables", "commands")}
    )
    here.workspace.mkdir(parents=True)
    for name in ("one", "two", "three"):
        here.agent(name, here.make_gate(name))
    here.write_plan(task("one"), task("two"), task("three"), task("four", dependsOn=["three"]))
    engine = here.start("--max-concurrent", "2")
    here.wait_until_works("one", "two")
    wait_until(lambda: "orch-state/demo" in project.remote.heads(), what="the state to be pushed", seconds=60)
    told = killed(project, project.remote.url, "main", "demo")
    assert told["alive"] == []
    assert told["stopped"] == ["orch-state/demo"]
    assert engine.end().code == 1
    assert not (here.workspace / "stop.json").exists()
    again = here.run()
    assert again.code == 2
    assert "stopped this run at " in again.err
    assert "from elsewhere (orch-state/demo)" in again.err
    here.agent("four", "handoff success '(none)'")
    revived = here.run("--revive")
    assert "it goes on now" in revived.err
    assert "stop.json" not in git("ls-tree", "-r", "--name-only", "orch-state/demo", at=project.remote.path)
