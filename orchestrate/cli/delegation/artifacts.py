"""``orchestrate artifacts``: what an agent left for people; ``--download`` fetches one file, safely."""

import argparse
from functools import partial
from pathlib import Path, PurePosixPath

import anyio.to_thread

from orchestrate.cli import numbers
from orchestrate.cli.delegation.calls import GatedCalls
from orchestrate.cli.delegation.codes import Code
from orchestrate.cli.delegation.contract import add_output, answer, present
from orchestrate.cli.delegation.input_checks import agent_id_fault, raise_faults
from orchestrate.cli.delegation.refusals import DelegationRefused
from orchestrate.cli.delegation.supporting import supported
from orchestrate.cli.delegation.target import add_runtime, asked, target_of
from orchestrate.cli.settings import Settings
from orchestrate.cloud.problems import LINK_REFUSED
from orchestrate.errors import Unavailable
from orchestrate.model.names import AgentId
from orchestrate.store.new_files import new_file, relative_path_fault

#: More is asked for with --max-bytes.
_MOST_BYTES = 100_000_000


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("--agent-id", metavar="A", required=True, help="the agent")
    parser.add_argument("--download", metavar="P", help="fetch the artifact of this path")
    parser.add_argument("--out", metavar="F", help="new file below this folder (default: the artifact's own name)")
    parser.add_argument(
        "--max-bytes",
        metavar="N",
        type=numbers.count,
        default=_MOST_BYTES,
        help=f"refuse more (default: {_MOST_BYTES})",
    )
    add_runtime(parser)
    add_output(parser)


def run(args: argparse.Namespace, settings: Settings) -> int:
    """List them, or fetch one."""
    out = args.out if args.out is not None or args.download is None else PurePosixPath(args.download).name
    raise_faults(
        [
            agent_id_fault(args.agent_id),
            None if args.download is None else _path_fault("--download", args.download),
            None if out is None else _path_fault("--out", out),
            "--out goes with --download" if args.out is not None and args.download is None else None,
        ],
        verb="artifacts",
    )
    target, agent_id = target_of(args, settings), AgentId(args.agent_id)
    if args.download is None:
        found = asked(target, lambda calls: supported(calls, agent_id, "the artifacts", calls.artifacts))
        items = [
            present({"path": each.path, "sizeBytes": each.size_bytes, "updatedAt": each.updated_at or None})
            for each in found
        ]
        lines = [f"{each.size_bytes:>12,}  {each.path}" for each in found] or ["no artifacts"]
        return answer(args, "artifacts", lines, agentId=agent_id, artifacts=items)
    size = asked(target, lambda calls: _fetched(calls, agent_id, args.download, out=str(out), at_most=args.max_bytes))
    fields = {"agentId": agent_id, "path": args.download, "out": out, "sizeBytes": size}
    return answer(args, "artifacts", [f"{out}: {size:,} bytes"], **fields)


async def _fetched(calls: GatedCalls, agent_id: AgentId, path: str, *, out: str, at_most: int) -> int:
    try:
        with new_file(Path.cwd(), out, at_most=at_most) as new:
            async with calls.open_artifact(agent_id, path) as pieces:
                async for piece in pieces:
                    await anyio.to_thread.run_sync(partial(new.write, piece))
    except Unavailable as error:
        if error.code != LINK_REFUSED:
            raise
        listed = f"`orchestrate artifacts --agent-id {agent_id}`"
        hint = f"Type the same command again, which asks for a new link; {listed} shows what there is."
        raise DelegationRefused(Code.SERVICE_UNAVAILABLE, error.message, hint=hint) from error
    return new.size


def _path_fault(option: str, path: str) -> str | None:
    fault = relative_path_fault(path)
    return None if fault is None else f"{option} {fault}"
