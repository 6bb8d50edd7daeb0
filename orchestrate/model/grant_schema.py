"""The JSON schema of what planners are given, as it stands in ``state.json``."""

from orchestrate.model.schema_fields import Schema, field

_AGENT = "bc-11111111-1111-4111-8111-111111111111"
_GRANT = {"agents": 8, "cents": 400, "levels": 1}


def row_fields() -> Schema:
    """The field of a row that shares are in."""
    return {
        "shares": field(
            {"type": ["array", "null"], "items": {"type": "object"}},
            "What a subplanner was given for agents of its own, by attempt; `used` is there once it is certain.",
            [{"attempt": 1, "agentId": _AGENT, "grant": _GRANT, "used": {"agents": 3, "cents": 120}}],
        ),
    }


def own_grant() -> Schema:
    """The state's own field: what the planner above gave."""
    return field(
        {"type": ["object", "null"]},
        "What the planner above gave to the one that runs this plan, as its engine read it from the service.",
        {"agentId": _AGENT, **_GRANT},
    )
