"""The seeded world: every seed keeps the rules and comes to its end. More seeds: ``python -m tests.simulation.run``."""

import json
from collections import Counter
from pathlib import Path

import pytest

from orchestrate.core.events import Event
from tests.support.world import MOST_CRASHES, World

pytestmark = pytest.mark.slow

_SEEDS = 2000
_CHUNK = 50
_CORPUS = json.loads((Path(__file__).parent / "corpus" / "seeds.json").read_text())


@pytest.mark.parametrize("first", range(0, _SEEDS, _CHUNK))
def test_every_seed_keeps_the_rules_and_ends(first):
    for seed in range(first, first + _CHUNK):
        outcome = World(seed).run()
        assert outcome.crashes <= MOST_CRASHES


@pytest.mark.parametrize("entry", _CORPUS, ids=lambda entry: str(entry["seed"]))
def test_a_seed_that_once_failed_holds(entry):
    World(entry["seed"]).run()


#: Events of other processes and of the background; ``test_requests`` and ``test_steering`` have them, with a death at
#: every place.
OF_OTHERS = {
    "AcceptRequested",
    "AcceptanceWritten",
    "RequestUnmet",
    "FileSetAside",
    "PathsChecked",
    "NamesakesSeen",
}


def test_a_seed_is_the_same_story_every_time():
    one, other = World(7), World(7)
    assert one.run() == other.run()
    assert one.story() == other.story()


def test_the_seeds_meet_every_event_and_die_at_every_place():
    told: Counter[str] = Counter()
    places: Counter[object] = Counter()
    for seed in range(150):
        world = World(seed)
        world.run()
        told.update(type(what).__name__ for word, what in world.moments() if word == "told")
        places.update(what for word, what in world.moments() if word == "crash")
    assert {kind.__name__ for kind in Event.__subclasses__()} - OF_OTHERS <= set(told)
    assert set(places) == {
        "before the sync",
        "after the sync, before the effects",
        "between two effects",
        "before the request is written",
        "after the request is written, before its record is safe",
        "after the request is written, before it is sent",
        "after the request is sent",
        "before the reply is saved",
        "before a request is answered",
        "after a request is answered",
        "before a message is sent",
        "after a message is sent",
    }
