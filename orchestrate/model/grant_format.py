"""Shares and grants as they stand in files, and back."""

from collections.abc import Sequence

from orchestrate.model.fields import Fields
from orchestrate.model.grants import Grant, OwnGrant, Share, Used, grant_document
from orchestrate.model.names import AgentId


def shares_document(shares: Sequence[Share]) -> list[dict[str, object]]:
    """A row's ``shares``."""
    return [_share_document(share) for share in shares]


def decode_share(fields: Fields) -> Share | None:
    """One of a row's shares; None for what is none."""
    attempt, agent_id = fields.whole_number("attempt"), fields.named("agentId", AgentId)
    grant = fields.inner("grant", _grant)
    if attempt is None or agent_id is None or grant is None:
        return None
    return Share(attempt, agent_id, grant, fields.inner("used", _used))


def own_grant_document(own: OwnGrant) -> dict[str, object]:
    """A state's ``grant``."""
    document: dict[str, object] = {"agentId": own.agent_id, **grant_document(own.grant)}
    if own.agents_before:
        document["agentsBefore"] = own.agents_before
    if own.cents_before:
        document["centsBefore"] = own.cents_before
    return document


def decode_own_grant(fields: Fields) -> OwnGrant | None:
    """A state's ``grant``; None for what is none."""
    agent_id = fields.named("agentId", AgentId)
    if agent_id is None:
        return None
    before, cents = fields.whole_number("agentsBefore") or 0, fields.amount("centsBefore") or 0.0
    return OwnGrant(agent_id, _grant(fields), before, cents)


def _share_document(share: Share) -> dict[str, object]:
    document: dict[str, object] = {
        "attempt": share.attempt,
        "agentId": share.agent_id,
        "grant": grant_document(share.grant),
    }
    if share.used is not None:
        cents = {} if share.used.cents is None else {"cents": share.used.cents}
        document["used"] = {"agents": share.used.agents, **cents}
    return document


def _grant(fields: Fields) -> Grant:
    return Grant(
        agents=fields.whole_number("agents"),
        cents=fields.amount("cents"),
        levels=fields.whole_number("levels"),
        reserve=fields.amount("reserveCents"),
    )


def _used(fields: Fields) -> Used | None:
    agents = fields.whole_number("agents")
    return None if agents is None else Used(agents, fields.amount("cents"))
