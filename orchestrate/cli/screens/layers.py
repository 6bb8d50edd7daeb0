"""Layers of a task graph, and places for its tasks: what every drawing of a graph is made from.

Layer 0 depends on nothing; a task stands one layer behind the last of those that it waits for. Nothing recurses. A
cycle, which no sound plan has but a foreign state may, does not hang: its tasks stand in a last layer of their own.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import pairwise
from operator import or_

from orchestrate.model.graph import dependencies_first

Edges = Mapping[str, Sequence[str]]

#: Turns of the search for few crossings; more change little.
_SWEEPS = 4
#: Bends of long edges beyond which they are drawn straight: a plan of thousands of tasks has no readable bends.
_MOST_BENDS = 20_000


@dataclass(frozen=True, slots=True)
class Place:
    """Where a task, or the bend of an edge, stands: its layer, and its middle across the layer."""

    layer: int
    across: float


@dataclass(frozen=True, slots=True)
class Placement:
    """Places of all tasks, and the bends of each edge from a task to the one that it waits for."""

    places: Mapping[str, Place]
    bends: Mapping[tuple[str, str], Sequence[Place]]
    layers: int
    #: How far the widest layer reaches.
    across: float


def layers_of(dependencies: Edges) -> list[list[str]]:
    """The tasks of each layer, in the order of the mapping."""
    depth = dict.fromkeys(dependencies_first(dependencies), 0)
    for name in depth:
        depth[name] = max((depth[each] + 1 for each in dependencies[name] if each in depth), default=0)
    layers: list[list[str]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for name in dependencies:
        if name in depth:
            layers[depth[name]].append(name)
    rest = [name for name in dependencies if name not in depth]
    return [*layers, rest] if rest else layers


def without_shortcuts(dependencies: Edges) -> dict[str, list[str]]:
    """The same graph without edges that follow from others: a chain ``a, b, c`` says that c comes after a."""
    order = list(dependencies_first(dependencies))
    bit_of = {name: 1 << number for number, name in enumerate(order)}
    before: dict[str, int] = {}
    kept: dict[str, list[str]] = {name: list(others) for name, others in dependencies.items()}
    for name in order:
        others = [each for each in dependencies[name] if each in before]
        implied = reduce(or_, (before[each] for each in others), 0)
        kept[name] = [each for each in dict.fromkeys(others) if not implied & bit_of[each]]
        before[name] = reduce(or_, (bit_of[each] for each in others), implied)
    return kept


def placed(dependencies: Edges, *, task_size: float = 1.0, bend_size: float = 0.4) -> Placement:
    """Places with few crossings, in units of a task's height."""
    grid = _Grid(layers_of(dependencies))
    _add_edges(grid, dependencies)
    for turn in range(_SWEEPS):
        grid.sort(is_forward=turn % 2 == 0)
    sizes = {name: task_size if name in dependencies else bend_size for name in grid.layer_of}
    across = grid.spread_out(sizes)
    least = min(across.values(), default=0.0)
    places = {name: Place(grid.layer_of[name], across[name] - least) for name in across}
    return Placement(
        places={name: places[name] for name in dependencies},
        bends={edge: [places[name] for name in names] for edge, names in grid.bends.items()},
        layers=len(grid.layers),
        across=max(across.values(), default=0.0) - least,
    )


@dataclass(slots=True)
class _Grid:
    """Layers of tasks and of the bends that long edges have in the layers they pass."""

    layers: list[list[str]]
    before: dict[str, list[str]] = field(default_factory=dict)
    behind: dict[str, list[str]] = field(default_factory=dict)
    bends: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    layer_of: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.layer_of = {name: number for number, layer in enumerate(self.layers) for name in layer}

    def connect(self, first: str, second: str) -> None:
        """A line between neighbours."""
        self.behind.setdefault(first, []).append(second)
        self.before.setdefault(second, []).append(first)

    def sort(self, *, is_forward: bool) -> None:
        """Each layer in the order of the middles of its neighbours."""
        neighbours = self.before if is_forward else self.behind
        for layer in self.layers if is_forward else reversed(self.layers):
            rank = {
                name: number for near in self._near(layer, is_forward=is_forward) for number, name in enumerate(near)
            }
            own = {name: number for number, name in enumerate(layer)}
            layer.sort(key=lambda name: _mean((rank[each] for each in neighbours.get(name, ())), own[name]))

    def spread_out(self, sizes: Mapping[str, float]) -> dict[str, float]:
        """Middles near those of the neighbours, in the layers' order and never nearer than the sizes allow."""
        across: dict[str, float] = {}
        for neighbours, layers in (
            (self.before, self.layers),
            (self.behind, self.layers[::-1]),
            (self.before, self.layers),
        ):
            for layer in layers:
                wanted = [
                    _mean((across[each] for each in neighbours.get(name, ()) if each in across), across.get(name, 0.0))
                    for name in layer
                ]
                across.update(zip(layer, _apart(wanted, [sizes[name] for name in layer]), strict=True))
        return across

    def _near(self, layer: Sequence[str], *, is_forward: bool) -> list[list[str]]:
        number = self.layer_of[layer[0]] + (-1 if is_forward else 1)
        return [self.layers[number]] if 0 <= number < len(self.layers) else []


def _add_edges(grid: _Grid, dependencies: Edges) -> None:
    """Every edge as lines between neighbouring layers, as long as that makes a picture."""
    edges = [(other, name) for name, others in dependencies.items() for other in others if other in dependencies]
    spans = {edge: grid.layer_of[edge[1]] - grid.layer_of[edge[0]] for edge in edges}
    is_bent = sum(max(0, span - 1) for span in spans.values()) <= _MOST_BENDS
    for (first, second), span in spans.items():
        if span < 1 or (span > 1 and not is_bent):
            continue
        steps = [first, *(_bend(grid, first, second, layer) for layer in range(1, span)), second]
        grid.bends[first, second] = steps[1:-1]
        for near, far in pairwise(steps):
            grid.connect(near, far)


def _bend(grid: _Grid, first: str, second: str, step: int) -> str:
    """The place where an edge passes a layer; no task has such a name."""
    layer = grid.layer_of[first] + step
    name = f"{first}\0{second}\0{step}"
    grid.layer_of[name] = layer
    grid.layers[layer].append(name)
    return name


def _mean(values: Iterable[float], otherwise: float) -> float:
    found = list(values)
    return sum(found) / len(found) if found else otherwise


def _apart(wanted: Sequence[float], sizes: Sequence[float]) -> list[float]:
    """The wanted middles moved apart: the mean of pushing downwards and of pushing upwards, which keeps distances."""
    down, up = list(wanted), list(wanted)
    for place in range(1, len(wanted)):
        down[place] = max(down[place], down[place - 1] + (sizes[place - 1] + sizes[place]) / 2)
    for place in range(len(wanted) - 2, -1, -1):
        up[place] = min(up[place], up[place + 1] - (sizes[place] + sizes[place + 1]) / 2)
    return [(one + other) / 2 for one, other in zip(down, up, strict=True)]
