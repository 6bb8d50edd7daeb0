"""Making agents and runs, and ending them: what the calls that change something do, apart from HTTP."""

import hashlib
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace

import orjson
import structlog

from orchestrate.model.names import AgentId, RunId, Timestamp
from orchestrate.model.timestamps import to_timestamp
from orchestrate.model.vocabulary import RunStatus
from orchestrate.model.wire import LocalAgent
from orchestrate.ports import Clock
from orchestrate.server import faults
from orchestrate.server.access import Caller
from orchestrate.server.database import Database, KeptAnswer
from orchestrate.server.live_runs import LiveRuns
from orchestrate.server.lookups import Lookups
from orchestrate.server.orders import read_follow_up, read_order, reread_order
from orchestrate.server.records import AgentRecord, RunRecord, agent_answer, run_answer
from orchestrate.server.runners.contract import LiveRun, Order, Runner


@dataclass(frozen=True, slots=True)
class Call:
    """A request for an agent or a run as it came."""

    caller: Caller
    body: bytes
    key: str | None = None
    pass_env: str | None = None
    #: The agent that a follow-up is for.
    agent_id: str | None = None

    @property
    def digest(self) -> bytes:
        """What tells two requests under one idempotency key apart."""
        target = b"" if self.agent_id is None else f"{self.agent_id}\0".encode()
        return hashlib.sha256(target + self.body).digest()


@dataclass(frozen=True, slots=True)
class Offer:
    """What a server has for requests."""

    runners: Mapping[str, Runner]
    #: For requests that name no agent program; None refuses them.
    default_agent: LocalAgent | None = None
    #: The catalogue; empty where any model is handed to the agent program as it is.
    models: tuple[str, ...] = ()


class Service:
    """The one writer of agents and new runs."""

    def __init__(
        self,
        offer: Offer,
        *,
        database: Database,
        lookups: Lookups,
        live_runs: LiveRuns,
        clock: Clock,
        log: structlog.typing.FilteringBoundLogger,
    ) -> None:
        self._offer = offer
        self._database = database
        self._lookups = lookups
        self._live_runs = live_runs
        self._clock = clock
        self._log = log

    @property
    def models(self) -> tuple[str, ...]:
        """The catalogue; empty where any model is handed to the agent program as it is."""
        return self._offer.models

    def recover(self) -> None:
        """Go on with the runs that an earlier process of the server left behind."""
        for run in self._database.alive_runs():
            agent = self._database.agent(run.agent_id)
            assert agent is not None, run.agent_id
            self._log.info("run taken up again", agent_id=agent.id, run_id=run.id, status=run.status)
            order = reread_order(agent.request, default=self._offer.default_agent, follow_up=run.request)
            self._live_runs.begin(LiveRun(agent=agent, run=run, order=order))

    async def create_agent(self, call: Call) -> bytes:
        """Admit an agent with its first run; the answer's bytes, also for a repeated request.

        What may take time happens between two looks at ids and keys; the second one and the insert are one step.
        """
        if (answer := self._replay(call)) is not None:
            return answer
        order = read_order(
            call.body, pass_env=call.pass_env, default=self._offer.default_agent, models=self._offer.models
        )
        self._check_admission(call.caller, order)
        placement = await self._offer.runners[order.agent.runner].place(order)
        if (answer := self._replay(call)) is not None:
            return answer
        self._check_admission(call.caller, order)
        return self._admit(call, order, placement)

    def create_run(self, call: Call, agent_id: str) -> bytes:
        """Admit a follow-up to an agent that is not at work; the answer's bytes, also for a repeated request."""
        agent = self._lookups.agent_record(call.caller, agent_id)
        if (answer := self._replay(call)) is not None:
            return answer
        order = read_follow_up(
            call.body,
            agent=agent,
            pass_env=call.pass_env,
            default=self._offer.default_agent,
            models=self._offer.models,
        )
        self._check_caller(call.caller)
        if agent.archived_at is not None:
            raise faults.agent_archived(agent.id)
        if self._live_runs.get(agent.latest_run_id) is not None:
            raise faults.agent_busy(agent.id)
        self._offer.runners[agent.runner].check(order)
        return self._admit_follow_up(call, agent, order)

    def cancel(self, caller: Caller, agent_id: str, run_id: str) -> dict[str, object]:
        """Have the run end as CANCELLED; asked again while it is ending, the answer is the same."""
        run = self._lookups.run_record(caller, agent_id, run_id)
        live = self._live_runs.get(run_id)
        if live is None:
            raise faults.not_cancellable(run_id, status=run.status)
        self._live_runs.cancel(live)
        return {"id": run_id}

    def set_archived(self, caller: Caller, agent_id: str, *, archived: bool) -> dict[str, object]:
        """Archive or unarchive the agent; asked again, nothing changes. A run that is active goes on."""
        agent = self._lookups.agent_record(caller, agent_id)
        if archived != (agent.archived_at is not None):
            now = self._now()
            self._database.mark_archived(agent.id, archived_at=now if archived else None, at=now)
            self._log.info("agent archived" if archived else "agent unarchived", agent_id=agent.id)
        return {"id": agent.id}

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
        self._check_caller(caller)

    def _check_caller(self, caller: Caller) -> None:
        if caller.agent_id is not None and not self._live_runs.is_at_work(caller.agent_id):
            raise faults.forbidden("The run of the agent that this token belongs to has ended")

    def _admit(self, call: Call, order: Order, placement: Mapping[str, str]) -> bytes:
        agent = self._new_agent(call.caller, order, placement)
        run = _latest_run(agent, now=agent.created_at)
        created = {"agent": agent_answer(agent, latest=run), "run": run_answer(run, reply=None)}
        answer = orjson.dumps(created)
        with self._database.transaction():
            self._database.add_agent(agent)
            self._database.add_run(run)
            self._keep(call, answer, agent.id)
        self._live_runs.begin(LiveRun(agent=agent, run=run, order=order))
        return answer

    def _admit_follow_up(self, call: Call, agent: AgentRecord, order: Order) -> bytes:
        agent = replace(agent, latest_run_id=_new_run_id())
        run = replace(_latest_run(agent, now=self._now()), request=order.body, branches=agent.branches)
        answer = orjson.dumps({"run": run_answer(run, reply=None)})
        with self._database.transaction():
            self._database.add_run(run)
            self._database.set_latest_run(agent.id, run.id)
            self._keep(call, answer, agent.id)
        self._live_runs.begin(LiveRun(agent=agent, run=run, order=order))
        return answer

    def _keep(self, call: Call, answer: bytes, agent_id: AgentId) -> None:
        if call.key is not None:
            self._database.add_answer(
                KeptAnswer(call.caller.scope, call.key, digest=call.digest, answer=answer, agent_id=agent_id)
            )

    def _new_agent(self, caller: Caller, order: Order, placement: Mapping[str, str]) -> AgentRecord:
        agent_id = order.agent_id or AgentId(f"bc-{uuid.uuid4()}")
        above = self._database.lineage(caller.agent_id) if caller.agent_id else None
        return AgentRecord(
            id=agent_id,
            lineage=f"{above or '/'}{agent_id}/",
            runner=order.agent.runner,
            created_at=self._now(),
            latest_run_id=_new_run_id(),
            profile=_profile(order),
            request=order.body,
            placement=placement,
        )

    def _now(self) -> Timestamp:
        return to_timestamp(self._clock.now())


def _new_run_id() -> RunId:
    return RunId(f"run-{uuid.uuid4()}")


def _latest_run(agent: AgentRecord, *, now: Timestamp) -> RunRecord:
    return RunRecord(agent.latest_run_id, agent.id, agent.runner, RunStatus.CREATING, created_at=now, updated_at=now)


def _profile(order: Order) -> dict[str, object]:
    request = order.request.model_dump(mode="json", by_alias=True, exclude_none=True)
    kept: dict[str, object] = {
        name: request[name] for name in ("env", "repos", "autoCreatePR", "metadata") if name in request
    }
    return {"name": order.name, **kept}
