"""A hundred messages to ten tasks, and engines that die at any moment: each begins one run, in order."""

import pytest

from orchestrate.core import follow_ups, recovery, turns
from orchestrate.engine import follow_ups as performer
from tests.simulation.test_planted_faults import _planted
from tests.support.steering_world import SteeringWorld

_FAULTS = [
    pytest.param(
        follow_ups.on_follow_up_unknown,
        "return looked_at(with_first(row, at=event.at, delays=1), at=event.at)",
        "row = with_first(row, at=event.at); return change(RowChanged(row), effects=[SendFollowUp(row=row)])",
        id="silence is taken for refusal, and the message is sent again without a look",
    ),
    pytest.param(
        follow_ups._awaits,
        "(row.queue[0].id, row.queue[0].step) == (event.message_id, event.step)",
        "True",
        id="a late answer counts for the next message",
    ),
    pytest.param(
        recovery.taken_up_row, "if is_between_runs(row):", "if False:", id="a resumed engine watches a run that is over"
    ),
    pytest.param(
        turns.without_ended,
        "message.run_id != run_id",
        "message.run_id is None or message.run_id == run_id",
        id="a message that was answered stays in the queue",
    ),
    pytest.param(
        performer._first_after,
        "run.id not in known and",
        "True and",
        id="a run that was there before is taken for the message's",
    ),
]


@pytest.mark.parametrize("seed", range(3))
def test_each_message_is_delivered_once_and_in_order(seed):
    assert SteeringWorld(seed).run().lives > 1


@pytest.mark.slow
@pytest.mark.parametrize("first", range(3, 43, 10))
def test_so_it_is_under_many_seeds(first):
    for seed in range(first, first + 10):
        SteeringWorld(seed).run()


@pytest.mark.slow
@pytest.mark.parametrize(("function", "sound", "faulty"), _FAULTS)
def test_the_world_notices_a_planted_fault(function, sound, faulty):
    with _planted(function, sound, faulty):
        assert any(_is_broken(seed) for seed in range(20))


def _is_broken(seed):
    try:
        SteeringWorld(seed, tasks=3, messages=20, deaths=8).run()
    except (AssertionError, ExceptionGroup):
        return True
    return False
