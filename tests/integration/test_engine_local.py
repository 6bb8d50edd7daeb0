"""The engine on the real store, client and local server, with real agents on a real repository.

The same chain is run to its end after its engine was killed at many points: there is never a second agent, and the end
is always the same.
"""

import json
import signal
import threading
import uuid

import anyio
import pytest
from immutables import Map

from orchestrate.cloud.client import CloudClient
from orchestrate.core.changes import Session, Settings
from orchestrate.core.events import StopReason
from orchestrate.core.state import State
from orchestrate.engine.assembly import Outside, Pace, Start, assemble
from orchestrate.engine.requests import RequestOptions
from orchestrate.model.names import EngineId, WorkspaceId
from orchestrate.model.plan import Plan
from orchestrate.model.wire import LocalAgent
from orchestrate.store.workspace import WorkspaceStore
from orchestrate.system import SystemClock
from orchestrate.text.redaction import Redactor
from tests.support.engine_room import templates
from tests.support.memory_store import MemoryBench, MemoryDifferences, MemoryHeads, RecordingSurface
from tests.support.runs import Project, machine, project, task
from tests.support.server import ServerCalls, local_server, wait_until

__all__ = ["local_server", "machine", "project"]

CHAIN = ("first", "second", "third")
#: Records after which the engine is killed; a run of the chain writes some ten.
RECORDS = (1, 2, 3, 5, 8)
killed = pytest.mark.slow


def follows(name, before):
    """A task that starts at the branch which the one before it really pushed."""
    return task(name, dependsOn=[before], startingRef=f"orch/demo/{before}")


@pytest.fixture
def chain(project):
    for name in CHAIN:
        project.agent(name, f"commit {name}.txt; push; handoff success")
    project.write_plan(task("first"), follows("second", "first"), follows("third", "second"))
    return project


def ends_well(chain: Project):
    """Every task has one agent, and its work stands on the work before it."""
    assert chain.statuses() == dict.fromkeys(CHAIN, "handed-off")
    assert [chain.launches(name) for name in CHAIN] == [1, 1, 1]
    rows, heads = chain.rows(), chain.remote.heads()
    assert len(heads) == 1 + len(CHAIN)
    for place, name in enumerate(CHAIN):
        assert rows[name]["attempts"] == 1
        for before in CHAIN[: place + 1]:
            assert chain.remote.read(rows[name]["branch"], f"{before}.txt") == "text\n"
    assert [rows[name]["startingRef"] for name in CHAIN] == ["main", rows["first"]["branch"], rows["second"]["branch"]]
    seqs = [record["seq"] for record in chain.journal()]
    assert seqs == list(range(1, len(seqs) + 1))


class Workspace:
    """One engine after the other in a folder, in this process."""

    def __init__(self, chain: Project, endpoint):
        self.folder, self.endpoint = chain.workspace, endpoint
        self.plan = Plan.model_validate(json.loads(chain.plan_path.read_bytes()))
        self.agent = LocalAgent(command=tuple(chain.agent_command))
        self.surface = RecordingSurface()
        self.engine = None
        #: Called with each store before its engine is made.
        self.on_open = lambda store: None

    async def run(self, *, max_runtime_seconds=None):
        clock, engine_id = SystemClock(), EngineId(str(uuid.uuid4()))
        store = await WorkspaceStore.open(self.folder, root_slug="demo", engine_id=engine_id, now=clock.now())
        self.on_open(store)
        try:
            async with CloudClient(base_url=self.endpoint.url, api_key=self.endpoint.token) as client:
                workspace = store.loaded.workspace_or(WorkspaceId(str(uuid.uuid4())), root_slug="demo")
                session = Session(Settings(4, max_runtime_seconds=max_runtime_seconds))
                self.engine = assemble(
                    Start(
                        engine_id,
                        State(workspace=workspace, session=session, rows=Map(store.loaded.rows)),
                        store.loaded.journal_seq,
                        self.plan,
                        is_first=store.loaded.workspace is None,
                    ),
                    outside=Outside(
                        client,
                        store,
                        store,
                        clock,
                        self.surface,
                        store,
                        MemoryDifferences(),
                        MemoryHeads(),
                        MemoryBench(),
                    ),
                    request_options=RequestOptions(repo_url=self.plan.repo_url, local_agent=self.agent),
                    templates=templates(),
                    redactor=Redactor([self.endpoint.token]),
                    pace=Pace(look_up_seconds=0.0, seconds_a_run=0.05),
                )
                return await self.engine.run()
        finally:
            await store.close()


async def test_a_chain_hands_real_branches_on(chain, local_server):
    workspace = Workspace(chain, local_server)
    assert await workspace.run() == 0
    ends_well(chain)
    assert "cursor/" in chain.prompt("second")


async def test_a_finished_chain_is_left_alone(chain, local_server):
    workspace = Workspace(chain, local_server)
    assert [await workspace.run(), await workspace.run()] == [0, 0]
    ends_well(chain)


async def test_an_engine_that_left_is_followed_by_one_that_watches_its_agent(chain, local_server):
    wait = chain.make_gate("open")
    chain.agent("first", f"{wait}; commit first.txt; push; handoff success")
    workspace = Workspace(chain, local_server)
    assert await workspace.run(max_runtime_seconds=0.5) == 100
    chain.open_gate("open")
    assert await workspace.run() == 0
    ends_well(chain)


async def test_an_agent_that_somebody_cancels_at_the_service_is_cancelled(chain, local_server):
    wait = chain.make_gate("never")
    chain.agent("first", wait)
    workspace = Workspace(chain, local_server)
    assert await workspace.run(max_runtime_seconds=0.5) == 100
    row = chain.rows()["first"]
    with ServerCalls(local_server) as calls:
        path = f"/v1/agents/{row['agentId']}/runs/{row['runId']}/cancel"
        assert calls.http.post(path).status_code == 200
    assert await workspace.run() == 1
    assert chain.statuses()["first"] == "cancelled"
    assert chain.launches("first") == 1


async def test_the_token_of_the_server_is_in_no_file_that_is_shown(chain, local_server):
    chain.agent("first", f"commit first.txt; push; handoff success; echo {local_server.token}")
    workspace = Workspace(chain, local_server)
    assert await workspace.run() == 0
    shown = ("handoffs/first.md", "journal.jsonl", "state.json", "attention.log", "requests/second.1.json")
    for name in shown:
        assert local_server.token not in chain.file(name)
    assert local_server.token in chain.file("raw/first.1.md")


class HeldWriter:
    """The thread that writes replies; it waits there until it is let through."""

    def __init__(self, write):
        self.write, self.begun, self.released = write, threading.Event(), threading.Event()

    def __call__(self, replies):
        self.begun.set()
        assert self.released.wait(30)
        return self.write(replies)


async def test_a_reply_that_is_being_saved_when_the_engine_leaves_is_saved_whole(chain, local_server):
    workspace, opened = Workspace(chain, local_server), anyio.Event()

    def hold(store):
        workspace.held = store._replies._write = HeldWriter(store._replies._write)
        opened.set()

    async def leave():
        await opened.wait()
        assert await anyio.to_thread.run_sync(workspace.held.begun.wait, 30)
        workspace.engine.stop(StopReason.INTERRUPT)
        workspace.held.released.set()

    workspace.on_open = hold
    async with anyio.create_task_group() as beside:
        beside.start_soon(leave)
        assert await workspace.run() == 130
    assert chain.file("handoffs/first.md").endswith("## Suggested follow-ups\n(none)\n")
    assert chain.statuses()["first"] == "running"
    workspace.on_open = lambda store: None
    assert await workspace.run() == 0
    ends_well(chain)


def records_of(chain: Project):
    path = chain.workspace / "journal.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def killed_once(chain: Project, is_time):
    """Run the chain and kill its engine when it is time; one that ended before is left so."""
    command = chain.start("--plain")
    wait_until(lambda: is_time() or command.process.poll() is not None, what="the moment to kill", seconds=60)
    command.send(signal.SIGKILL)
    command.end()


@killed
@pytest.mark.parametrize("count", RECORDS)
def test_an_engine_that_is_killed_at_any_record_is_followed_by_the_same_end(chain, count):
    killed_once(chain, lambda: records_of(chain) >= count)
    assert chain.run("--plain").code == 0
    ends_well(chain)


@killed
@pytest.mark.parametrize("name", CHAIN)
def test_an_engine_that_is_killed_while_an_agent_works_is_followed_by_the_same_end(chain, name):
    wait = chain.make_gate("open")
    chain.agent(name, f"{wait}; commit {name}.txt; push; handoff success")
    killed_once(chain, lambda: chain.launches(name) > 0)
    chain.open_gate("open")
    assert chain.run("--plain").code == 0
    ends_well(chain)


@killed
@pytest.mark.parametrize("file", ["requests/first.1.json", "raw/first.1.md", "handoffs/first.md"])
def test_an_engine_that_is_killed_when_a_file_appears_is_followed_by_the_same_end(chain, file):
    killed_once(chain, (chain.workspace / file).exists)
    assert chain.run("--plain").code == 0
    ends_well(chain)


@killed
def test_an_engine_that_is_killed_three_times_comes_to_the_same_end(chain):
    killed_once(chain, lambda: records_of(chain) >= 2)
    killed_once(chain, lambda: records_of(chain) >= 4)
    killed_once(chain, lambda: records_of(chain) >= 6)
    assert chain.run("--plain").code == 0
    ends_well(chain)
