"""What attempts cost, as it stands in files, and back."""

from collections.abc import Sequence

from orchestrate.model.fields import Fields
from orchestrate.model.names import AgentId
from orchestrate.model.rows import Charge
from orchestrate.model.vocabulary import TaskType


def usage_document(charges: Sequence[Charge]) -> dict[str, object]:
    """A row's ``usage``: sums of what is known, then each attempt."""
    document: dict[str, object] = {}
    cents = [charge.cents for charge in charges if charge.cents is not None]
    tokens = [charge.tokens for charge in charges if charge.tokens is not None]
    if cents:
        document["cents"] = round(sum(cents), 6)
    if tokens:
        document["totalTokens"] = sum(tokens)
    return {**document, "attempts": [_charge_document(charge) for charge in charges]}


def decode_usage(fields: Fields) -> tuple[Charge, ...] | None:
    """The attempts of a row's ``usage``; None for one of another tool, which has none."""
    return fields.inner_list("attempts", _charge) or None


def decode_spent(fields: Fields) -> float | None:
    """The cents of a state's ``spent``; None where it has none."""
    return fields.amount("cents")


def _charge_document(charge: Charge) -> dict[str, object]:
    document: dict[str, object] = {
        "attempt": charge.attempt,
        "agentId": charge.agent_id,
        "type": charge.type,
        "reservedCents": charge.reserved,
    }
    if charge.cents is not None:
        document["cents"] = charge.cents
    if charge.tokens is not None:
        document["totalTokens"] = charge.tokens
    if charge.follow_ups:
        document["followUpCents"] = charge.follow_ups
    return document


def _charge(fields: Fields) -> Charge | None:
    attempt, agent_id = fields.whole_number("attempt"), fields.named("agentId", AgentId)
    reserved, task_type = fields.amount("reservedCents"), fields.word("type", TaskType)
    if attempt is None or agent_id is None or reserved is None or task_type is None:
        return None
    return Charge(
        attempt,
        agent_id,
        task_type,
        reserved,
        cents=fields.amount("cents"),
        tokens=fields.whole_number("totalTokens"),
        follow_ups=fields.amount("followUpCents") or 0.0,
    )
