"""The reservation of a key: on disk, synced, before anything is sent. A key in flight is refused without a call."""

from collections.abc import Callable, Sequence

from orchestrate.cli.delegation.codes import Code
from orchestrate.cli.delegation.refusals import DelegationRefused
from orchestrate.model.names import AgentId
from orchestrate.store.delegation_records import Delegation, Kind, Phase, agent_id_of
from orchestrate.store.delegations import DelegationFiles

#: Status of a record whose request the service refused.
REFUSED = "REFUSED"


def refuse_in_flight(files: DelegationFiles, key: str) -> None:
    """Refuse a key whose record says that it is in flight."""
    _refuse(files.find(key))


def reserved(
    files: DelegationFiles, draft: Delegation, *, account: str, admits: Callable[[Sequence[Delegation]], None]
) -> Delegation:
    """The reservation, written; ``admits`` refuses where the other records of its scope leave no room."""
    with files.locked():
        former = files.find(draft.key)
        _refuse(former)
        others = [each for each in files.of_repository(draft.scope) if each.key != draft.key]
        admits([each for each in others if each.phase.is_in_flight])
        record = _after(draft, former, account=account)
        files.put(record)
        if former is not None and former.scope != record.scope:
            files.forget(former)
    return record


def _refuse(record: Delegation | None) -> None:
    if record is None or not record.phase.is_in_flight:
        return
    what = (
        "may have been sent"
        if record.phase in (Phase.RESERVED, Phase.UNKNOWN)
        else "was sent, and its run goes on as far as is known here"
    )
    raise DelegationRefused(
        Code.DUPLICATE_LAUNCH,
        f"the key {record.key} is in flight: the request for agent {record.agent_id} {what}. Nothing was sent.",
        hint=f"Type `{reconcile_command(record)}` to see how it stands; once it is over the key may be used again.",
        fields=ids_of(record),
    )


def reconcile_command(record: Delegation) -> str:
    """The command that finds out how a record stands."""
    return f"orchestrate agent-status --agent-id {record.agent_id} --reconcile"


def ids_of(record: Delegation) -> dict[str, object]:
    """The ids that a caller needs to find what was sent, or may have been."""
    fields: dict[str, object] = {"idempotencyKey": record.key, "agentId": record.agent_id}
    return fields if record.run_id is None else {**fields, "runId": record.run_id}


def _after(draft: Delegation, former: Delegation | None, *, account: str) -> Delegation:
    """The draft with its generation: another one where the former one reached the service, the same where nothing was sent."""
    generation = 0
    if former is not None:
        reached_the_service = former.phase is Phase.ENDED or former.run_id is not None or former.status == REFUSED
        generation = former.generation + reached_the_service
    agent_id = draft.agent_id
    if draft.kind is Kind.DELEGATE:
        agent_id = agent_id_of(draft.key, generation=generation, account=account)
    return draft.moved(Phase.RESERVED, at=draft.at, generation=generation, agent_id=AgentId(agent_id))
