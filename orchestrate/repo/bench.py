"""Where measurements are taken: each command on a clean checkout of its own, in a sandbox where there is one."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import anyio

from orchestrate.errors import ServiceError
from orchestrate.ports import BenchCommand, Ran
from orchestrate.repo.bounded import Finished, run_bounded
from orchestrate.repo.checkout import Commit, fetched
from orchestrate.repo.git import Git
from orchestrate.repo.sandbox import HOME_INSIDE, bubblewrapped, command_environment

#: Seconds that one command may take, and bytes that it may print.
COMMAND_SECONDS = 300.0
MOST_BYTES = 4_000_000
#: Seconds that the fetch of a commit may take, and each checkout.
GIT_SECONDS = 300.0
#: Commands at the same time, and commits that are fetched at the same time.
_AT_ONCE = 2
_PROBE_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class RemoteBench:
    """Fetches the commit, checks it out for each command, and takes everything away again."""

    git: Git
    url: str
    #: Why commands may not run here without a sandbox; None where the agents themselves run here.
    not_bare: str | None
    seconds: float = COMMAND_SECONDS
    _turns: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(_AT_ONCE))
    _fetches: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(_AT_ONCE))

    async def run(self, *, branch: str, sha: str, commands: Sequence[BenchCommand]) -> Sequence[Ran]:
        """What each command printed; ServiceError where the commit cannot be had."""
        has_sandbox = await self._has_sandbox()
        if not has_sandbox and self.not_bare is not None:
            return [Ran(not_run=self.not_bare) for _ in commands]
        found: dict[int, Ran] = {}
        git = replace(self.git, deadline_seconds=GIT_SECONDS)
        async with self._fetches, fetched(git, self.url, branch=branch, sha=sha) as commit:

            async def take(place: int, command: BenchCommand) -> None:
                async with self._turns:
                    found[place] = await self._ran(commit, place, command, has_sandbox=has_sandbox)

            async with anyio.create_task_group() as group:
                for place, command in enumerate(commands):
                    group.start_soon(take, place, command)
        return [found[place] for place in range(len(commands))]

    async def _ran(self, commit: Commit, place: int, command: BenchCommand, *, has_sandbox: bool) -> Ran:
        home = commit.folder / f"home-{place}"
        try:
            checkout = await commit.check_out(f"checkout-{place}")
        except ServiceError as error:
            return Ran(not_run=f"the commit cannot be checked out: {error.message}")
        argv = ["bash", "-c", command.line]
        if has_sandbox:
            network = command.has_network
            argv = bubblewrapped(argv, checkout=checkout, objects=commit.store, has_network=network)
        else:
            await anyio.Path(home).mkdir()
        environment = command_environment(self.git.environment, home=HOME_INSIDE if has_sandbox else str(home))
        finished = await run_bounded(
            argv, folder=checkout, environment=environment, seconds=self.seconds, most_bytes=MOST_BYTES
        )
        return _read(finished)

    async def _has_sandbox(self) -> bool:
        """True where ``bwrap`` is there and this system lets it work."""
        environment = command_environment(self.git.environment, home=HOME_INSIDE)
        probe = bubblewrapped(["bash", "-c", "true"])
        finished = await run_bounded(
            probe, folder=Path("/"), environment=environment, seconds=_PROBE_SECONDS, most_bytes=MOST_BYTES
        )
        return finished.fault is None


def _read(finished: Finished) -> Ran:
    if finished.fault is None:
        return Ran(stdout=finished.stdout.decode("utf-8", "replace"))
    lines = [line.strip() for line in finished.complaint.decode("utf-8", "replace").splitlines() if line.strip()]
    return Ran(failure=f"{finished.fault}: {lines[-1]}" if lines else finished.fault)
