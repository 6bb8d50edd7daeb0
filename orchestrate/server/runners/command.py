"""The runner of agent programs: a real process in a clone of its own, under a supervisor that outlives the server."""

import shutil
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import anyio

from orchestrate.model.names import AgentId
from orchestrate.model.vocabulary import RunStatus
from orchestrate.model.wire import METADATA_MAY_LAUNCH
from orchestrate.server import supervisor
from orchestrate.server.clones import Clone, make_clone, remove_clone, settle
from orchestrate.server.discovery import Endpoint
from orchestrate.server.environment import agent_environment
from orchestrate.server.faults import invalid
from orchestrate.server.git import Git, GitFailed
from orchestrate.server.mirrors import Mirrors
from orchestrate.server.orders import passed_names
from orchestrate.server.private_files import make_private_folder
from orchestrate.server.records import AgentRecord, RunRecord
from orchestrate.server.runners.contract import LiveRun, Order, Outcome, Transcript
from orchestrate.server.runners.endings import outcome_of
from orchestrate.server.spool import Job, Spool
from orchestrate.server.state import StateFolder
from orchestrate.server.workplaces import artifact_folders, clone_of
from orchestrate.system import DEVNULL

#: How late news of an agent are noticed.
_LOOK_SECONDS = 0.05
_START_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Workplace:
    """Where and with what agent programs work."""

    folder: StateFolder
    git: Git
    #: What they may see is chosen from here.
    environment: Mapping[str, str]
    #: Where, and with which token, an agent that may launch reaches its own subtree.
    launcher: Callable[[AgentId], Endpoint]
    #: How long an agent that is to end may take before it is killed.
    grace_seconds: float


class CommandRunner:
    """Runs the command of ``localAgent``."""

    def __init__(self, workplace: Workplace) -> None:
        self._workplace = workplace
        self._folder = workplace.folder
        self._git = workplace.git
        self._mirrors = Mirrors(workplace.folder.mirrors, workplace.git)

    def check(self, order: Order) -> None:
        """The program must be there."""
        self._find_program(order)

    async def place(self, order: Order) -> Mapping[str, str]:
        """Find the program and the commit to start from; both are refused here if they are not there."""
        needs = {"program": self._find_program(order), "passed": ",".join(order.pass_env)}
        if not order.request.repos:
            return needs
        repo = order.request.repos[0]
        start = await self._mirrors.find_start(repo.url, repo.starting_ref)
        return {
            **needs,
            "url": repo.url,
            "start": start.sha,
            "startingRef": repo.starting_ref or start.default_branch,
            "defaultBranch": start.default_branch,
        }

    async def carry_out(self, live: LiveRun, *, started: Callable[[], None]) -> Outcome:
        """Launch unless that has happened, follow to the end, and bring the commits home."""
        spool = self._spool(live.run)
        if not (spool.was_begun() or spool.is_supervised() or spool.exit()):
            failure = await self._launch_unless_cancelled(live, spool)
            if failure is not None:
                return Outcome(RunStatus.ERROR, error_message=failure, error_code="launch_failed")
            if live.cancel.is_set() and not (spool.was_begun() or spool.is_supervised()):
                return Outcome(RunStatus.CANCELLED)
        started()
        await _follow(live, spool)
        return await self._conclude(live, spool)

    def transcript(self, run: RunRecord) -> Transcript:
        """The spool files."""
        spool = self._spool(run)
        return Transcript(stdout=spool.stdout, stderr=spool.stderr)

    def command_of(self, order: Order) -> tuple[str, ...]:
        """The argv to run."""
        return order.agent.command

    def _find_program(self, order: Order) -> str:
        return _find_program(self.command_of(order), agent_environment(self._workplace.environment, order=order))

    def _spool(self, run: RunRecord) -> Spool:
        return Spool(self._folder.spool(run.agent_id, run.id))

    async def _launch_unless_cancelled(self, live: LiveRun, spool: Spool) -> str | None:
        """Why the agent program could not be started; None if it was, or if a cancel came first."""
        failure = None
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_leave_on_cancel, live, tasks.cancel_scope)
            failure = await self._launch(live, spool)
            tasks.cancel_scope.cancel()
        return failure

    async def _launch(self, live: LiveRun, spool: Spool) -> str | None:
        lost = passed_names(live.agent.placement) - set(live.order.pass_env)
        if lost:
            names = ", ".join(sorted(lost))
            return f"the server ended before the agent was started; the values of {names} went with it"
        try:
            await self._make_workplace(live.agent)
        except GitFailed as error:
            return f"the repository could not be cloned: {error.reason}"
        if live.cancel.is_set():
            return None
        spool.prepare(self._job(live, spool), prompt=live.order.request.prompt.text.encode())
        return await _start_supervisor(spool, environment=self._environment_of(live, spool))

    async def _make_workplace(self, agent: AgentRecord) -> None:
        """Have the agent's folder there: as it was left, or new, or once more from the branch that it pushed."""
        make_private_folder(self._folder.artifacts(agent.id))
        clone = clone_of(agent, self._folder)
        if self._folder.clone(agent.id).exists():
            return
        if clone is None:
            make_private_folder(self._folder.clone(agent.id))
            return
        mirror = await self._mirrors.fresh(clone.url)
        await make_clone(self._git, clone, mirror=mirror, branch=_pushed_branch(agent))

    def _job(self, live: LiveRun, spool: Spool) -> Job:
        agent = live.order.agent
        return Job(
            argv=(live.agent.placement["program"], *self.command_of(live.order)[1:]),
            cwd=self._folder.clone(live.agent.id),
            stdin=spool.prompt if agent.prompt_via == "stdin" else None,
            timeout_seconds=agent.timeout_sec,
            grace_seconds=self._workplace.grace_seconds,
        )

    def _environment_of(self, live: LiveRun, spool: Spool) -> dict[str, str]:
        may_launch = (live.order.request.metadata or {}).get(METADATA_MAY_LAUNCH) == "true"
        launcher = self._workplace.launcher(live.agent.id) if may_launch else None
        environment = agent_environment(
            self._workplace.environment, order=live.order, agent=live.agent, launcher=launcher
        )
        environment["GIT_CEILING_DIRECTORIES"] = str(self._folder.agent(live.agent.id))
        environment["ORCHESTRATE_ARTIFACTS_DIR"] = str(self._folder.artifacts(live.agent.id))
        environment["ORCHESTRATE_USAGE_FILE"] = str(spool.usage_file)
        if clone := clone_of(live.agent, self._folder):
            environment["ORCHESTRATE_BRANCH"] = _pushed_branch(live.agent) or clone.branch
        if live.order.agent.prompt_via == "file":
            environment["ORCHESTRATE_PROMPT_FILE"] = str(spool.prompt)
        return environment

    async def _conclude(self, live: LiveRun, spool: Spool) -> Outcome:
        """The outcome; what was committed is pushed before anybody learns that the run has ended."""
        clone = clone_of(live.agent, self._folder)
        branch = None
        if clone is not None:
            settlement = await settle(self._git, clone)
            branch = settlement.branch
            for note in settlement.notes:
                spool.note(note)
        outcome = outcome_of(
            spool, is_cancelled=live.run.cancel_requested, branch=branch, repo_url=clone.url if clone else None
        )
        if clone is not None and settlement.is_disposable and outcome.status is RunStatus.FINISHED:
            await self._remove_clone(live.agent, clone)
        return outcome

    async def _remove_clone(self, agent: AgentRecord, clone: Clone) -> None:
        """Remove the clone, once what people may want of it is elsewhere; where that cannot be, it stays."""
        folders = await artifact_folders(self._git, agent, self._folder)
        with suppress(OSError):
            await anyio.to_thread.run_sync(folders.keep)
            await remove_clone(clone.path)


def _pushed_branch(agent: AgentRecord) -> str | None:
    """The branch that has the agent's work; None before its first push."""
    return next((branch["branch"] for branch in agent.branches if "branch" in branch), None)


async def _follow(live: LiveRun, spool: Spool) -> None:
    """Announce what the agent says until it has ended; hand a cancel on.

    As long as the supervisor lives it has the last word on the end, whatever has been written down.
    """
    seen = (0, 0)
    while True:
        if live.cancel.is_set():
            spool.request_cancel()
        if not spool.is_supervised():
            if spool.exit() is not None or spool.living_agent() is None:
                return
            if live.cancel.is_set():
                spool.kill_orphan()
        sizes = spool.sizes()
        if sizes != seen:
            seen = sizes
            live.announce()
        await anyio.sleep(_LOOK_SECONDS)


async def _leave_on_cancel(live: LiveRun, scope: anyio.CancelScope) -> None:
    await live.cancel.wait()
    scope.cancel()


async def _start_supervisor(spool: Spool, *, environment: Mapping[str, str]) -> str | None:
    """Returns once the supervisor has detached itself; it is nobody's child then. A cancel waits until that is clear."""
    argv = [sys.executable, "-I", "-S", str(Path(supervisor.__file__)), str(spool.folder)]
    with (spool.folder / "supervisor.log").open("ab") as log:
        try:
            with anyio.fail_after(_START_SECONDS, shield=True):
                done = await anyio.run_process(
                    argv,
                    stdin=DEVNULL,
                    stdout=DEVNULL,
                    stderr=log,
                    check=False,
                    cwd="/",
                    env=environment,
                    start_new_session=True,
                )
        except (OSError, TimeoutError) as error:
            return f"the supervisor could not be started: {error}"
    if done.returncode != 0:
        return f"the supervisor could not be started; see {spool.folder / 'supervisor.log'}"
    return None


def _find_program(command: tuple[str, ...], environment: Mapping[str, str]) -> str:
    """The program's path; raises Refused if there is none that can be executed."""
    if not command or not command[0]:
        raise invalid("localAgent.command: the agent program is missing")
    if any("\0" in word for word in command):
        raise invalid("localAgent.command: must not contain NUL")
    name = command[0]
    if "/" in name and not name.startswith("/"):
        raise invalid(f"localAgent.command: {name!r} must be absolute, or a name that is found on the PATH")
    found = shutil.which(name, path=environment.get("PATH", ""))
    if found is None:
        is_there = name.startswith("/") and Path(name).exists()
        raise invalid(f"localAgent.command: {name!r} {'is not executable' if is_there else 'does not exist'}")
    return found
