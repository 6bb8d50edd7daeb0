"""Questions about the task graph. An edge leads from a task to one that it depends on: ``b -> a`` when b needs a.

Nothing here recurses, so that a chain may be as long as the plan. networkx is loaded only by questions that need it:
whether there is a cycle, which every check asks, is answered without.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from orchestrate.model.names import TaskName
from orchestrate.model.plan import Plan

if TYPE_CHECKING:
    import networkx

_Name = TypeVar("_Name", bound=str)


class TaskGraph:
    """The graph of one plan; answers are in the order of the plan wherever there is a choice."""

    def __init__(self, plan: Plan) -> None:
        self._dependencies = dependencies_of(plan)
        self._place = {name: place for place, name in enumerate(self._dependencies)}

    def find_cycle(self) -> list[TaskName] | None:
        """The first cycle, its first task also at its end: ``[a, b, a]``."""
        return next(cycles(self._dependencies), None)

    def topological_order(self) -> list[TaskName]:
        """Every task behind all that it depends on; ValueError if there is a cycle."""
        ordered = list(_peeled(self._dependencies))
        if len(ordered) < len(self._dependencies):
            raise ValueError("the graph has a cycle")
        return ordered

    def dependants_of(self, name: TaskName) -> tuple[TaskName, ...]:
        """Tasks that name this one in their ``dependsOn`` or ``verifies``."""
        return self._dependants[name]

    def all_behind(self, name: TaskName) -> frozenset[TaskName]:
        """Every task that cannot start before this one, at whatever distance."""
        import networkx

        return frozenset(networkx.ancestors(self._graph, name))

    def all_before(self, name: TaskName) -> frozenset[TaskName]:
        """Every task that must have handed off before this one starts, at whatever distance."""
        import networkx

        return frozenset(networkx.descendants(self._graph, name))

    def waves(self) -> list[tuple[TaskName, ...]]:
        """Tasks by the length of the longest chain before them: wave 0 depends on nothing."""
        wave_of: dict[TaskName, int] = {}
        for name in self.topological_order():
            wave_of[name] = max((wave_of[other] + 1 for other in self._dependencies[name]), default=0)
        waves: list[list[TaskName]] = [[] for _ in range(max(wave_of.values(), default=-1) + 1)]
        for name in self._place:
            waves[wave_of[name]].append(name)
        return [tuple(wave) for wave in waves]

    def longest_path(self, weights: Mapping[TaskName, float] | None = None) -> list[TaskName]:
        """The heaviest chain, first task first; a task without a weight weighs 0, without weights each weighs 1."""
        total: dict[TaskName, float] = {}
        before: dict[TaskName, TaskName] = {}
        for name in self.topological_order():
            heaviest = max(self._dependencies[name], key=total.__getitem__, default=None)
            if heaviest is not None:
                before[name] = heaviest
            own = 1.0 if weights is None else weights.get(name, 0.0)
            total[name] = own + (0.0 if heaviest is None else total[heaviest])
        return _traced(before, start=max(self._place, key=total.__getitem__, default=None))

    @cached_property
    def _dependants(self) -> dict[TaskName, tuple[TaskName, ...]]:
        return {name: tuple(found) for name, found in _reversed(self._dependencies).items()}

    @cached_property
    def _graph(self) -> "networkx.DiGraph[TaskName]":
        return _to_graph(self._dependencies)


def find_cycle(plan: Plan) -> list[TaskName] | None:
    """A cycle of the plan, its first task also at its end, or None."""
    return TaskGraph(plan).find_cycle()


def dependencies_of(plan: Plan) -> dict[TaskName, tuple[TaskName, ...]]:
    """What each task waits for, in the order of the plan; names that are no task of the plan are left out."""
    known = plan.tasks_by_name
    return {task.name: tuple(name for name in task.depends_on if name in known) for task in plan.tasks}


def cycles(dependencies: Mapping[_Name, Sequence[_Name]]) -> Iterator[list[_Name]]:
    """One shortest cycle out of each knot of tasks that wait for each other, knots in the order of the plan."""
    if sum(1 for _ in _peeled(dependencies)) == len(dependencies):
        return
    import networkx

    place = {name: number for number, name in enumerate(dependencies)}
    knots = [knot for knot in networkx.strongly_connected_components(_to_graph(dependencies)) if len(knot) > 1]
    knots += [{name} for name, others in dependencies.items() if name in others]
    for knot in sorted(knots, key=lambda knot: min(place[name] for name in knot)):
        start = min(knot, key=place.__getitem__)
        yield _shortest_way_back(dependencies, start, inside=knot)


def _peeled(dependencies: Mapping[_Name, Sequence[_Name]]) -> Iterator[_Name]:
    """Tasks whose dependencies all came before; what is missing in the end lies on or behind a cycle."""
    dependants = _reversed(dependencies)
    open_count = {name: len(set(others)) for name, others in dependencies.items()}
    ready = deque(name for name, count in open_count.items() if count == 0)
    while ready:
        name = ready.popleft()
        yield name
        for dependant in dependants[name]:
            open_count[dependant] -= 1
            if open_count[dependant] == 0:
                ready.append(dependant)


def _reversed(dependencies: Mapping[_Name, Sequence[_Name]]) -> dict[_Name, list[_Name]]:
    dependants: dict[_Name, list[_Name]] = {name: [] for name in dependencies}
    for name, others in dependencies.items():
        for other in dict.fromkeys(others):
            dependants[other].append(name)
    return dependants


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


def _traced(before: Mapping[TaskName, TaskName], *, start: TaskName | None) -> list[TaskName]:
    path = [] if start is None else [start]
    while path and path[-1] in before:
        path.append(before[path[-1]])
    return path[::-1]
