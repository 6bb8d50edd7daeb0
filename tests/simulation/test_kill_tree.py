"""Killing trees whose planners launch on and on: nobody is left, and nobody comes after it."""

import sys
from functools import partial

import pytest

from orchestrate.cli.delegation.calls import GatedCalls
from orchestrate.engine.killing import Killer, KillPace
from orchestrate.model.vocabulary import RuntimeKind
from tests.support import virtual_time
from tests.support.kill_world import killed
from tests.support.pushed_kill_world import PushedKillWorld, SlowKillWorld
from tests.support.virtual_time import LoopClock

#: The 50 seeds of the figure; a few of them in every run of the tests.
SEEDS = [pytest.param(seed, marks=[] if seed < 5 else pytest.mark.slow) for seed in range(50)]


def a_killer(world):
    calls = GatedCalls(world, clock=LoopClock(), kind=RuntimeKind.CLOUD, longest_wait_seconds=600.0)
    return Killer(calls, world.census, clock=LoopClock(), pace=KillPace(quiet_seconds=10.0))


@pytest.mark.parametrize("seed", SEEDS)
def test_nobody_is_left_alive_and_nothing_is_launched_after_it(seed):
    world, toll, late = virtual_time.run(lambda: killed(seed, clock=LoopClock(), killer=a_killer))
    assert toll.is_certain
    assert len(world.agents) > 200
    assert [agent.id for agent in world.alive] == []
    assert late == []
    assert set(world.agents) <= set(toll.fates)


@pytest.mark.parametrize("seed", range(40))
def test_a_small_tree_that_is_killed_fast_leaves_nobody_either(seed):
    world, toll, late = virtual_time.run(lambda: killed(seed, clock=LoopClock(), killer=a_killer, start=12))
    assert toll.is_certain
    assert (world.alive, late) == ([], [])


def test_two_looks_without_a_pause_would_not_be_enough():
    def impatient(world):
        return Killer(world, world.census, clock=LoopClock(), pace=KillPace(quiet_seconds=0.0))

    def left_alive(seed):
        world, _, _ = virtual_time.run(lambda: killed(seed, clock=LoopClock(), killer=impatient, start=12))
        return bool(world.alive)

    assert any(map(left_alive, range(40)))


@pytest.mark.parametrize("seed", range(20))
def test_what_planners_have_pushed_reaches_agents_that_lists_show_a_minute_later(seed):
    made = partial(killed, clock=LoopClock(), killer=a_killer, start=12, made=PushedKillWorld)
    world, toll, late = virtual_time.run(lambda: made(seed))
    assert toll.is_certain
    assert (world.alive, late) == ([], [])


def test_lists_that_lag_so_long_would_not_be_enough():
    class ListsAlone(PushedKillWorld):
        reads_pushed = False

    def left_alive(seed):
        made = partial(killed, clock=LoopClock(), killer=a_killer, start=12, made=ListsAlone)
        world, _, _ = virtual_time.run(lambda: made(seed))
        return bool(world.alive)

    assert any(map(left_alive, range(20)))


@pytest.mark.slow
def test_a_thousand_agents_end_at_twenty_calls_of_a_kind_a_minute(capsys):
    made = partial(killed, clock=LoopClock(), killer=a_killer, start=1_000, made=SlowKillWorld)
    world, toll, late = virtual_time.run(lambda: made(1))
    figure = (
        f"{len(world.agents)} agents: {toll.looks} looks, {world.cancels} cancels taken, {world.refused} told to wait, "
        f"{world.gets} questions; {toll.seconds / 60:.0f} minutes; alive {len(world.alive)}, launched after it {len(late)}\n"
    )
    with capsys.disabled():
        sys.stdout.write(figure)
    assert toll.is_certain
    assert (world.alive, late) == ([], [])
    assert world.cancels <= toll.seconds / 3 + 20
