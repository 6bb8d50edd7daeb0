"""The runs that have not ended: who carries them out, and what becomes of them in the tables."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import anyio
import anyio.abc
import structlog

from orchestrate.model.names import AgentId, Timestamp
from orchestrate.model.timestamps import seconds_between, to_timestamp
from orchestrate.model.vocabulary import RunStatus
from orchestrate.ports import Clock
from orchestrate.server.database import Database
from orchestrate.server.records import RunRecord, with_branch
from orchestrate.server.runners.contract import LiveRun, Outcome, Runner


class LiveRuns:
    """The one owner of runs in memory."""

    def __init__(
        self,
        *,
        database: Database,
        runners: Mapping[str, Runner],
        tasks: anyio.abc.TaskGroup,
        clock: Clock,
        log: structlog.typing.FilteringBoundLogger,
        on_end: Callable[[], None],
    ) -> None:
        self._database = database
        self._runners = runners
        self._tasks = tasks
        self._clock = clock
        self._log = log
        self._on_end = on_end
        self._live: dict[str, LiveRun] = {}
        #: Set once the server is about to end: streams stop then, runs go on without it.
        self.stopping = anyio.Event()

    @property
    def count(self) -> int:
        """How many runs have not ended."""
        return len(self._live)

    def get(self, run_id: str) -> LiveRun | None:
        """The run in memory; None once it has ended."""
        return self._live.get(run_id)

    def is_at_work(self, agent_id: AgentId) -> bool:
        """Whether the agent has a run that nobody has cancelled."""
        return any(live.agent.id == agent_id and not live.cancel.is_set() for live in self._live.values())

    def begin(self, live: LiveRun) -> None:
        """Carry the run out from now on."""
        self._live[live.run.id] = live
        self._tasks.start_soon(self._carry_out, live)

    def cancel(self, live: LiveRun) -> None:
        """Have the run end as CANCELLED."""
        if live.run.cancel_requested:
            return
        self._save(live, replace(live.run, cancel_requested=True, updated_at=self._now()))
        self._log.info("run cancelled", agent_id=live.agent.id, run_id=live.run.id)
        live.cancel.set()

    def stop(self) -> None:
        """End all streams; runs go on without this process."""
        self.stopping.set()
        for live in self._live.values():
            live.announce()

    async def _carry_out(self, live: LiveRun) -> None:
        try:
            outcome = await self._runners[live.agent.runner].carry_out(live, started=lambda: self._mark_started(live))
        except Exception as error:  # a fault of ours is the end of this run, not of the server
            self._log.exception("runner failed", agent_id=live.agent.id, run_id=live.run.id)
            outcome = Outcome(RunStatus.ERROR, error_message=f"the server failed: {error!r}", error_code="internal")
        self._end(live, outcome)

    def _mark_started(self, live: LiveRun) -> None:
        if live.run.started_at is None:
            now = self._now()
            self._save(live, replace(live.run, status=RunStatus.RUNNING, started_at=now, updated_at=now))
            live.announce()

    def _end(self, live: LiveRun, outcome: Outcome) -> None:
        now = self._now()
        ended = replace(
            live.run,
            status=outcome.status,
            updated_at=now,
            duration_ms=_milliseconds(live.run.started_at or live.run.created_at, now),
            reply=outcome.reply,
            error_message=outcome.error_message,
            error_code=outcome.error_code,
            branch=outcome.branch,
            repo_url=outcome.repo_url,
            stdout_bytes=outcome.stdout_bytes,
            stderr_bytes=outcome.stderr_bytes,
            usage=outcome.usage,
            branches=with_branch(live.run.branches, repo_url=outcome.repo_url, branch=outcome.branch),
        )
        if ended.branches != live.run.branches:
            with self._database.transaction():
                self._database.set_branches(ended)
                self._save(live, ended)
        else:
            self._save(live, ended)
        del self._live[live.run.id]
        live.announce()
        self._on_end()
        self._log.info("run ended", agent_id=live.agent.id, run_id=live.run.id, status=outcome.status)

    def _save(self, live: LiveRun, run: RunRecord) -> None:
        self._database.update_run(run)
        live.run = run

    def _now(self) -> Timestamp:
        return to_timestamp(self._clock.now())


def _milliseconds(earlier: Timestamp, later: Timestamp) -> float | None:
    seconds = seconds_between(earlier, later)
    return None if seconds is None else max(round(seconds * 1000, 3), 0)
