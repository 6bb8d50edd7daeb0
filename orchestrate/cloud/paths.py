"""Paths of agents and runs, from ids that may come from anywhere."""

import re

from orchestrate.errors import Refused
from orchestrate.model.names import AgentId, RunId

_SAFE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,199}")


def agent_path(agent_id: AgentId) -> str:
    """Where the agent is; raises Refused for what is no id."""
    return f"/v1/agents/{_checked(agent_id)}"


def run_path(agent_id: AgentId, run_id: RunId) -> str:
    """Where the run is; raises Refused for what is no id."""
    return f"{agent_path(agent_id)}/runs/{_checked(run_id)}"


def _checked(text: str) -> str:
    """The id, if it names nothing else in a path; ids of old states come from elsewhere."""
    if not _SAFE_ID.fullmatch(text):
        raise Refused(f"{text[:80]!r} is no id of an agent or a run", code="invalid_id")
    return text
