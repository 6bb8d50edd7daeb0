"""``orchestrate run PLAN``: run a plan, or go on with one."""

import argparse
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path

import anyio
import orjson

from orchestrate.cli import numbers, output
from orchestrate.cli.confirming import ask, is_somebody_there
from orchestrate.cli.examination import prepared_or_refused
from orchestrate.cli.leaving import let_go_of_lost_readers, obey_signals, signals_interrupt
from orchestrate.cli.live import ShownSurface, make_surface
from orchestrate.cli.locating import locate
from orchestrate.cli.messages import count_of, fault_lines, message_lines
from orchestrate.cli.running import Outcome, Prepared, Request, run_prepared
from orchestrate.cli.settings import Settings
from orchestrate.cli.surroundings import environment_of
from orchestrate.cli.writing import Writer
from orchestrate.core.budgets import bound_ahead, money_of, what_to_raise, why_held
from orchestrate.core.operating import EXIT_BLOCKED, EXIT_CHECKPOINT, EXIT_DONE, EXIT_INTERRUPTED
from orchestrate.engine.assembly import Engine
from orchestrate.model.row_format import encode_row
from orchestrate.model.vocabulary import RuntimeKind, TaskStatus
from orchestrate.system import SystemClock, run_event_loop
from orchestrate.text.terminal import escape_for_terminal

_BAD = (TaskStatus.ERROR, TaskStatus.CANCELLED)
_SETTLED = (TaskStatus.HANDED_OFF, TaskStatus.PRUNED)
_NO_ROOT = "--root: the plan is no root plan: it has andonStateRef or andonStatePath. It runs all the same."
_BLOCKED = {
    "code": "capacity_reached",
    "message": "no agent of this planner is alive, and for 10 minutes the service has taken none",
    "retryable": True,
    "recoveryAction": "hand off blocked, since this planner holds a slot itself; call again later to go on",
}
_INTERRUPTED = {
    "code": "interrupted",
    "message": "interrupted; agents were left running",
    "retryable": True,
    "recoveryAction": "call again to go on",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("plan", metavar="PLAN", nargs="?", help="plan.json or its folder")
    parser.add_argument("--runtime", choices=[kind.value for kind in RuntimeKind], help="where agents run")
    parser.add_argument("--max-concurrent", metavar="N", type=numbers.count, help="agents that run at the same time")
    parser.add_argument(
        "--max-runtime-sec", metavar="N", type=numbers.seconds, help="leave after so many seconds with exit code 100"
    )
    parser.add_argument(
        "--exit-on-all-done", action="store_true", help="after an error go on until nothing is left to do"
    )
    parser.add_argument(
        "--root", action="store_true", help="no plan stands above this one; warn if it names the andon of another"
    )
    parser.add_argument(
        "--no-archive", action="store_true", help="archive no agent of a finished task, also where the service is full"
    )
    parser.add_argument("--revive", action="store_true", help="go on with a plan that kill has stopped")
    parser.add_argument(
        "--andon-strict", action="store_true", help="launch nothing while the andon of the tree cannot be read"
    )
    parser.add_argument("--templates", metavar="DIR", type=Path, help="prompt templates that replace the shipped ones")
    parser.add_argument("--agent-command", metavar="CMD", help="program that is an agent of the local runtime")
    parser.add_argument(
        "--measure", action="store_true", help="take measurements on this machine also without a sandbox"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object at the end")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Run the plan; answers the exit code."""
    try:
        with signals_interrupt():
            return _ran(args, settings)
    except KeyboardInterrupt:
        _tell_interrupted(is_json=args.json)
        return EXIT_INTERRUPTED
    finally:
        let_go_of_lost_readers()


def _ran(args: argparse.Namespace, settings: Settings) -> int:
    request = _request(args)
    environment = environment_of(settings)
    if args.dry_run:
        from orchestrate.cli.dry_run import dry_run

        return dry_run(args, settings, request=request, environment=environment, location=locate(args.plan))
    prepared = prepared_or_refused(request, environment)
    terminal = _Terminal(args, settings)
    terminal.announce(prepared)
    terminal.confirm(prepared)
    try:
        outcome = run_event_loop(partial(run_prepared, prepared, request, environment, terminal))
    finally:
        terminal.close()
    terminal.finish(outcome)
    return outcome.exit_code


class _Terminal:
    """The audience at a terminal, a pipe or a log."""

    def __init__(self, args: argparse.Namespace, settings: Settings) -> None:
        self._args = args
        self._settings = settings
        self._surface: ShownSurface | None = None

    def announce(self, prepared: Prepared) -> None:
        """Where agents will run and why, and what the plan is warned of."""
        if not self._args.quiet:
            _tell([f"runtime: {prepared.runtime.kind} ({prepared.runtime.origin})"])
        path = str(locate(self._args.plan).path)
        _tell(line for warning in prepared.warnings for line in fault_lines("attention", warning, plan_path=path))
        if self._args.root and not prepared.plan.is_root:
            _tell(message_lines("attention", _NO_ROOT, do="take these fields out of the plan, or leave out --root"))

    def confirm(self, prepared: Prepared) -> None:
        """Ask once where a person is; without a terminal the call itself is the order."""
        if not self._args.yes and is_somebody_there(self._settings):
            tasks = count_of(len(prepared.plan.tasks), "task")
            ask(f"Run {tasks} with the {prepared.runtime.kind} runtime?", not_done="Nothing was launched.")

    def on_warning(self, message: str) -> None:
        """A warning is shown, and the run goes on."""
        told = f"attention: {escape_for_terminal(message)}"
        if self._surface is None:
            _tell([told])
        else:
            self._surface.say(told)

    def on_note(self, message: str) -> None:
        """A note is shown unless the reader wants quiet."""
        if not self._args.quiet:
            _tell([f"note: {escape_for_terminal(message)}."])

    def close(self) -> None:
        """Leave nothing on the screen that moves."""
        if self._surface is not None:
            self._surface.close()

    def surface(self, prepared: Prepared) -> ShownSurface:
        """The live block, or plain lines."""
        self._surface = make_surface(self._settings, self._args, plan=prepared.plan, clock=SystemClock())
        return self._surface

    async def attend(self, engine: Engine) -> None:
        """Redraw, and listen to signals."""
        async with anyio.create_task_group() as tasks:
            if self._surface is not None:
                tasks.start_soon(self._surface.keep_drawing)
            tasks.start_soon(obey_signals, engine)

    def finish(self, outcome: Outcome) -> None:
        """The summary for people, and the one object for programs."""
        if self._surface is not None:
            self._surface.finish(outcome.state, outcome.exit_code)
        if self._args.json:
            _put(json_of(outcome))


def json_of(outcome: Outcome) -> bytes:
    """The run's one JSON object, with its end of line."""
    return orjson.dumps(_document(outcome), option=orjson.OPT_APPEND_NEWLINE)


def _document(outcome: Outcome) -> dict[str, object]:
    state, exit_code = outcome.state, outcome.exit_code
    settled = exit_code in (EXIT_DONE, EXIT_CHECKPOINT)
    document: dict[str, object] = {
        "ok": settled,
        "operation": "run",
        "exitCode": exit_code,
        "rootSlug": state.workspace.root_slug,
        "workspaceId": state.workspace.workspace_id,
        "counts": {status.value: state.counts.get(status, 0) for status in TaskStatus},
        "money": money_of(state).document(),
        "tasks": [orjson.Fragment(encode_row(row)) for row in outcome.rows],
    }
    return document if settled else {**document, "error": _error_of(outcome)}


def _error_of(outcome: Outcome) -> dict[str, object]:
    """Why the run is not done, in the words of the JSON contract."""
    if outcome.exit_code == EXIT_INTERRUPTED:
        return _INTERRUPTED
    if outcome.exit_code == EXIT_BLOCKED:
        return _BLOCKED
    bound = bound_ahead(outcome.state)
    if bound is not None and not any(row.status in _BAD for row in outcome.rows):
        message, action = why_held(outcome.state, bound), f"{what_to_raise(outcome.state, bound)} Then call run again"
        return {"code": "limit_reached", "message": message, "retryable": False, "recoveryAction": action}
    open_tasks = [row.name for row in outcome.rows if row.status not in _SETTLED]
    return {
        "code": "needs_planner",
        "message": f"not handed off: {', '.join(open_tasks)}",
        "retryable": False,
        "recoveryAction": "read the notes and postmortems of these tasks, change the plan, then call again",
    }


def _tell_interrupted(*, is_json: bool) -> None:
    """Interrupted before there was a run, or twice: nobody waits for a summary."""
    if is_json:
        document = {"ok": False, "operation": "run", "exitCode": EXIT_INTERRUPTED, "error": _INTERRUPTED}
        _put(orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE))
    else:
        _tell(message_lines("note", "interrupted; agents that were launched go on."))


def _tell(lines: Iterable[str]) -> None:
    """Lines for whoever listens; a run goes on when nobody does."""
    Writer(sys.stderr).write("".join(f"{line}\n" for line in lines))


def _put(document: bytes) -> None:
    """The object for whoever reads it; the run's exit code stands when nobody does."""
    with suppress(BrokenPipeError):
        output.put_bytes(document)


def _request(args: argparse.Namespace) -> Request:
    return Request(
        plan_path=locate(args.plan).path,
        runtime=args.runtime,
        max_concurrent=args.max_concurrent,
        max_runtime_seconds=args.max_runtime_sec,
        drain=args.exit_on_all_done,
        archive=not args.no_archive,
        templates_folder=args.templates,
        agent_command=args.agent_command,
        revive=args.revive,
        measures=args.measure,
        andon_strict=args.andon_strict,
    )
