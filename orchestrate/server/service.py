"""Agents and runs: what the calls of the API do, apart from HTTP."""

import hashlib
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import anyio
import anyio.abc
import orjson
import structlog

from orchestrate.model.names import AgentId, RunId, Timestamp
from orchestrate.model.timestamps import seconds_between, to_timestamp
from orchestrate.model.vocabulary import RunStatus
from orchestrate.model.wire import LocalAgent
from orchestrate.ports import Clock
from orchestrate.server import faults
from orchestrate.server.access import Caller
from orchestrate.server.database import Database
from orchestrate.server.orders import read_order, reread_order
from orchestrate.server.records import AgentRecord, RunRecord, agent_answer, run_answer
from orchestrate.server.runners.contract import LiveRun, Order, Outcome, Runner, Transcript
from orchestrate.server.streams import reply_of


@dataclass(frozen=True, slots=True)
class Call:
    """A create request as it came."""

    caller: Caller
    body: bytes
    key: str | None = None
    pass_env: str | None = None

    @property
    def digest(self) -> bytes:
        """What tells two bodies under one idempotency key apart."""
        return hashlib.sha256(self.body).digest()


class Service:
    """The one owner of the server's tables and of its live runs."""

    def __init__(
        self,
        *,
        database: Database,
        runners: Mapping[str, Runner],
        tasks: anyio.abc.TaskGroup,
        clock: Clock,
        log: structlog.typing.FilteringBoundLogger,
        on_end: Callable[[], None],
        default_agent: LocalAgent | None = None,
        models: tuple[str, ...] = (),
    ) -> None:
        self._database = database
        self._runners = runners
        self._tasks = tasks
        self._clock = clock
        self._log = log
        self._on_end = on_end
        self._default_agent = default_agent
        self._models = models
        self._live: dict[str, LiveRun] = {}
        #: Set once the server is about to end: streams stop then, runs go on without it.
        self.stopping = anyio.Event()

    @property
    def models(self) -> tuple[str, ...]:
        """The catalogue; empty where any model is handed to the agent program as it is."""
        return self._models

    @property
    def live_count(self) -> int:
        """How many runs have not ended."""
        return len(self._live)

    def stop(self) -> None:
        """End all streams; runs go on without this process."""
        self.stopping.set()
        for live in self._live.values():
            live.announce()

    def recover(self) -> None:
        """Go on with the runs that an earlier process of the server left behind."""
        for run in self._database.alive_runs():
            agent = self._database.agent(run.agent_id)
            assert agent is not None, run.agent_id
            self._log.info("run taken up again", agent_id=agent.id, run_id=run.id, status=run.status)
            self._begin(LiveRun(agent=agent, run=run, order=reread_order(agent.request, default=self._default_agent)))

    async def create_agent(self, call: Call) -> bytes:
        """Admit an agent with its first run; the answer's bytes, also for a repeated request.

        What may take time happens between two looks at ids and keys; the second one and the insert are one step.
        """
        if (answer := self._replay(call)) is not None:
            return answer
        order = read_order(call.body, pass_env=call.pass_env, default=self._default_agent, models=self._models)
        self._check_admission(call.caller, order)
        placement = await self._runners[order.agent.runner].place(order)
        if (answer := self._replay(call)) is not None:
            return answer
        self._check_admission(call.caller, order)
        return self._admit(call, order, placement)

    def agent(self, caller: Caller, agent_id: str) -> dict[str, object]:
        """The agent on the wire."""
        record = self._database.agent(agent_id)
        if record is None or not caller.can_reach(record.lineage):
            raise faults.agent_not_found(agent_id)
        return agent_answer(record, latest=self._run_record(record.latest_run_id))

    def runs(self, caller: Caller, agent_id: str, *, limit: int, before: int | None) -> dict[str, object]:
        """A page of an agent's runs on the wire, newest first."""
        self._check_reach(caller, agent_id)
        records = self._database.runs_of(agent_id, limit=limit + 1, before=before)
        page: dict[str, object] = {"items": [self._on_the_wire(record) for record in records[:limit]]}
        return page | ({"nextCursor": str(records[limit - 1].number)} if len(records) > limit else {})

    def run(self, caller: Caller, agent_id: str, run_id: str) -> dict[str, object]:
        """The run on the wire."""
        return self._on_the_wire(self.run_record(caller, agent_id, run_id))

    def run_record(self, caller: Caller, agent_id: str, run_id: str) -> RunRecord:
        """The run as it stands now."""
        self._check_reach(caller, agent_id)
        record = self._run_record(run_id)
        if record is None or record.agent_id != agent_id:
            raise faults.run_not_found(run_id)
        return record

    def live(self, run_id: str) -> LiveRun | None:
        """The run in memory; None once it has ended."""
        return self._live.get(run_id)

    def ended_run(self, run: RunRecord) -> RunRecord:
        """The run, which has ended, as it is from now on."""
        if run.status.is_terminal:
            return run
        ended = self._database.run(run.id)
        assert ended is not None, run.id
        return ended

    def transcript(self, run: RunRecord) -> Transcript:
        """What the run has said so far."""
        return self._runners[run.runner].transcript(run)

    def cancel(self, caller: Caller, agent_id: str, run_id: str) -> dict[str, object]:
        """Have the run end as CANCELLED; asked again while it is ending, the answer is the same."""
        run = self.run_record(caller, agent_id, run_id)
        live = self._live.get(run_id)
        if live is None:
            raise faults.not_cancellable(run_id, status=run.status)
        if not run.cancel_requested:
            self._save(live, replace(run, cancel_requested=True, updated_at=self._now()))
            self._log.info("run cancelled", agent_id=agent_id, run_id=run_id)
            live.cancel.set()
        return {"id": run_id}

    def _replay(self, call: Call) -> bytes | None:
        if call.key is None:
            return None
        kept = self._database.answer(scope=call.caller.scope, key=call.key)
        if kept is None:
            return None
        digest, answer = kept
        if digest != call.digest:
            raise faults.key_used_otherwise()
        return answer

    def _check_admission(self, caller: Caller, order: Order) -> None:
        if order.agent_id is not None and self._database.has_agent(order.agent_id):
            raise faults.agent_id_taken(order.agent_id)
        if caller.agent_id is not None and not self._is_alive(caller.agent_id):
            raise faults.forbidden("The run of the agent that this token belongs to has ended")

    def _is_alive(self, agent_id: AgentId) -> bool:
        return any(live.agent.id == agent_id and not live.cancel.is_set() for live in self._live.values())

    def _admit(self, call: Call, order: Order, placement: Mapping[str, str]) -> bytes:
        agent, run = self._new_records(call.caller, order, placement)
        created = {"agent": agent_answer(agent, latest=run), "run": run_answer(run, reply=None)}
        answer = orjson.dumps(created)
        with self._database.transaction():
            self._database.add_agent(agent)
            self._database.add_run(run)
            if call.key is not None:
                self._database.add_answer(scope=call.caller.scope, key=call.key, digest=call.digest, answer=answer)
        self._begin(LiveRun(agent=agent, run=run, order=order))
        return answer

    def _new_records(self, caller: Caller, order: Order, placement: Mapping[str, str]) -> tuple[AgentRecord, RunRecord]:
        now = self._now()
        agent_id = order.agent_id or AgentId(f"bc-{uuid.uuid4()}")
        above = self._database.lineage(caller.agent_id) if caller.agent_id else None
        agent = AgentRecord(
            id=agent_id,
            lineage=f"{above or '/'}{agent_id}/",
            runner=order.agent.runner,
            created_at=now,
            latest_run_id=RunId(f"run-{uuid.uuid4()}"),
            profile=_profile(order),
            request=order.body,
            placement=placement,
        )
        run = RunRecord(agent.latest_run_id, agent_id, agent.runner, RunStatus.CREATING, created_at=now, updated_at=now)
        return agent, run

    def _begin(self, live: LiveRun) -> None:
        self._live[live.run.id] = live
        self._tasks.start_soon(self._carry_out, live)

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
        )
        self._save(live, ended)
        del self._live[live.run.id]
        live.announce()
        self._on_end()
        self._log.info("run ended", agent_id=live.agent.id, run_id=live.run.id, status=outcome.status)

    def _save(self, live: LiveRun, run: RunRecord) -> None:
        self._database.update_run(run)
        live.run = run

    def _check_reach(self, caller: Caller, agent_id: str) -> None:
        lineage = self._database.lineage(agent_id)
        if lineage is None or not caller.can_reach(lineage):
            raise faults.agent_not_found(agent_id)

    def _run_record(self, run_id: str) -> RunRecord | None:
        live = self._live.get(run_id)
        return live.run if live is not None else self._database.run(run_id)

    def _on_the_wire(self, run: RunRecord) -> dict[str, object]:
        reply = reply_of(run, self.transcript(run)) if run.status.is_terminal else None
        return run_answer(run, reply=reply)

    def _now(self) -> Timestamp:
        return to_timestamp(self._clock.now())


def _profile(order: Order) -> dict[str, object]:
    request = order.request.model_dump(mode="json", by_alias=True, exclude_none=True)
    kept: dict[str, object] = {
        name: request[name] for name in ("env", "repos", "autoCreatePR", "metadata") if name in request
    }
    return {"name": order.name, **kept}


def _milliseconds(earlier: Timestamp, later: Timestamp) -> float | None:
    seconds = seconds_between(earlier, later)
    return None if seconds is None else max(round(seconds * 1000, 3), 0)
