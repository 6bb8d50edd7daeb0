"""Two engines are started at once in one workspace: exactly one runs, the other leaves with 2 and says why.

Run: ``python benchmarks/two_engines.py [--rounds 100]``. Ends with 1 if a round was otherwise, or a task had two agents.
"""

import argparse
import os
import sys

from children import Bench, a_task, bench, end_of, fork

from orchestrate.cli.main import main as command_line


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100)
    rounds = parser.parse_args().rounds
    with bench() as own:
        wrong = [words for number in range(rounds) if (words := one_round(own, number))]
        wrong += [f"{count} agents for {key}" for key, count in own.agents().items() if count > 1]
    for line in wrong[:20]:
        print(line, file=sys.stderr)
    print(f"{rounds} rounds of two engines at once, {len(wrong)} otherwise than: one ran, one left with 2 and said why")
    return 1 if wrong else 0


def one_round(own: Bench, number: int) -> str | None:
    """What was wrong; None where one ran and the other was refused."""
    path = own.workspace(f"round-{number}", [a_task("a", seconds=1.0), a_task("b", seconds=0.2)])
    gate, opener = os.pipe()

    def live() -> int:
        os.close(opener)
        os.read(gate, 1)
        return command_line(["run", str(path), "--plain", "--yes"])

    said = [path.with_name(f"stderr-{place}") for place in range(2)]
    children = [fork(live, stderr=each) for each in said]
    os.close(opener)
    os.close(gate)
    ends = dict(zip((end_of(pid) for pid in children), said, strict=True))
    if sorted(ends) != [0, 2]:
        return f"round {number}: ended with {sorted(ends)}"
    words = ends[2].read_text()
    return None if "an engine already runs this workspace" in words else f"round {number}: said {words!r}"


if __name__ == "__main__":
    raise SystemExit(main())
