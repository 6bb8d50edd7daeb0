"""Servers that die, agents that go on, and who may start or end what."""

import base64
import json
import os
import shutil
import signal
import socket
import sqlite3
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import httpx
import psutil
import pytest

from orchestrate.errors import InputRefused, WorkspaceDamaged
from orchestrate.server import ServerStatus, ensure_server, server_status, stop_server
from orchestrate.server.database import Database
from orchestrate.server.discovery import is_alive, read_server_file, write_server_file
from orchestrate.server.hosting import ServerOptions, open_server
from orchestrate.server.retention import KEPT_SECONDS
from orchestrate.server.spool import Spool
from orchestrate.server.tables import SCHEMA_VERSION
from tests.support.repositories import make_remote
from tests.support.server import MovedClock, ServerCalls, running_server, server_process, text_of, wait_until

LASTING = 'null-runner: {"seconds": 36000000}'


@pytest.fixture
def state(tmp_path):
    return tmp_path / "state"


def ensure(state, **options):
    return ensure_server(state, environment=dict(os.environ), **options)


def spool_of(state, created):
    return Spool(state / "agents" / created.agent["id"] / created.run["id"])


def test_an_agent_outlives_the_server_and_the_next_one_goes_on(state, tmp_path):
    remote, ready, go = make_remote(tmp_path / "remote.git"), tmp_path / "ready", tmp_path / "go"
    script = [{"print": "before "}, {"touch": str(ready)}, {"waitFor": str(go)}, {"write": {"path": "a", "text": "a"}}]
    with server_process(state) as server, ServerCalls(server) as calls:
        created = calls.create_scripted([*script, {"commit": "a"}, {"print": "after"}], repos=[{"url": remote.url}])
        seen = next(frame for frame in calls.stream(created) if frame.event == "assistant")
        wait_until(ready.exists, what="the agent")
        server.kill()

        again = ensure(state)
        assert again == server.endpoint
        with ServerCalls(again) as after:
            assert after.run(created)["status"] == "RUNNING"
            go.touch()
            assert text_of(after.frames(created, after=seen.id), "assistant") == "after"
            run = after.run(created)

    assert (run["status"], run["result"]) == ("FINISHED", "before after")
    assert run["git"]["branches"][0]["branch"] in remote.heads()


def test_how_an_agent_ended_meanwhile_is_learned_from_its_exit_file(state, tmp_path):
    ready, go = tmp_path / "ready", tmp_path / "go"
    with server_process(state) as server, ServerCalls(server) as calls:
        script = [{"touch": str(ready)}, {"waitFor": str(go)}, {"log": "broken"}, {"exit": 7}]
        created = calls.create_scripted(script)
        wait_until(ready.exists, what="the agent")
        server.kill()
        go.touch()
        wait_until(lambda: spool_of(state, created).exit() is not None, what="the exit file")

        with ServerCalls(ensure(state)) as after:
            run = after.end(created)

    assert run["error"]["message"] == "the agent program ended with exit status 7: broken"


def test_a_cancel_works_after_a_restart(state, tmp_path):
    ready = tmp_path / "ready"
    with server_process(state) as server, ServerCalls(server) as calls:
        created = calls.create_scripted([{"touch": str(ready)}, {"waitFor": "/never"}])
        wait_until(ready.exists, what="the agent")
        server.kill()

        with ServerCalls(ensure(state)) as after:
            after.cancel(created)
            assert after.end(created)["status"] == "CANCELLED"
    assert spool_of(state, created).living_agent() is None


def test_a_cancel_that_the_server_did_not_live_to_see_through_is_kept(state, tmp_path):
    ready = tmp_path / "ready"
    with server_process(state) as server, ServerCalls(server) as calls:
        script = [{"ignoreTerm": True}, {"touch": str(ready)}, {"waitFor": "/never"}]
        created = calls.create_scripted(script)
        wait_until(ready.exists, what="the agent")
        calls.cancel(created)
        server.kill()

        with ServerCalls(ensure(state)) as after:
            assert after.end(created)["status"] == "CANCELLED"


def test_an_agent_that_vanished_with_its_supervisor_is_an_error(state, tmp_path):
    ready = tmp_path / "ready"
    with server_process(state) as server, ServerCalls(server) as calls:
        created = calls.create_scripted([{"touch": str(ready)}, {"waitFor": "/never"}])
        wait_until(ready.exists, what="the agent")
        server.kill()
        agent = psutil.Process(spool_of(state, created).living_agent())
        supervisor = agent.parent()
        supervisor.kill()
        agent.kill()
        wait_until(lambda: not spool_of(state, created).is_supervised(), what="the supervisor's end")

        with ServerCalls(ensure(state)) as after:
            run = after.end(created)

    assert (run["status"], run["error"]["code"]) == ("ERROR", "agent_lost")


def test_an_agent_whose_supervisor_was_killed_can_still_be_cancelled(state, tmp_path):
    ready = tmp_path / "ready"
    with running_server(state) as server, ServerCalls(server) as calls:
        created = calls.create_scripted([{"touch": str(ready)}, {"waitFor": "/never"}])
        wait_until(ready.exists, what="the agent")
        agent = psutil.Process(spool_of(state, created).living_agent())
        agent.parent().kill()
        wait_until(lambda: not spool_of(state, created).is_supervised(), what="the supervisor's end")
        assert calls.run(created)["status"] == "RUNNING"

        calls.cancel(created)

        assert calls.end(created)["status"] == "CANCELLED"
    assert spool_of(state, created).living_agent() is None


def test_callers_that_race_get_one_server(state):
    with ThreadPoolExecutor(6) as pool:
        endpoints = set(pool.map(lambda _: ensure(state), range(6)))

    assert len(endpoints) == 1
    assert stop_server(state)


def test_a_present_server_is_found_and_a_stopped_one_is_gone(state):
    endpoint = ensure(state)
    assert ensure(state) == endpoint
    status = server_status(state)
    assert (status.is_running, status.url, status.live_runs) == (True, endpoint.url, 0)

    assert stop_server(state)
    assert not stop_server(state)
    assert not server_status(state).is_running
    assert read_server_file(state) is None


def test_the_status_counts_living_runs_also_without_a_server(state):
    with running_server(state) as server, ServerCalls(server) as calls:
        calls.create('null-runner: {"seconds": 3600}')
        calls.end(calls.create())
        assert server_status(state).live_runs == 1
    assert server_status(state) == ServerStatus(is_running=False, live_runs=1)


def test_a_file_of_a_dead_server_is_replaced(state):
    with server_process(state) as server:
        server.kill()
        assert read_server_file(state) == server.file

        assert ensure(state).token == server.token
        assert read_server_file(state).pid != server.file.pid


def test_a_pid_that_is_another_programs_now_is_not_taken_for_the_server(state):
    with server_process(state) as server:
        server.kill()
        write_server_file(state, replace(server.file, pid=os.getpid()))

        assert not stop_server(state)
        assert not server_status(state).is_running
        assert ensure(state).token == server.token


def test_a_server_that_nobody_needs_ends(state):
    with server_process(state, idle_seconds=0.2) as server:
        wait_until(lambda: not is_alive(server.file), what="the idle server's end")
    assert read_server_file(state) is None


def test_a_server_with_a_living_agent_is_needed(state):
    prompt = 'null-runner: {"seconds": 0.9}'
    with running_server(state, idle_seconds=0.6) as server, ServerCalls(server) as calls:
        assert calls.end(calls.create(prompt))["status"] == "FINISHED"


def test_a_taken_port_is_refused(state):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputRefused, match=f"cannot listen on 127.0.0.1:{port}"):
            ensure(state, port=port)


def test_a_port_other_than_the_present_servers_is_refused(state):
    with server_process(state) as server, pytest.raises(InputRefused, match="already"):
        ensure(state, port=server.file.port + 1)


def test_a_remembered_port_that_is_taken_meanwhile_is_given_up(state):
    with running_server(state) as server:
        port = httpx.URL(server.url).port
    with socket.create_server(("127.0.0.1", port)), running_server(state) as again:
        assert again.url != server.url


def test_a_folder_has_one_server(state):
    with (
        running_server(state),
        pytest.raises(InputRefused, match="a server already works"),
        open_server(ServerOptions(state_dir=state)),
    ):
        pass


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").write_text("")

    with pytest.raises(InputRefused, match="state folder"):
        ensure(tmp_path / "file" / "state")


def test_tables_of_a_newer_version_are_left_alone(state):
    state.mkdir()
    Database(state / "server.db").close()
    with sqlite3.connect(state / "server.db") as connection:
        connection.execute(f"PRAGMA user_version={SCHEMA_VERSION + 1}")
    connection.close()

    with pytest.raises(InputRefused, match="newer version"):
        ensure(state)


def test_a_file_that_is_no_database_is_left_alone(state):
    state.mkdir()
    (state / "server.db").write_text("not a database, and longer than its header would be" * 10)

    with pytest.raises(WorkspaceDamaged):
        Database(state / "server.db")
    with pytest.raises(InputRefused, match=r"server\.db"):
        ensure(state)


def test_a_token_of_an_agent_reaches_its_own_subtree_only(state, tmp_path):
    saved, go = tmp_path / "environment.json", tmp_path / "go"
    with running_server(state) as server, ServerCalls(server) as calls:
        stranger = calls.create('null-runner: {"seconds": 3600}')
        parent = calls.create_scripted(
            [{"saveEnvironment": str(saved)}, {"waitFor": str(go)}], metadata={"orchestrateMayLaunch": "true"}
        )
        wait_until(lambda: saved.exists() and saved.stat().st_size > 0, what="the agent's environment")
        environment = json.loads(saved.read_text())
        assert environment["CURSOR_BACKEND_URL"] == server.url
        with ServerCalls(server, token=environment["CURSOR_API_KEY"]) as own:
            child = own.create('null-runner: {"seconds": 3600}')
            grandchild_id = f"bc-{uuid.uuid4()}"
            assert own.run(child)["status"] == "RUNNING"
            for path in (stranger.agent_path, stranger.run_path, f"{stranger.run_path}/stream"):
                assert own.http.get(path).status_code == 404
            assert own.cancel(stranger).status_code == 404
            assert own.cancel(child).status_code == 200
            assert own.end(child)["status"] == "CANCELLED"
            assert own.http.get("/v1/me").json()["apiKeyName"] == f"local {parent.agent['id']}"

            calls.cancel(parent)
            calls.end(parent)
            assert own.try_create(agentId=grandchild_id).status_code == 403
        assert calls.run(stranger)["status"] == "RUNNING"


def test_an_agent_that_may_not_launch_gets_no_token(state, tmp_path):
    saved = tmp_path / "environment.json"
    with running_server(state) as server, ServerCalls(server) as calls:
        calls.end(calls.create_scripted([{"saveEnvironment": str(saved)}], metadata={"orchestrateMayLaunch": "false"}))

    assert not {"CURSOR_API_KEY", "CURSOR_BACKEND_URL"} & set(json.loads(saved.read_text()))


def test_agents_of_a_subtree_work_one_level_deeper(state, tmp_path):
    saved, child_saved, go = tmp_path / "parent.json", tmp_path / "child.json", tmp_path / "go"
    with running_server(state) as server, ServerCalls(server) as calls:
        parent = calls.create_scripted(
            [{"saveEnvironment": str(saved)}, {"touch": str(tmp_path / "ready")}, {"waitFor": str(go)}],
            metadata={"orchestrateMayLaunch": "true"},
        )
        wait_until((tmp_path / "ready").exists, what="the parent")
        token = json.loads(saved.read_text())["CURSOR_API_KEY"]
        with ServerCalls(server, token=token) as own:
            own.end(own.create_scripted([{"saveEnvironment": str(child_saved)}]))
        go.touch()
        calls.end(parent)

    assert json.loads(saved.read_text())["ORCHESTRATE_AGENT_DEPTH"] == "0"
    assert json.loads(child_saved.read_text())["ORCHESTRATE_AGENT_DEPTH"] == "1"


def test_a_run_that_was_not_begun_is_begun_by_the_next_server(state, tmp_path):
    """The server dies between the answer and the start: here the row is there and nothing else."""
    with running_server(state) as server, ServerCalls(server) as calls:
        created = calls.create_scripted([{"print": "late"}])
        calls.end(created)
    _make_unbegun(state, created)

    with running_server(state) as server, ServerCalls(server) as calls:
        assert calls.end(created)["result"] == "late"


def test_a_repository_that_is_gone_by_then_ends_the_run(state, tmp_path):
    remote = make_remote(tmp_path / "remote.git")
    with running_server(state) as server, ServerCalls(server) as calls:
        created = calls.create_scripted([], repos=[{"url": remote.url}])
        calls.end(created)
    _make_unbegun(state, created)
    shutil.rmtree(remote.path)

    with running_server(state) as server, ServerCalls(server) as calls:
        run = calls.end(created)

    assert (run["status"], run["error"]["code"]) == ("ERROR", "launch_failed")
    assert "could not be cloned" in run["error"]["message"]


def test_a_cancelled_run_that_was_not_begun_never_is(state):
    with running_server(state) as server, ServerCalls(server) as calls:
        created = calls.create_scripted([{"print": "never"}])
        calls.end(created)
    _make_unbegun(state, created, cancel_requested=1)

    with running_server(state) as server, ServerCalls(server) as calls:
        assert calls.end(created)["status"] == "CANCELLED"
    assert not spool_of(state, created).was_begun()


def test_values_of_pass_env_that_died_with_the_server_are_missed(state, tmp_path):
    passed = base64.b64encode(b'{"KEY": "value"}').decode()
    with running_server(state) as server, ServerCalls(server) as calls:
        created = calls.create_scripted([], agent={"passEnv": ["KEY"]}, headers={"X-Orchestrate-Pass-Env": passed})
        calls.end(created)
    _make_unbegun(state, created)

    with running_server(state) as server, ServerCalls(server) as calls:
        run = calls.end(created)

    assert (run["error"]["code"], "KEY" in run["error"]["message"]) == ("launch_failed", True)


def _make_unbegun(state, created, *, cancel_requested=0):
    shutil.rmtree(spool_of(state, created).folder)
    connection = sqlite3.connect(state / "server.db")
    with connection:
        connection.execute(
            "UPDATE runs SET status = 'CREATING', started_at = NULL, cancel_requested = ? WHERE id = ?",
            (cancel_requested, created.run["id"]),
        )
    connection.close()


def test_a_server_forgets_what_ended_long_ago_and_nothing_else(state, tmp_path):
    remote = make_remote(tmp_path / "remote.git")
    with running_server(state) as server, ServerCalls(server) as calls:
        pushed = calls.create_scripted(
            [{"write": {"path": "a", "text": "a"}}, {"commit": "a"}], repos=[{"url": remote.url}], key="k"
        )
        left = calls.create_scripted([{"write": {"path": "a", "text": "a"}}], repos=[{"url": remote.url}])
        for created in (pushed, left):
            calls.end(created)
        lasting = calls.create(LASTING)

    with running_server(state, clock=MovedClock(KEPT_SECONDS + 60)) as server, ServerCalls(server) as calls:
        wait_until(lambda: calls.http.get(pushed.agent_path).status_code == 404, what="the removal")
        assert calls.http.get(pushed.run_path).status_code == 404
        assert calls.run(left)["status"] == "FINISHED"
        assert calls.run(lasting)["status"] == "RUNNING"
        calls.cancel(lasting)
        calls.end(lasting)
    assert not spool_of(state, pushed).folder.parent.exists()
    assert spool_of(state, left).folder.exists()


def test_the_server_ends_in_order_on_sigterm(state):
    with server_process(state) as server:
        os.kill(server.file.pid, signal.SIGTERM)
        wait_until(lambda: not is_alive(server.file), what="the server's end")

    assert read_server_file(state) is None
    assert "server ended" in (state / "server.log").read_text()
