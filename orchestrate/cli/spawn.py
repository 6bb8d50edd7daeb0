"""``orchestrate spawn PLAN``: add a task to a run, beside the plan's file."""

import argparse
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from orchestrate.cli import output
from orchestrate.cli.asking import Asked, ask, asked_workspace
from orchestrate.cli.messages import count_of
from orchestrate.cli.plan_file import read_plan_file, sized
from orchestrate.cli.requesting import new_request_id, this_person
from orchestrate.cli.respawn import confirm
from orchestrate.cli.settings import Settings
from orchestrate.cli.wait import EXIT_HANDED_OFF, Looks, told, wait_until_over
from orchestrate.errors import InputRefused
from orchestrate.model.ad_hoc import AD_HOC, DEFINITION
from orchestrate.model.checking import check_plan
from orchestrate.model.inbox_requests import InboxAnswer, SpawnRequest
from orchestrate.model.names import TaskName
from orchestrate.model.plan_source import read_source
from orchestrate.model.vocabulary import TaskType
from orchestrate.system import SystemClock, run_event_loop
from orchestrate.text.terminal import escape_for_terminal

#: Options that are fields of the definition, each with its name there.
_TEXTS = {
    "name": "name",
    "type": "type",
    "goal": "scopedGoal",
    "brief": "brief",
    "verify": "verify",
    "verifies": "verifies",
    "model": "model",
    "starting_ref": "startingRef",
}
_LISTS = {
    "depends_on": "dependsOn",
    "paths_allowed": "pathsAllowed",
    "paths_forbidden": "pathsForbidden",
    "acceptance": "acceptance",
}
_STDIN = "-"
_FILE = "name a file with the task as plan.json would have it, or - for stdin"


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("plan", metavar="PLAN", nargs="?", help="plan.json or its folder")
    parser.add_argument("--file", metavar="FILE", help="the task as plan.json would have it; - for stdin")
    parser.add_argument("--name", help="its name: lower-case words joined by hyphens")
    parser.add_argument("--goal", metavar="TEXT", help="what is to be true when it is done")
    parser.add_argument("--type", choices=[kind.value for kind in TaskType], help="what kind of task (default: worker)")
    parser.add_argument("--brief", metavar="TEXT", help="Markdown that the prompt carries as it is")
    parser.add_argument("--depends-on", metavar="TASK", action="append", help="wait for this task; may be repeated")
    parser.add_argument("--starting-ref", metavar="REF", help="branch that it starts from (default: the plan's base)")
    parser.add_argument("--verifies", metavar="TASK", help="the task that a verifier checks")
    parser.add_argument("--verify", metavar="TEXT", help="how its result is checked")
    parser.add_argument("--acceptance", metavar="TEXT", action="append", help="when it counts as done; may be repeated")
    parser.add_argument("--paths-allowed", metavar="GLOB", action="append", help="what it may change; may be repeated")
    parser.add_argument(
        "--paths-forbidden", metavar="GLOB", action="append", help="what it leaves alone; may be repeated"
    )
    parser.add_argument("--model", metavar="ID", help="model of its agent")
    parser.add_argument("--wait", action="store_true", help="come back when it has handed off, or will not")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Check the task as one of the plan, add it, and wait for it if that is asked for."""
    asked = asked_workspace(args.plan)
    definition = _definition(args)
    name = _checked(asked, definition)
    confirm(f"Launch {name}?", args, settings)
    answer = ask(asked, SpawnRequest(new_request_id(), this_person(), definition=definition), settings)
    if not args.json:
        _tell(asked, answer, name)
    code = _waited(args, asked, name, settings) if args.wait else EXIT_HANDED_OFF
    if args.json:
        fields = {**answer.details, "requestId": answer.id, "engineRunning": asked.holder() is not None}
        output.put_json(output.success("spawn", **fields, **({"exitCode": code} if args.wait else {})))
    return code


def _definition(args: argparse.Namespace) -> dict[str, object]:
    """The task from its file, with what options say on top."""
    found = {} if args.file is None else _from_file(args.file)
    found |= {name: value for option, name in _TEXTS.items() if (value := getattr(args, option)) is not None}
    found |= {name: value for option, name in _LISTS.items() if (value := getattr(args, option)) is not None}
    return {"type": TaskType.WORKER.value, **found}


def _from_file(name: str) -> dict[str, object]:
    source = sized(sys.stdin.buffer.read(), Path("stdin")) if name == _STDIN else read_plan_file(Path(name), hint=_FILE)
    reading = read_source(source)
    problems = [problem.message for problem in reading.problems]
    if problems or not isinstance(reading.value, dict):
        raise InputRefused(
            f"--file {name}: it is no task. Nothing was launched.",
            known=problems or ["a task is a JSON object"],
            hint="write it as an entry of tasks in plan.json",
        )
    return dict(reading.value)


def _checked(asked: Asked, definition: Mapping[str, object]) -> TaskName:
    """The name of the task, which would be good in the plan; InputRefused with every fault."""
    document = read_source(read_plan_file(asked.location.path)).value
    assert isinstance(document, dict), "the plan was read before"
    others = [row.extra[DEFINITION] for row in asked.rows.values() if row.extra.get(AD_HOC) and DEFINITION in row.extra]
    tasks = [*document["tasks"], *others, dict(definition)]
    place = f"tasks[{len(tasks) - 1}]"
    faults = check_plan({**document, "tasks": tasks}, local=True)
    mine = [f"{each.path.removeprefix(place).lstrip('.') or 'task'}: {each.message}" for each in faults]
    if mine:
        words = f"the task has {count_of(len(mine), 'fault')}. Nothing was launched."
        raise InputRefused(words, known=mine, hint="orchestrate schema plan shows what a task may hold")
    return TaskName(str(definition["name"]))


def _tell(asked: Asked, answer: InboxAnswer, name: TaskName) -> None:
    if asked.holder() is None:
        when = f"it starts with: orchestrate run {asked.location.argument}"
    else:
        when = "it starts now" if answer.details.get("ready") else "it starts when what it waits for has handed off"
    output.put([escape_for_terminal(f"{name} is of the run; {when}")])


def _waited(args: argparse.Namespace, asked: Asked, name: TaskName, settings: Settings) -> int:
    look, clock = Looks(asked.location, SystemClock()), SystemClock()
    waited = run_event_loop(partial(wait_until_over, look, task=name, timeout_seconds=None, clock=clock))
    if not args.json:
        output.say(told(waited, task=name, location=asked.location, program=settings.program))
    return waited.exit_code
