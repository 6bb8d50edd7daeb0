"""The command runner by itself: real processes in real clones, without a server above it."""

import sys
from dataclasses import replace

import anyio
import pytest

from orchestrate.errors import Refused
from orchestrate.model.vocabulary import RunStatus
from orchestrate.model.wire import CreateAgent, LocalAgent
from orchestrate.server.discovery import Endpoint
from orchestrate.server.git import Git
from orchestrate.server.records import AgentRecord, RunRecord, with_branch
from orchestrate.server.runners.command import CommandRunner, Workplace
from orchestrate.server.runners.contract import LiveRun, Order
from orchestrate.server.state import StateFolder
from tests.support.repositories import git, make_remote

ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent"}
COMMIT = "from subprocess import run; open('new.txt', 'a').write('x'); run(['git', 'add', '.']); run(['git', 'commit', '-qm', 'x'])"
SHOW = "import os; print(os.environ.get('CURSOR_API_KEY'), os.environ.get('ORCHESTRATE_BRANCH'))"


@pytest.fixture
def folder(tmp_path):
    return StateFolder(tmp_path / "state")


@pytest.fixture
def runner(folder):
    workplace = Workplace(
        folder=folder,
        git=Git(ENVIRONMENT),
        environment=ENVIRONMENT,
        launcher=lambda agent_id: Endpoint("http://here", f"token of {agent_id}"),
        grace_seconds=1,
    )
    return CommandRunner(workplace)


def order(source, **request):
    agent = LocalAgent(command=(sys.executable, "-c", source))
    return Order(None, CreateAgent.model_validate({"prompt": {"text": "x"}, **request}), agent, "name", b"")


async def live_run(runner, ordered, *, run_id="run-1", agent=None):
    placement = await runner.place(ordered) if agent is None else {}
    agent = agent or AgentRecord("bc-1", "/bc-1/", "command", "2026", run_id, {"name": "x"}, b"", placement)
    run = RunRecord(run_id, "bc-1", "command", RunStatus.CREATING, "2026", "2026")
    return LiveRun(agent=agent, run=run, order=ordered)


async def carried_out(runner, live):
    starts = []
    outcome = await runner.carry_out(live, started=lambda: starts.append(True))
    return outcome, len(starts)


async def test_a_run_ends_as_its_program_does(runner):
    live = await live_run(runner, order("import sys; print('said'); sys.exit(3)"))

    outcome, starts = await carried_out(runner, live)

    assert (outcome.status, outcome.error_code, starts) == (RunStatus.ERROR, "agent_exit", 1)
    assert runner.transcript(live.run).stdout.read(0, limit=9) == b"said\n"


async def test_a_run_that_was_begun_is_followed_and_not_begun_again(runner):
    live = await live_run(runner, order("open('times', 'a').write('x'); print(open('times').read())"))
    for _ in range(2):
        outcome, starts = await carried_out(runner, live)
        assert (outcome.status, starts) == (RunStatus.FINISHED, 1)
    assert runner.transcript(live.run).stdout.read(0, limit=9) == b"x\n"


async def test_a_run_that_is_cancelled_before_its_start_never_starts(runner):
    live = await live_run(runner, order("print(1)"))
    live.cancel.set()

    outcome, starts = await carried_out(runner, live)

    assert (outcome.status, starts) == (RunStatus.CANCELLED, 0)


async def test_a_cancel_ends_the_program(runner):
    live = await live_run(runner, order("import time; print('up', flush=True); time.sleep(3600)"))
    async with anyio.create_task_group() as tasks:
        outcomes = []

        async def carry_out():
            outcomes.append(await runner.carry_out(live, started=lambda: None))

        tasks.start_soon(carry_out)
        while runner.transcript(live.run).stdout.size() == 0:
            await live.news.wait()
        live.run = replace(live.run, cancel_requested=True)
        live.cancel.set()

    assert outcomes[0].status is RunStatus.CANCELLED


async def test_a_follow_up_works_in_a_clone_that_is_made_again(runner, folder, tmp_path):
    remote = make_remote(tmp_path / "remote.git")
    ordered = order(COMMIT, repos=[{"url": remote.url}])
    live = await live_run(runner, ordered)
    first, _ = await carried_out(runner, live)
    assert not folder.clone("bc-1").exists()
    branches = with_branch((), repo_url=first.repo_url, branch=first.branch)

    agent = replace(live.agent, branches=branches)
    second, _ = await carried_out(runner, await live_run(runner, ordered, run_id="run-2", agent=agent))

    assert second.branch == first.branch
    assert git("show", f"{first.branch}:new.txt", at=remote.path) == "xx"


async def test_only_who_may_launch_gets_a_token(runner):
    for metadata, told in (({"orchestrateMayLaunch": "true"}, b"token of bc-1 None"), ({}, b"None None")):
        run_id = f"run-{len(metadata)}"
        live = await live_run(runner, order(SHOW, metadata=metadata), run_id=run_id)
        await carried_out(runner, live)
        assert runner.transcript(live.run).stdout.read(0, limit=99).strip() == told


@pytest.mark.parametrize(
    ("command", "words"),
    [((), "missing"), (("",), "missing"), (("x\0",), "NUL"), (("./x",), "absolute"), (("/nowhere/x",), "not exist")],
)
async def test_a_program_that_cannot_be_run_is_refused(runner, command, words):
    wrong = replace(order("pass"), agent=LocalAgent(command=command))
    with pytest.raises(Refused, match=words):
        runner.check(wrong)
    with pytest.raises(Refused, match=words):
        await runner.place(wrong)
