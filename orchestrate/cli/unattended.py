"""Running a plan from Python: no terminal, no signals, the same engine."""

from functools import partial
from pathlib import Path

import anyio
import anyio.to_thread
import structlog

from orchestrate.cli.collector import collecting_rarely
from orchestrate.cli.examination import prepared_or_refused
from orchestrate.cli.locating import locate
from orchestrate.cli.running import Outcome, Prepared, Request, run_prepared
from orchestrate.cli.settings import read_settings
from orchestrate.cli.surroundings import environment_of
from orchestrate.engine.assembly import Engine
from orchestrate.model.names import TaskName
from orchestrate.ports import Publication, Surface

log = structlog.get_logger(__name__)


async def run_unattended(
    path: str | Path,
    *,
    runtime: str | None = None,
    max_concurrent: int | None = None,
    max_runtime_seconds: float | None = None,
    exit_on_all_done: bool = False,
    templates: str | Path | None = None,
    agent_command: str | None = None,
) -> Outcome:
    """Run the plan to its exit code; cancelling it leaves agents running, and the next call goes on with them."""
    request = Request(
        plan_path=locate(str(path)).path,
        runtime=runtime,
        max_concurrent=max_concurrent,
        max_runtime_seconds=max_runtime_seconds,
        drain=exit_on_all_done,
        templates_folder=None if templates is None else Path(templates),
        agent_command=agent_command,
    )
    environment = environment_of(read_settings())
    with collecting_rarely():
        prepared = await anyio.to_thread.run_sync(partial(prepared_or_refused, request, environment))
        return await run_prepared(prepared, request, environment, _Nobody())


class _Nobody:
    """An audience that only takes notes."""

    def on_warning(self, message: str) -> None:
        """A warning goes to the log."""
        log.warning("could not be checked", message=message)

    def on_note(self, message: str) -> None:
        """A note goes to the log."""
        log.info("chosen", message=message)

    def surface(self, _prepared: Prepared) -> Surface:
        """Nothing is shown."""
        return _Blank()

    async def attend(self, _engine: Engine) -> None:
        """Nothing happens beside the run."""
        await anyio.sleep_forever()


class _Blank:
    """A surface that shows nothing."""

    def publish(self, publication: Publication) -> None:
        """Show nothing."""

    def saw_activity(self, task: TaskName, doing: str | None) -> None:
        """Show nothing."""
