"""``python -m orchestrate.server``: the server as a process of its own, as ``ensure_server`` starts it."""

import argparse
import os
import sys
from pathlib import Path

from orchestrate.errors import OrchestrateError
from orchestrate.model.wire import LocalAgent
from orchestrate.server.fault_plan import FAULTS_VARIABLE, fault_plan_named
from orchestrate.server.hosting import IDLE_SECONDS, ServerOptions, serve


def main(arguments: list[str] | None = None) -> int:
    """Serve; 2 with one line on stderr if that cannot be."""
    parser = argparse.ArgumentParser(prog="python -m orchestrate.server")
    parser.add_argument("--state-dir", type=Path, required=True)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--idle-seconds", type=float, default=IDLE_SECONDS)
    parser.add_argument("--runner", choices=("scripted", "null"), help="for requests that name no agent program")
    parser.add_argument("--model", action="append", default=[], help="a known model; without any, all are taken")
    chosen = parser.parse_args(arguments)
    try:
        serve(_options(chosen, dict(os.environ)))  # noqa: TID251  a process's entry point hands its environment over
    except OrchestrateError as error:
        sys.stderr.write(f"{error.message}{f'; {error.hint}' if error.hint else ''}\n")
        return 2
    return 0


def _options(chosen: argparse.Namespace, environment: dict[str, str]) -> ServerOptions:
    return ServerOptions(
        state_dir=chosen.state_dir,
        port=chosen.port,
        environment=environment,
        idle_seconds=chosen.idle_seconds,
        default_agent=LocalAgent(runner=chosen.runner) if chosen.runner else None,
        models=tuple(chosen.model),
        faults=fault_plan_named(environment.get(FAULTS_VARIABLE)),
    )


if __name__ == "__main__":
    sys.exit(main())
