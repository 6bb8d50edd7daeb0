"""Comparing what a branch changed with the paths that the plan gives its task, in the background and bounded."""

import anyio

from orchestrate.core.effects import CheckPaths
from orchestrate.core.events import PathsChecked
from orchestrate.core.paths_kept import paths_kept
from orchestrate.engine.off_loop import off_loop_if_large
from orchestrate.errors import OrchestrateError
from orchestrate.model.rows import PathFinding, TaskRow
from orchestrate.ports import Differences

#: Branches that are fetched at the same time.
_AT_ONCE = 2
#: A fetch that takes longer is given up.
DEADLINE_SECONDS = 300.0
#: Findings that a row keeps.
KEPT = 20


class PathChecker:
    """Asks the repository; what nobody can tell is no finding."""

    def __init__(self, differences: Differences) -> None:
        self._differences = differences
        self._turns = anyio.CapacityLimiter(_AT_ONCE)

    async def check(self, effect: CheckPaths) -> PathsChecked:
        """What the branch changed beyond the task's paths."""
        row = effect.row
        try:
            findings = await self._findings(effect)
        except (OrchestrateError, TimeoutError) as error:
            words = error.message if isinstance(error, OrchestrateError) else f"no answer within {DEADLINE_SECONDS:g} s"
            return PathsChecked(task=row.name, branch=row.branch, unknown=words)
        return PathsChecked(task=row.name, branch=row.branch, findings=findings[:KEPT], total=len(findings))

    async def _findings(self, effect: CheckPaths) -> tuple[PathFinding, ...]:
        files = await self._changed_files(effect.row)
        size = sum(map(len, files)) * (len(effect.allowed) + len(effect.forbidden))
        return await off_loop_if_large(
            lambda: paths_kept(files, allowed=effect.allowed, forbidden=effect.forbidden), size=size
        )

    async def _changed_files(self, row: TaskRow) -> tuple[str, ...]:
        async with self._turns:
            with anyio.fail_after(DEADLINE_SECONDS):
                return tuple(await self._differences.changed_files(branch=row.branch, start=row.starting_ref))
