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
    from orchestrate.model.faults import Fault
    from orchestrate.model.handoff import Handoff
    from orchestrate.model.plan import Plan

__all__ = ["check_plan", "load_plan", "parse_handoff"]


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
