"""Questions about the task graph. An edge leads from a task to one that it depends on: ``b -> a`` when b needs a.

Nothing here recurses, so that a chain may be as long as the plan. networkx is loaded only where there is a cycle;
whether there is one, which every check asks, is answered without. The plan's model is never loaded: screens that start
fast ask these questions too.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from orchestrate.model.names import TaskName

if TYPE_CHECKING:
    import networkx

    from orchestrate.model.plan import Plan

_Name = TypeVar("_Name", bound=str)


def dependencies_of(plan: "Plan") -> dict[TaskName, tuple[TaskName, ...]]:
    """What each task waits for, in the order of the plan; names that are no task of the plan are left out."""
    known = plan.tasks_by_name
    return {task.name: tuple(name for name in task.depends_on if name in known) for task in plan.tasks}


def dependencies_first(
    dependencies: Mapping[_Name, Sequence[_Name]], *, is_depth_first: bool = False
) -> Iterator[_Name]:
    """Each task behind all that it depends on; what lies on or behind a cycle, or is no task, is left out.

    Breadth first keeps to layers; depth first stays near the task before, so that few edges are open at a time.
    """
    dependants = dependants_of(dependencies)
    open_count = {name: sum(other in dependencies for other in set(others)) for name, others in dependencies.items()}
    ready = deque(name for name, count in open_count.items() if count == 0)
    while ready:
        name = ready.popleft()
        yield name
        freed = []
        for dependant in dependants[name]:
            open_count[dependant] -= 1
            if open_count[dependant] == 0:
                freed.append(dependant)
        if is_depth_first:
            ready.extendleft(reversed(freed))
        else:
            ready.extend(freed)


def dependants_of(dependencies: Mapping[_Name, Sequence[_Name]]) -> dict[_Name, list[_Name]]:
    """Who waits for each task."""
    dependants: dict[_Name, list[_Name]] = {name: [] for name in dependencies}
    for name, others in dependencies.items():
        for other in dict.fromkeys(others):
            if other in dependants:
                dependants[other].append(name)
    return dependants


def cycles(dependencies: Mapping[_Name, Sequence[_Name]]) -> Iterator[list[_Name]]:
    """One shortest cycle out of each knot of tasks that wait for each other, knots in the order of the plan."""
    if sum(1 for _ in dependencies_first(dependencies)) == len(dependencies):
        return
    import networkx

    place = {name: number for number, name in enumerate(dependencies)}
    knots = [knot for knot in networkx.strongly_connected_components(_to_graph(dependencies)) if len(knot) > 1]
    knots += [{name} for name, others in dependencies.items() if name in others]
    for knot in sorted(knots, key=lambda knot: min(place[name] for name in knot)):
        start = min(knot, key=place.__getitem__)
        yield _shortest_way_back(dependencies, start, inside=knot)


def _to_graph(dependencies: Mapping[_Name, Iterable[_Name]]) -> "networkx.DiGraph[_Name]":
    import networkx

    graph: networkx.DiGraph[_Name] = networkx.DiGraph()
    graph.add_nodes_from(dependencies)
    graph.add_edges_from((name, other) for name, others in dependencies.items() for other in others)
    return graph


def _shortest_way_back(
    dependencies: Mapping[_Name, Sequence[_Name]], start: _Name, *, inside: set[_Name]
) -> list[_Name]:
    came_from: dict[_Name, _Name] = {}
    waiting = deque([start])
    while start not in came_from:
        name = waiting.popleft()
        for other in dependencies[name]:
            if other in inside and other not in came_from:
                came_from[other] = name
                waiting.append(other)
    way = [start, came_from[start]]
    while way[-1] != start:
        way.append(came_from[way[-1]])
    return way[::-1]
