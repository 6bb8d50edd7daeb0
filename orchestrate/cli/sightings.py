"""Agents as the service's list shows them."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from orchestrate.core.lineage import Sighting
from orchestrate.model.names import AgentId, RunId, WorkspaceId
from orchestrate.model.vocabulary import AgentStatus
from orchestrate.model.wire import (
    METADATA_DEPTH,
    METADATA_PARENT,
    METADATA_ROOT,
    METADATA_TASK,
    METADATA_WORKSPACE,
    Agent,
)

_Text = TypeVar("_Text", bound=str)


def sighting_of(agent: Agent) -> Sighting:
    """What the service says of an agent, with what it was launched with."""
    told = agent.metadata or {}
    depth = told.get(METADATA_DEPTH, "")
    return Sighting(
        agent_id=AgentId(agent.id),
        run_id=None if agent.latest_run_id is None else RunId(agent.latest_run_id),
        task=told.get(METADATA_TASK) or agent.name or "",
        workspace=_named(told, METADATA_WORKSPACE, WorkspaceId),
        root=told.get(METADATA_ROOT),
        parent=_named(told, METADATA_PARENT, AgentId),
        depth=int(depth) if depth.isdecimal() and len(depth) < 4 else 0,  # noqa: PLR2004  deeper is no depth
        url=agent.url,
        may_run=agent.status is AgentStatus.ACTIVE,
    )


def _named(told: Mapping[str, str], key: str, made: Callable[[str], _Text]) -> _Text | None:
    value = told.get(key)
    return made(value) if value else None
