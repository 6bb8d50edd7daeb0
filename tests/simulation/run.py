"""Run many seeds of the world: ``python -m tests.simulation.run --seeds 20000``; ``--seed 7`` tells one seed's story."""

import argparse
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from itertools import islice

from tests.support.world import World, WorldBroken

_CHUNK = 100


def main(arguments: list[str] | None = None) -> int:
    """0 when every seed held, else 1 after the stories of those that did not."""
    parser = argparse.ArgumentParser(description="Run seeds of the simulated world.")
    parser.add_argument("--seeds", type=int, default=2000, help="how many seeds (2000)")
    parser.add_argument("--first", type=int, default=0, help="the first of them (0)")
    parser.add_argument("--seed", type=int, help="tell the story of this seed, whether it holds or not")
    parser.add_argument("--jobs", type=int, default=1, help="processes that share the work (1)")
    options = parser.parse_args(arguments)
    if options.seed is not None:
        return _tell(options.seed)
    return _run(range(options.first, options.first + options.seeds), jobs=options.jobs)


def _tell(seed: int) -> int:
    world = World(seed)
    try:
        outcome = world.run()
    except WorldBroken as broken:
        _say(str(broken))
        return 1
    _say(world.story(), str(outcome))
    return 0


def _run(seeds: range, *, jobs: int) -> int:
    chunks = [seeds[place : place + _CHUNK] for place in range(0, len(seeds), _CHUNK)]
    with ProcessPoolExecutor(jobs) as pool:
        broken = [story for stories in pool.map(_stories, chunks) for story in stories]
    _say(*islice(broken, 5), f"{len(seeds)} seeds, {len(broken)} broken")
    return 1 if broken else 0


def _stories(seeds: Iterable[int]) -> list[str]:
    """The stories of the seeds that broke a rule."""
    stories = []
    for seed in seeds:
        try:
            World(seed).run()
        except WorldBroken as broken:
            stories.append(str(broken))
    return stories


def _say(*lines: str) -> None:
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    raise SystemExit(main())
