"""Asking the service which agents it has of a task's name."""

from collections.abc import Mapping

from orchestrate.core.effects import LookForNamesakes
from orchestrate.core.service_events import Namesake, NamesakesSeen
from orchestrate.errors import ServiceError
from orchestrate.model.names import AgentId, RunId, TaskName, agent_name
from orchestrate.model.wire import METADATA_ROOT, METADATA_TASK, Agent
from orchestrate.ports import AgentService

#: Pages of 100 that are looked at; what is older than a thousand agents is not looked for.
_PAGES = 10


async def look_for_namesakes(effect: LookForNamesakes, *, service: AgentService) -> NamesakesSeen:
    """The agents of these rows' names and ids, the newest first; or why the service did not tell."""
    names = {agent_name(effect.root_slug, row.name): row.name for row in effect.rows}
    ids = {row.agent_id: row.name for row in effect.rows if row.agent_id is not None}
    tasks = frozenset(row.name for row in effect.rows)
    found: list[Namesake] = []
    cursor: str | None = None
    try:
        for _ in range(_PAGES):
            page = await service.agent_page(cursor=cursor, include_archived=True)
            named = ((agent, _task_of(agent, names, ids, tasks, effect.root_slug)) for agent in page.items)
            found += [_namesake(agent, task) for agent, task in named if task is not None]
            cursor = page.next_cursor
            if not cursor:
                break
    except ServiceError as error:
        return NamesakesSeen(unknown=error.message)
    return NamesakesSeen(agents=tuple(found))


def _task_of(
    agent: Agent,
    names: Mapping[str, TaskName],
    ids: Mapping[AgentId, TaskName],
    tasks: frozenset[TaskName],
    root_slug: str,
) -> TaskName | None:
    """The task that it may be the agent of: by its id, by its name, or by what its metadata say."""
    by_name = ids.get(AgentId(agent.id)) or names.get(agent.name or "")
    told = agent.metadata or {}
    if by_name is not None or told.get(METADATA_ROOT) != root_slug:
        return by_name
    task = TaskName(told.get(METADATA_TASK, ""))
    return task if task in tasks else None


def _namesake(agent: Agent, task: TaskName) -> Namesake:
    run_id = None if agent.latest_run_id is None else RunId(agent.latest_run_id)
    return Namesake(task=task, agent_id=AgentId(agent.id), run_id=run_id, status=agent.status)
