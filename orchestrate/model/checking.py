"""Checking a plan: every fault at once, each with its path and, for text, its line.

Three passes add to one list: reading (JSON itself), the model (each field), the rules between tasks. Only a source
that is no JSON ends the check early. Warnings are looked for in plans without faults.
"""

from collections.abc import Iterable, Mapping

from pydantic import ValidationError

from orchestrate.errors import PlanRefused
from orchestrate.model.faults import Fault, Location, Problem, path_of
from orchestrate.model.plan import Plan
from orchestrate.model.plan_faults import kind_of, problems_of
from orchestrate.model.plan_outline import outline_of
from orchestrate.model.plan_positions import Lines, offsets_of
from orchestrate.model.plan_rules import broken_rules
from orchestrate.model.plan_source import Reading, read_source
from orchestrate.model.plan_warnings import warnings_of


def check_plan(source: str | bytes | Mapping[str, object], *, local: bool | None = None) -> list[Fault]:
    """Every fault of the plan, in the order of the document; empty when it is good. Bad input never raises.

    ``local`` says whether agents run on this machine; None leaves that to the plan's own runtime.
    """
    _, faults, _ = _examined(source, local=local)
    return faults


def parse_plan(source: str | bytes | Mapping[str, object], *, local: bool | None = None) -> tuple[Plan, list[Fault]]:
    """The plan and what to warn of; PlanRefused with every fault if there is one."""
    plan, faults, reading = _examined(source, local=local)
    if plan is None or faults:
        raise PlanRefused(_refusal(len(faults)), faults=faults)
    return plan, _to_faults(warnings_of(plan, reading), reading)


def _examined(
    source: str | bytes | Mapping[str, object], *, local: bool | None
) -> tuple[Plan | None, list[Fault], Reading]:
    reading = read_source(source)
    plan, problems = _modelled(reading)
    rules = broken_rules(outline_of(reading.value), local=local)
    return plan, _to_faults((*reading.problems, *problems, *rules), reading), reading


def _modelled(reading: Reading) -> tuple[Plan | None, list[Problem]]:
    if isinstance(reading.value, dict):
        try:
            return Plan.model_validate(reading.value), []
        except ValidationError as error:
            return None, list(problems_of(error, value=reading.value))
    if reading.problems:
        return None, []
    return None, [Problem((), f"a plan is an object, not {kind_of(reading.value)}")]


def _refusal(count: int) -> str:
    return f"the plan has {count} {'fault' if count == 1 else 'faults'}"


def _to_faults(problems: Iterable[Problem], reading: Reading) -> list[Fault]:
    """Problems in words, in the order of the document where there is one; twice the same is once."""
    listed = list(dict.fromkeys(problems))
    if reading.text is None or not listed:
        return [Fault(path_of(problem.location), problem.message) for problem in listed]
    lines = Lines(reading.text)
    offsets = _offsets(listed, reading)
    listed.sort(key=lambda problem: offsets[problem.location, problem.offset])
    return [
        Fault(path_of(problem.location), problem.message, lines.at(offsets[problem.location, problem.offset]))
        for problem in listed
    ]


def _offsets(problems: Iterable[Problem], reading: Reading) -> dict[tuple[Location, int | None], int]:
    assert reading.text is not None
    found: dict[tuple[Location, int | None], int] = {}
    wanted = []
    for problem in problems:
        if problem.offset is None:
            wanted.append(problem.location)
        else:
            found[problem.location, problem.offset] = problem.offset
    if wanted:
        found.update(((location, None), offset) for location, offset in offsets_of(reading.text, wanted).items())
    return found
