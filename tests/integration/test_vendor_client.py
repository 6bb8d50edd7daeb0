"""The vendor's own client against our server: what it reads into the contract is what the contract is.

It is a program of its own behind a thin Python package. It runs here against ``orchestrate server serve``, whose agent
program is a shell: a prompt is what the agent does.
"""

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import cursor_sdk
import pytest

from orchestrate.server.discovery import answers, read_server_file
from tests.support.relay import relay_to
from tests.support.repositories import make_remote
from tests.support.server import wait_until

pytestmark = [
    pytest.mark.slow,
    # the client leaves the pipe of the program behind it open when it ends that
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"),
]

SOURCES = Path(__file__).parents[2]
WAIT = 'while [ ! -e "{gate}" ]; do sleep 0.01; done'


@contextmanager
def served(folder):
    """``orchestrate server serve`` as a user types it."""
    state = folder / "state"
    variables = {"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": str(SOURCES)}
    words = ["server", "serve", "--state-dir", str(state), "--agent-command", "/bin/sh"]
    with subprocess.Popen([sys.executable, "-m", "orchestrate", *words], env=variables) as process:
        try:
            wait_until(lambda: (file := read_server_file(state)) and answers(file), what="the server")
            yield read_server_file(state)
        finally:
            process.send_signal(signal.SIGINT)


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """A client of the vendor's, the relay that it talks through, and a repository."""
    folder = tmp_path_factory.mktemp("vendor")
    remote = make_remote(folder / "remote.git")
    with served(folder) as server, relay_to(server.port) as relay, pytest.MonkeyPatch.context() as patch:
        patch.setenv("CURSOR_BACKEND_URL", relay.url)
        patch.setenv("CURSOR_API_KEY", server.token)
        patch.setenv("HOME", str(folder))
        with cursor_sdk.Client.launch_bridge(workspace=folder, state_root=folder / "bridge") as client:
            yield Service(client, relay, remote, folder)


class Service:
    def __init__(self, client, relay, remote, folder):
        self.client = client
        self.relay = relay
        self.remote = remote
        self.folder = folder

    def agent(self, **options):
        cloud = cursor_sdk.CloudAgentOptions(
            repos=[{"url": self.remote.url, "startingRef": "main"}], metadata={"team": "shop"}
        )
        return self.client.agents.create(name="probe", model="default", cloud=cloud, **options)

    def gate(self, name):
        return self.folder / name

    def run_of(self, agent, run):
        options = {"runtime": "cloud", "agentId": agent.agent_id}
        return self.client.agents.get_run(run.id, options)

    def ended(self, agent, run):
        """The run as the service has it once it has ended: a cancelled one takes a moment."""
        wait_until(lambda: self.run_of(agent, run).status != "running", what="the end of the run")
        return self.run_of(agent, run)


def texts(events):
    return [
        block.text
        for event in events
        if getattr(event.sdk_message, "type", "") == "assistant"
        for block in event.sdk_message.message.content
    ]


def test_the_key_and_the_catalogue_are_read(service):
    assert service.client.me().api_key_name == "local owner"
    assert [model.id for model in service.client.models.list()] == ["default"]
    assert service.client.repositories.list() == []


def test_a_run_is_sent_streamed_and_waited_for(service):
    agent, gate = service.agent(), service.gate("streamed")
    run = agent.send(f"echo hello; echo reading >&2; {WAIT.format(gate=gate)}; echo world")
    assert (run.agent_id, run.status) == (agent.agent_id, "running")
    assert service.run_of(agent, run).status == "running"

    gate.touch()
    events = list(run.events())
    result = run.wait()

    assert "".join(texts(events)) == "hello\nworld\n"
    statuses = [event.sdk_message.status for event in events if getattr(event.sdk_message, "type", "") == "status"]
    assert (statuses[0], statuses[-1]) == ("CREATING", "FINISHED")
    assert [event.kind for event in events[-2:]] == ["result", "done"]
    assert (result.status, result.result, result.id) == ("finished", "hello\nworld\n", run.id)
    assert service.run_of(agent, run).result == "hello\nworld\n"


def test_what_was_pushed_is_known_and_a_follow_up_goes_on_there(service):
    agent = service.agent()
    first = agent.send("echo a > a.txt; git add . && git commit -qm a && git push -q").wait()
    second = agent.send("ls").wait()

    (branch,) = first.git.branches
    assert branch.branch.startswith("cursor/probe-")
    assert branch.branch in service.remote.heads()
    assert "a.txt" in second.result.split()
    assert [run.id for run in service.client.agents.list_runs(agent.agent_id, {"runtime": "cloud"}).items] == [
        second.id,
        first.id,
    ]


def test_a_busy_agent_takes_no_other_run(service):
    agent, gate = service.agent(), service.gate("busy")
    run = agent.send(WAIT.format(gate=gate))
    with pytest.raises(cursor_sdk.AgentBusyError, match="agent_busy"):
        agent.send("echo more")
    gate.touch()
    assert run.wait().status == "finished"


def test_a_run_is_cancelled(service):
    agent = service.agent()
    run = agent.send(WAIT.format(gate=service.gate("never")))
    run.cancel()
    assert run.wait().status == "cancelled"
    assert service.ended(agent, run).status == "cancelled"
    assert agent.send("echo again").wait().result == "again\n"


def test_a_stream_that_is_cut_goes_on_behind_its_last_event(service):
    agent, gate = service.agent(), service.gate("cut")
    run = agent.send(f"echo before; {WAIT.format(gate=gate)}; echo after")
    path = f"/runs/{run.id}/stream"
    events = iter(run.events())
    seen = []
    while "before\n" not in texts(seen):
        seen.append(next(events))

    service.relay.cut_streams()
    wait_until(lambda: len(service.relay.heads(path)) > 1, what="a second stream")
    gate.touch()
    seen += events

    assert texts(seen) == ["before\n", "after\n"]
    assert service.relay.heads(path)[1]["last-event-id"]
    assert run.wait().result == "before\nafter\n"


def test_usage_and_artifacts_are_read(service):
    agent = service.agent()
    run = agent.send(
        'echo report > "$ORCHESTRATE_ARTIFACTS_DIR/report.txt";'
        ' echo \'{"usage": {"inputTokens": 5, "outputTokens": 7}}\' > "$ORCHESTRATE_USAGE_FILE"'
    )
    run.wait()

    usage = agent.get_usage()
    (artifact,) = agent.list_artifacts()

    assert (usage.usage.input_tokens, usage.usage.output_tokens, usage.usage.total_tokens) == (5, 7, 12)
    assert [each.run_id for each in usage.runs] == [run.id]
    assert usage.cost is None
    assert (artifact.path, artifact.size_bytes) == ("artifacts/report.txt", 7)
    assert agent.download_artifact(artifact.path) == b"report\n"


def test_agents_are_listed_archived_and_taken_back(service):
    agent = service.agent()
    agent.send("true").wait()
    known = service.client.agents.get(agent.agent_id)
    assert (known.name, dict(known.metadata), known.archived) == ("probe", {"team": "shop"}, False)

    agent.archive()
    with pytest.raises(cursor_sdk.BadRequestError, match="agent_archived"):
        agent.send("echo no")
    assert agent.agent_id not in _listed(service)
    assert _listed(service, includeArchived=True)[agent.agent_id].archived is True

    agent.unarchive()
    assert agent.agent_id in _listed(service)
    resumed = service.client.agents.resume(agent.agent_id)
    assert resumed.send("echo back").wait().result == "back\n"


def _listed(service, **options):
    page = service.client.agents.list({"runtime": "cloud", **options})
    return {item.agent_id: item for item in page.items}


def test_what_there_is_not_is_said_by_its_kind(service):
    with pytest.raises(cursor_sdk.AgentNotFoundError, match="agent_not_found"):
        service.client.agents.get("bc-00000000-0000-4000-8000-000000000000")
    agent = service.agent()
    agent.send("true").wait()
    options = {"runtime": "cloud", "agentId": agent.agent_id}
    with pytest.raises(cursor_sdk.NotFoundError, match="run_not_found"):
        service.client.agents.get_run("run-00000000-0000-4000-8000-000000000000", options)


def test_every_create_carries_a_key_and_is_known_by_the_clients_own_id(service):
    agent = service.agent(idempotency_key="one-key")
    agent.send("true").wait()
    assert service.relay.heads("/v1/agents")[-1]["idempotency-key"]
    assert service.client.agents.get(agent.agent_id).agent_id == agent.agent_id
