"""A persistent priority queue (a leftist heap): adding and taking cost the logarithm of its size, old versions stay.

Source: C. A. Crane, "Linear lists and priority queues as balanced binary trees", 1972.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

Item = TypeVar("Item")
Rank = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Queue(Generic[Item]):
    """A non-empty queue; None is the empty one. The lowest rank is taken first."""

    rank: Rank
    item: Item
    #: Length of the right spine; never above the logarithm of the size, so recursion is shallow.
    depth: int
    left: Queue[Item] | None
    right: Queue[Item] | None


def added(queue: Queue[Item] | None, item: Item, *, rank: Rank) -> Queue[Item]:
    """The queue with one item more."""
    merged = _merged(queue, Queue(rank=rank, item=item, depth=1, left=None, right=None))
    assert merged is not None
    return merged


def rest(queue: Queue[Item]) -> Queue[Item] | None:
    """The queue without its first item."""
    return _merged(queue.left, queue.right)


def _merged(one: Queue[Item] | None, other: Queue[Item] | None) -> Queue[Item] | None:
    if one is None:
        return other
    if other is None:
        return one
    first, second = (one, other) if one.rank <= other.rank else (other, one)
    left, right = first.left, _merged(first.right, second)
    if _depth(left) < _depth(right):
        left, right = right, left
    return Queue(rank=first.rank, item=first.item, depth=_depth(right) + 1, left=left, right=right)


def _depth(queue: Queue[Item] | None) -> int:
    return 0 if queue is None else queue.depth
