"""Orchestrate from Python: load and check plans, read handoffs, run.

Importing this module is cheap; what a function needs is imported when it is called. Errors are those of
``orchestrate.errors``, messages included.

::

    from orchestrate import api

    for fault in api.check_plan(Path("plan.json").read_bytes()):
        print(fault.line, fault.path, fault.message)
"""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orchestrate.cli.running import Outcome
    from orchestrate.model.faults import Fault
    from orchestrate.model.handoff import Handoff
    from orchestrate.model.plan import Plan

__all__ = ["check_plan", "load_plan", "parse_handoff", "run_plan"]


def load_plan(path: str | PathLike[str]) -> "Plan":
    """The plan in a file, or in the folder that holds one.

    Raises ``PlanRefused`` with every fault in ``.faults``, and ``InputRefused`` for a file that cannot be read.
    """
    from orchestrate.cli.locating import locate
    from orchestrate.cli.plan_file import read_plan_file
    from orchestrate.model.checking import parse_plan

    plan, _ = parse_plan(read_plan_file(locate(str(path)).path))
    return plan


def check_plan(source: str | bytes | Mapping[str, object]) -> "list[Fault]":
    """Every fault of a plan, in the order of the document; an empty list says that it is good.

    ``source`` is JSON text, its bytes, or the object that it stands for. A fault has ``.path``
    (``tasks[3].dependsOn[0]``), ``.message`` and, for text, ``.line``. Bad input never raises.
    """
    from orchestrate.model import checking

    return checking.check_plan(source)


def parse_handoff(
    text: str,
    *,
    task_type: str = "worker",
    run_branches: Sequence[str] = (),
    placeholder: str | None = None,
    repo_url: str | None = None,
) -> "Handoff":
    """The values in an agent's last message; what is not clear is None, with a sentence in ``.notes``. Never raises.

    ``run_branches`` are the branches that the run reports: the first counts where the message names none, or only
    repeats ``placeholder``. Without ``repo_url`` no pull request is known to be of this repository.
    """
    from orchestrate.text import handoffs

    return handoffs.parse_handoff(
        text, task_type=task_type, run_branches=run_branches, placeholder=placeholder, repo_url=repo_url
    )


async def run_plan(
    path: str | PathLike[str],
    *,
    runtime: str | None = None,
    max_concurrent: int | None = None,
    max_runtime_sec: float | None = None,
    exit_on_all_done: bool = False,
    templates: str | PathLike[str] | None = None,
    agent_command: str | None = None,
) -> "Outcome":
    """Run a plan, or go on with it, as ``orchestrate run`` does: the same rules, and nobody is asked.

    The answer has ``.exit_code`` (0, 1 or 100, as the verb's) and ``.rows``, a row for each task. Raises
    ``PlanRefused`` and ``InputRefused`` before anything was launched, and ``StorageFailed`` when the workspace cannot
    be written. Cancelling it leaves agents running; the next call goes on with them.
    """
    from orchestrate.cli.unattended import run_unattended

    return await run_unattended(
        str(path),
        runtime=runtime,
        max_concurrent=max_concurrent,
        max_runtime_seconds=max_runtime_sec,
        exit_on_all_done=exit_on_all_done,
        templates=None if templates is None else str(templates),
        agent_command=agent_command,
    )
