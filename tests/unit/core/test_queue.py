"""The persistent queue of ready tasks."""

from hypothesis import given, strategies

from orchestrate.core.queue import Queue, added, rest


def drained(queue: Queue[str] | None) -> list[tuple[int, int]]:
    ranks = []
    while queue is not None:
        ranks.append(queue.rank)
        queue = rest(queue)
    return ranks


@given(strategies.lists(strategies.tuples(strategies.integers(-3, 3), strategies.integers(0, 99))))
def test_items_come_out_by_rank(ranks):
    queue: Queue[str] | None = None
    for rank in ranks:
        queue = added(queue, "item", rank=rank)
    assert drained(queue) == sorted(ranks)


def test_an_old_version_stays_as_it_was():
    one = added(None, "b", rank=(0, 1))
    two = added(one, "a", rank=(0, 0))
    assert (two.item, one.item) == ("a", "b")
    assert rest(one) is None


def test_the_right_spine_stays_short_so_that_recursion_is_shallow():
    queue: Queue[int] | None = None
    for place in range(10_000):
        queue = added(queue, place, rank=(0, place))
    assert queue is not None
    assert queue.depth <= 14
