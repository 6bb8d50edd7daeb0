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

from orchestrate.errors import MeasurementError

if TYPE_CHECKING:
    from orchestrate.cli.running import Outcome
    from orchestrate.model.comparison import Comparison
    from orchestrate.model.faults import Fault
    from orchestrate.model.handoff import Handoff
    from orchestrate.model.plan import Plan

__all__ = [
    "MeasurementError",
    "check_plan",
    "classify_failure",
    "compare_measurement",
    "extract_measurement",
    "load_plan",
    "parse_handoff",
    "redact",
    "run_plan",
]


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


def classify_failure(
    *,
    error: object = None,
    output: str | None = None,
    duration_ms: float | None = None,
    code: str | int | None = None,
    run_status: str | None = None,
) -> str:
    """Why a run went wrong: ``cap-hit``, ``oom``, ``tool-error``, ``network-drop`` or ``unknown``.

    From evidence: the run's status, the error's code, a length near the cap of 75 minutes, exit status and signal, then
    the words of ``error``, which are the service's. ``output`` is what the agent wrote: only a failure mode that it
    states as a handoff does counts, and only where nothing else speaks.
    """
    from orchestrate.text import failures

    return str(
        failures.classified(error=error, output=output, duration_ms=duration_ms, code=code, run_status=run_status)
    )


def extract_measurement(parser: Mapping[str, object] | None, stdout: str) -> str:
    """The value in what a measurement's command printed; ``parser`` is as in ``plan.json``, None counts lines.

    Raises ``MeasurementError`` where there is none, and for a pattern or flags that cannot be used.
    """
    from orchestrate.text import measurement_inputs, measurements

    return measurements.extracted(measurement_inputs.parser_of(parser), stdout)


def compare_measurement(
    spec: Mapping[str, object], measured: str | float | None, claim: Mapping[str, object] | None
) -> "Comparison":
    """What became of a claim: ``.outcome``, ``.drift`` (a part of the claimed value, or None), ``.detail``.

    ``spec`` is a measurement of ``plan.json``, ``claim`` has ``name``, ``before``, ``op`` and ``after``; ``measured`` is
    None where no command ran.
    """
    from orchestrate.text import comparing, measurement_inputs

    name, tolerance = measurement_inputs.name_and_tolerance_of(spec)
    return comparing.compared(
        name=name,
        tolerance=tolerance,
        measured=measurement_inputs.value_of(measured),
        claim=measurement_inputs.claim_of(claim),
    )


def redact(text: str, *, secrets: Sequence[str] = ()) -> str:
    """The text without these secrets, and without what has the shape of one."""
    from orchestrate.text.redaction import Redactor

    return Redactor(secrets).redact(text)


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
