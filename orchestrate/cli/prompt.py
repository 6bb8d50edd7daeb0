"""``orchestrate prompt PLAN TASK``: what the task's agent was told, or would be told now."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from orchestrate.cli import numbers, output
from orchestrate.cli.locating import PlanLocation, locate
from orchestrate.cli.messages import message_lines
from orchestrate.cli.plan_file import read_plan_file
from orchestrate.cli.safe_errors import redactor_of
from orchestrate.cli.settings import Settings
from orchestrate.cli.task_argument import known_task
from orchestrate.errors import InputRefused
from orchestrate.model.names import TaskName
from orchestrate.model.rows import TaskRow
from orchestrate.store.attempts import REQUESTS
from orchestrate.store.loading import LoadedState, read_workspace, workspace_folder
from orchestrate.text.redaction import REDACTED, Redactor


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("plan", metavar="PLAN", help="plan.json or its folder; . where the folder has one plan")
    parser.add_argument("task", metavar="TASK", help="name of the task")
    parser.add_argument("--attempt", metavar="N", type=numbers.count, help="what this try was told, from 1")
    parser.add_argument("--templates", metavar="DIR", type=Path, help="prompt templates that replace the shipped ones")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print the prompt that was sent, else the one that would be."""
    location = locate(args.plan, needs_plan=False)
    loaded = read_workspace(location.folder)
    row = loaded.rows.get(TaskName(args.task))
    sent = None if row is None else _sent(row, location, attempt=args.attempt)
    if sent is None and args.attempt is not None:
        known_task(args.task, loaded.rows, plan=location.argument)
        raise InputRefused(
            f"the request of try {args.attempt} of {args.task} is not on file.", hint="leave out --attempt"
        )
    redactor = redactor_of(settings.environ)
    text, notes = (sent, []) if sent is not None else _rendered(args, settings, location, loaded, redactor)
    shown = redactor.redact(text)
    if shown != text:
        notes = [*notes, f"what is secret in this prompt is shown as {REDACTED}; the agent is told it as it is"]
    if not args.quiet:
        output.say(line for note in notes for line in message_lines("note", note))
    _print(shown, settings)
    return 0


def _print(text: str, settings: Settings) -> None:
    if not settings.streams.stdout_is_terminal:
        output.put_bytes(text.encode(errors="replace"))
        return
    from orchestrate.text.terminal import escape_for_terminal

    output.put([escape_for_terminal(text, keep_newlines=True).rstrip("\n")])


def _sent(row: TaskRow, location: PlanLocation, *, attempt: int | None) -> str | None:
    """The prompt in the request on file; None where nothing was sent, or not by us."""
    number = attempt or (row.launch.attempt if row.launch is not None else row.attempts)
    data = workspace_folder(location.folder).below(REQUESTS).read(f"{row.name}.{number}.json")
    if data is None:
        return None
    import orjson

    try:
        text = orjson.loads(data)["prompt"]["text"]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        text = None
    if not isinstance(text, str):
        raise InputRefused(f"{location.shown(f'{REQUESTS}/{row.name}.{number}.json')} is no request of ours.")
    return text


def _rendered(
    args: argparse.Namespace, settings: Settings, location: PlanLocation, loaded: LoadedState, redactor: Redactor
) -> tuple[str, list[str]]:
    """The prompt of a launch at this moment, and what will still change in it."""
    from orchestrate.cli.rendering import PromptRenderer
    from orchestrate.cli.template_files import load_templates
    from orchestrate.engine.requests import RequestOptions
    from orchestrate.model.checking import parse_plan
    from orchestrate.text.prompts import DEFAULT_INSTALL

    plan, _ = parse_plan(read_plan_file(location.path))
    name = known_task(args.task, [task.name for task in plan.tasks], plan=location.argument)
    options = RequestOptions(
        repo_url=plan.repo_url, depth=settings.agent_depth, install=settings.install or DEFAULT_INSTALL
    )
    renderer = PromptRenderer(
        plan,
        loaded=loaded,
        folder=location.folder,
        templates=load_templates(args.templates),
        options=options,
        redactor=redactor,
    )
    return renderer.prompt(name), _notes(plan.task(name).depends_on, loaded.rows, is_new=not loaded.rows)


def _notes(dependencies: Sequence[TaskName], rows: Mapping[TaskName, TaskRow], *, is_new: bool) -> list[str]:
    missing = [name for name in dependencies if name not in rows or rows[name].handoff_path is None]
    notes = []
    if missing:
        notes.append(f"not handed off yet, so not in this prompt: {', '.join(missing)}")
    if is_new:
        notes.append("never run: the agent id in this prompt is not the one that the launch will have")
    return notes
