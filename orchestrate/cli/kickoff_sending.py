"""One root planner for one goal: the one that lives is taken, else one is launched; no answer is never a second launch."""

from dataclasses import dataclass

from orchestrate.cli.delegation.calls import GatedCalls
from orchestrate.cli.kickoff_job import KickoffJob
from orchestrate.core.launching import CONFLICT_CODES
from orchestrate.engine.launch import look_for
from orchestrate.errors import InputRefused, OutcomeUnknown, ProtocolBroken, Refused
from orchestrate.model.catalogue import catalogue_of
from orchestrate.model.faults import quoted
from orchestrate.model.names import AgentId
from orchestrate.model.nearest import Nearest
from orchestrate.model.wire import METADATA_GOAL, Agent, Run
from orchestrate.text.templates import Templates

#: So many planners of one goal are looked at; more were not meant.
_MOST = 50


@dataclass(frozen=True, slots=True)
class Planner:
    """A root planner and its latest run."""

    agent: Agent
    run: Run
    #: True for one that was there before.
    adopted: bool


async def planner_of(calls: GatedCalls, job: KickoffJob, *, templates: Templates, is_forced: bool) -> Planner:
    """The planner that lives, unless forced; else a new one."""
    models = await _models(calls, job)
    for number in range(1, _MOST + 1):
        agent_id = job.agent_id(number)
        found = await look_for(calls.get_agent, agent_id, clock=calls.clock, seconds=0.0)
        if found is None:
            return await _launched(calls, job.body(agent_id, templates=templates, models=models), agent_id, job)
        planner = await _adopted(calls, found, job)
        if not is_forced and not planner.run.status.is_terminal:
            return planner
    raise InputRefused(
        f"this goal has been kicked off {_MOST} times. Nothing was launched.",
        hint="say in the goal what is different now",
    )


async def _models(calls: GatedCalls, job: KickoffJob) -> tuple[str, ...]:
    """The ids that a planner may choose from; InputRefused where the account lacks the one that was asked for."""
    catalogue = catalogue_of(await calls.models())
    if job.model is None or catalogue.is_open or catalogue.find(job.model) is not None:
        return catalogue.ids
    near = Nearest(catalogue.names).to(job.model)
    raise InputRefused(
        f"--model {quoted(job.model)} is not in this account. Nothing was launched.",
        hint="`orchestrate models` shows all of them" if near is None else f'use "{near}"',
    )


async def _launched(calls: GatedCalls, body: bytes, agent_id: AgentId, job: KickoffJob) -> Planner:
    try:
        created = await calls.create_agent(body, key=agent_id)
    except OutcomeUnknown as error:
        found = await calls.look_for(agent_id)
        if found is None:
            hint = "type the same command again: it takes the agent that is there by then, or launches it"
            raise OutcomeUnknown(f"{error.message}; no agent {agent_id} is there yet", hint=hint) from error
        return await _adopted(calls, found, job)
    except Refused as error:
        if error.code not in CONFLICT_CODES:
            raise
        return await _adopted(calls, await calls.get_agent(agent_id), job)
    return Planner(created.agent, created.run, adopted=False)


async def _adopted(calls: GatedCalls, agent: Agent, job: KickoffJob) -> Planner:
    """An agent that is there under an id of ours, with its latest run."""
    tagged = (agent.metadata or {}).get(METADATA_GOAL)
    if tagged is not None and tagged != job.digest:
        raise ProtocolBroken(f"agent {agent.id} is there and works on another goal")
    runs = await calls.list_runs(AgentId(agent.id))
    if not runs:
        raise ProtocolBroken(f"agent {agent.id} has no run")
    latest = next((run for run in runs if run.id == agent.latest_run_id), runs[0])
    return Planner(agent, latest, adopted=True)
