"""A budget under crashes: 100 tasks whose costs are known 30 s late, and three kill -9; never over the budget.

Run: ``python benchmarks/budget.py [--tasks 100] [--late 30]``. Each agent costs 20 cents and a launch sets aside 50 until
a cost is known; the budget is what all tasks cost together, so it is used up to the last cent. What is spent and set
aside is read from every record of the journal. Ends with 1 if it was ever over the budget, or a task was left.
"""

import argparse
import os
import signal
import sys
import time
from pathlib import Path

from children import KILLED, a_task, bench, end_of, fork, journal_of, run_engine, state_of

from orchestrate.cloud.client import CloudClient
from orchestrate.model.names import AgentId
from orchestrate.model.timestamps import epoch_seconds
from orchestrate.model.wire import AgentUsage

CENTS, RESERVE = 20, 50
#: When engines are killed, in parts of the lateness.
_KILLS = (0.1, 0.5, 1.05)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=100)
    parser.add_argument("--late", type=float, default=30.0, help="seconds from the end of a run to its cost")
    arguments = parser.parse_args()
    budget = arguments.tasks * CENTS
    with bench() as own:
        limits = {"budgetCents": budget, "reserveCents": RESERVE, "maxConcurrent": arguments.tasks}
        tasks = [a_task(f"t{number}", seconds=1.0, cents=CENTS) for number in range(arguments.tasks)]
        path = own.workspace("budget", tasks, limits=limits)
        began = time.perf_counter()
        kills = sum(lived(path, late=arguments.late, until=began + part * arguments.late) == KILLED for part in _KILLS)
        code = end_of(fork(lambda: late_engine(path, arguments.late)))
        seconds = time.perf_counter() - began
        time.sleep(arguments.late)
        again = end_of(fork(lambda: late_engine(path, arguments.late)))  # only asks what the last costs were
        most, doubled = most_committed(path), [key for key, count in own.agents().items() if count > 1]
        spent = state_of(path)["spent"]["cents"]
    print(
        f"{arguments.tasks} tasks, costs {arguments.late:g} s late, {kills} engines killed: exit {code} after"
        f" {seconds:.0f} s; at most {most:g} of {budget} cents spent or set aside, {spent:g} spent, {len(doubled)} doubled"
    )
    is_good = (code, again) == (0, 0) and most <= budget and spent == budget and not doubled and kills == len(_KILLS)
    return 0 if is_good else 1


def lived(path: Path, *, late: float, until: float) -> int:
    """An engine that is killed at that moment; its end."""
    pid = fork(lambda: late_engine(path, late))
    time.sleep(max(0.0, until - time.perf_counter()))
    os.kill(pid, signal.SIGKILL)
    return end_of(pid)


def late_engine(path: Path, late: float) -> int:
    """Run the plan against a service that tells a cost only so long after the end of the run."""
    usage = CloudClient.usage

    async def late_usage(self: CloudClient, agent_id: AgentId) -> AgentUsage:
        run = await self.first_run(agent_id)
        ended = epoch_seconds(run.updated_at) if run is not None and run.status.is_terminal else None
        is_known = ended is not None and time.time() >= ended + late
        return await usage(self, agent_id) if is_known else AgentUsage()

    CloudClient.usage = late_usage  # type: ignore[method-assign,assignment]  # in this child only
    return run_engine(path)


def most_committed(path: Path) -> float:
    """The most that was spent and set aside after any record of the journal."""
    spent, most = 0.0, 0.0
    reserved: dict[str, float] = {}
    for record in journal_of(path):
        spent = record.get("workspace", {}).get("spent", {}).get("cents", spent)
        for row in record["rows"]:
            charges = row.get("usage", {}).get("attempts", [])
            reserved[row["name"]] = sum(each["reservedCents"] for each in charges if "cents" not in each)
        most = max(most, spent + sum(reserved.values()))
    return most


if __name__ == "__main__":
    sys.exit(main())
