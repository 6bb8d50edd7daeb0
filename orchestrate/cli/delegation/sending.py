"""From a reservation to an answer: sent once, and looked up where the answer is lost; never sent again by itself."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

from orchestrate.cli.delegation.calls import GatedCalls
from orchestrate.cli.delegation.codes import Code
from orchestrate.cli.delegation.recording import changed, is_of, now_of, with_run
from orchestrate.cli.delegation.refusals import DelegationRefused
from orchestrate.cli.delegation.reserving import REFUSED, ids_of, reconcile_command
from orchestrate.core.launching import CONFLICT_CODES
from orchestrate.errors import OutcomeUnknown, Refused, ServiceError, Unavailable
from orchestrate.model.names import AgentId
from orchestrate.model.wire import Agent, Run
from orchestrate.store.delegation_records import Delegation, Phase
from orchestrate.store.delegations import DelegationFiles


@dataclass(frozen=True, slots=True)
class Sent:
    """What came of a request."""

    record: Delegation
    run: Run
    agent: Agent | None = None
    #: True where the answer was lost and the agent was found by the id that we chose.
    adopted: bool = False


async def launch(calls: GatedCalls, files: DelegationFiles, record: Delegation, body: bytes) -> Sent:
    """Send the create request of this reservation, and keep what came of it."""
    files.put(_in_doubt(calls, record))
    try:
        created = await calls.create_agent(body, key=record.header_key)
    except Unavailable:
        _release(calls, files, record, status=None)
        raise
    except Refused as error:
        if error.code not in CONFLICT_CODES:
            _release(calls, files, record, status=REFUSED)
            raise
        raise await _conflict(calls, files, record, error) from error
    except ServiceError as error:
        return await _looked_up(calls, files, record, error)
    return _kept(calls, files, record, created.agent, created.run, adopted=False)


async def follow_up(
    calls: GatedCalls, files: DelegationFiles, record: Delegation, send: Callable[[], Awaitable[Run]]
) -> Sent:
    """Send a follow-up; a run has no id that we choose, so a lost answer stays unknown until somebody looks."""
    files.put(_in_doubt(calls, record))
    try:
        run = await send()
    except (Refused, Unavailable) as error:
        is_conflict = isinstance(error, Refused) and error.code in CONFLICT_CODES
        if is_conflict:
            raise unknown_outcome(record, error) from error
        _release(calls, files, record, status=REFUSED if isinstance(error, Refused) else None)
        raise
    except ServiceError as error:
        raise unknown_outcome(record, error) from error
    after = changed(files, record.key, lambda present: with_run(present, run, at=now_of(calls)))
    return Sent(after or record, run)


def unknown_outcome(record: Delegation, error: ServiceError) -> DelegationRefused:
    """It may have been done: the caller gets all that is needed to find out."""
    return DelegationRefused(
        Code.UNKNOWN_OUTCOME,
        f"{error.message}. It is not sent again by itself.",
        hint=f"Type `{reconcile_command(record)}` to find out whether it was done.",
        request_id=error.request_id,
        fields=ids_of(record),
    )


def _in_doubt(calls: GatedCalls, record: Delegation) -> Delegation:
    """As the record stands from the moment in which the request may leave."""
    return record.moved(Phase.UNKNOWN, at=now_of(calls))


def _release(calls: GatedCalls, files: DelegationFiles, record: Delegation, *, status: str | None) -> None:
    changed(files, record.key, lambda present: present.moved(Phase.RELEASED, at=now_of(calls), status=status))


async def _looked_up(calls: GatedCalls, files: DelegationFiles, record: Delegation, lost: ServiceError) -> Sent:
    """What the service says of the id that we chose; unless it has the agent, nobody can tell."""
    with suppress(ServiceError):
        agent = await calls.look_for(record.agent_id)
        first = None if agent is None else await _first_run(calls, record.agent_id)
        if agent is not None and first is not None and is_of(agent, record):
            return _kept(calls, files, record, agent, first, adopted=True)
    raise unknown_outcome(record, lost) from lost


async def _conflict(calls: GatedCalls, files: DelegationFiles, record: Delegation, error: Refused) -> DelegationRefused:
    """The id or key is taken: by a launch whose record was lost, or by something else."""
    with suppress(ServiceError):
        agent = await calls.look_for(record.agent_id)
        first = None if agent is None else await _first_run(calls, record.agent_id)
        if agent is not None and first is not None and is_of(agent, record):
            kept = _kept(calls, files, record, agent, first, adopted=True)
            return DelegationRefused(
                Code.DUPLICATE_LAUNCH,
                f"the service has agent {agent.id} of this key already. No second one was made.",
                hint=f"Type `{reconcile_command(record)}` to see how it stands.",
                request_id=error.request_id,
                fields=ids_of(kept.record),
            )
    return unknown_outcome(record, OutcomeUnknown(error.message, request_id=error.request_id))


async def _first_run(calls: GatedCalls, agent_id: AgentId) -> Run | None:
    runs = await calls.list_runs(agent_id)
    return min(runs, key=lambda run: run.created_at, default=None)


def _kept(
    calls: GatedCalls, files: DelegationFiles, record: Delegation, agent: Agent, run: Run, *, adopted: bool
) -> Sent:
    at, url = now_of(calls), agent.url or None
    after = changed(
        files,
        record.key,
        lambda present: with_run(present.moved(present.phase, at=at, agent_id=agent.id, url=url), run, at=at),
    )
    return Sent(after or record, run, agent, adopted)
