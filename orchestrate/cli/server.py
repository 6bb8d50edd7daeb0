"""``orchestrate server``: the server for agents on this machine, one for each user."""

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrate.cli import numbers, output
from orchestrate.cli.messages import count_of
from orchestrate.cli.settings import Settings
from orchestrate.errors import InputRefused

if TYPE_CHECKING:
    from orchestrate.model.wire import LocalAgent
    from orchestrate.server.serve import ServerStatus

_ACTIONS = ("start", "stop", "status", "serve")


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("action", choices=_ACTIONS, help="what to do with it; serve stays in the foreground")
    parser.add_argument(
        "--port", metavar="N", type=numbers.port, default=0, help="port of 127.0.0.1 (default: any free one)"
    )
    parser.add_argument(
        "--idle-seconds", metavar="N", type=numbers.seconds, help="end after so long without an agent or a call (1800)"
    )
    parser.add_argument(
        "--state-dir", metavar="DIR", type=Path, help="folder of the server (default: in the XDG state folder)"
    )
    parser.add_argument(
        "--faults", metavar="FILE", type=Path, help="serve: what to do wrong on purpose (docs/server-faults.md)"
    )
    parser.add_argument(
        "--agent-command", metavar="CMD", help="serve: the program for requests of clients that name none"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Start, stop or look; the token is never shown."""
    folder = args.state_dir or settings.server_folder
    if args.faults is not None and args.action != "serve":
        raise InputRefused("--faults: goes with `orchestrate server serve` only")
    match args.action:
        case "start":
            return _start(args, settings, folder)
        case "stop":
            return _stop(args, folder)
        case "status":
            return _status(args, folder)
        case _:
            return _serve(args, settings, folder)


def _start(args: argparse.Namespace, settings: Settings, folder: Path) -> int:
    from orchestrate.server.serve import ensure_server, server_status

    if args.dry_run:
        before = server_status(folder)
        told = f"it runs already{_at(before)}" if before.is_running else f"a server would be started in {folder}"
        return _tell(args, "server-start", told, running=before.is_running, dryRun=True)
    endpoint = ensure_server(folder, environment=dict(settings.environ), port=args.port, idle_seconds=args.idle_seconds)
    return _tell(args, "server-start", f"the server listens at {endpoint.url}", running=True, url=endpoint.url)


def _stop(args: argparse.Namespace, folder: Path) -> int:
    from orchestrate.server.serve import server_status, stop_server

    before = server_status(folder)
    if args.dry_run:
        told = "the server would be stopped" if before.is_running else "no server runs"
        return _tell(args, "server-stop", told, running=before.is_running, dryRun=True)
    stopped = stop_server(folder)
    told = "the server has ended" if stopped else "no server runs"
    left = f"; {count_of(before.live_runs, 'agent')} left running" if stopped and before.live_runs else ""
    return _tell(args, "server-stop", f"{told}{left}", stopped=stopped, liveRuns=before.live_runs)


def _status(args: argparse.Namespace, folder: Path) -> int:
    from orchestrate.server.serve import server_status

    found = server_status(folder)
    if not found.is_running:
        rest = f"; {count_of(found.live_runs, 'agent')} may still run" if found.live_runs else ""
        return _tell(args, "server-status", f"no server runs{rest}", running=False, liveRuns=found.live_runs)
    told = f"the server runs{_at(found)} for {count_of(found.live_runs, 'agent')}"
    known = {"url": found.url, "pid": found.pid, "version": found.version}
    fields = {key: value for key, value in known.items() if value is not None}
    return _tell(args, "server-status", told, running=True, liveRuns=found.live_runs, **fields)


def _at(found: "ServerStatus") -> str:
    """Where it listens and what it is, as far as its file says it: that of another version may say little."""
    address = "" if found.url is None else f" at {found.url}"
    version = "of another version" if found.version is None else f"version {found.version}"
    return f"{address} (pid {found.pid}, {version})"


def _default_agent(args: argparse.Namespace, settings: Settings) -> "LocalAgent | None":
    """The program for clients that know models and no programs, as those of the vendor do."""
    if args.agent_command is None:
        return None
    from orchestrate.cli.agent_program import named_program

    return named_program(args.agent_command, current=Path.cwd(), search_path=settings.environ.get("PATH", os.defpath))


def _serve(args: argparse.Namespace, settings: Settings, folder: Path) -> int:
    from orchestrate.server.fault_plan import FAULTS_VARIABLE, fault_plan_at, fault_plan_named
    from orchestrate.server.hosting import IDLE_SECONDS, ServerOptions, serve

    faults = fault_plan_at(args.faults) if args.faults else fault_plan_named(settings.environ.get(FAULTS_VARIABLE))
    agent = _default_agent(args, settings)
    if args.dry_run:
        return _tell(args, "server-serve", f"a server would be run in {folder}", dryRun=True)
    if not args.quiet:
        output.say([f"note: serving from {folder}; Ctrl-C ends the server and leaves its agents running."])
    idle = IDLE_SECONDS if args.idle_seconds is None else args.idle_seconds
    serve(
        ServerOptions(
            state_dir=folder,
            port=args.port,
            environment=dict(settings.environ),
            idle_seconds=idle,
            default_agent=agent,
            faults=faults,
        )
    )
    return 0


def _tell(args: argparse.Namespace, operation: str, words: str, **fields: object) -> int:
    if args.json:
        output.put_json(output.success(operation, **fields))
    else:
        output.put([words])
    return 0
