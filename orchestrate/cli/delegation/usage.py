"""``orchestrate usage``: tokens and cents of an agent, or of a plan's agents, also down the tree of its subplanners.

What no service has told is not known yet, and never nothing: sums say of how many agents the cost is missing.
"""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from functools import partial

from orchestrate.cli.delegation.calls import GatedCalls
from orchestrate.cli.delegation.contract import add_output, answer, present
from orchestrate.cli.delegation.documents import usage_fields
from orchestrate.cli.delegation.input_checks import agent_id_fault, raise_faults
from orchestrate.cli.delegation.supporting import supported
from orchestrate.cli.delegation.target import add_runtime, asked, target_of
from orchestrate.cli.grown import Grown, grown_tree
from orchestrate.cli.locating import locate
from orchestrate.cli.runtime import named_runtime
from orchestrate.cli.services import service_at_hand
from orchestrate.cli.settings import Settings
from orchestrate.cli.surroundings import Environment, environment_of
from orchestrate.cli.task_argument import known_task
from orchestrate.cli.usage import UsageRefused
from orchestrate.engine.usage import cents_of
from orchestrate.errors import OrchestrateError, ServiceError
from orchestrate.model.names import AgentId
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import RuntimeKind
from orchestrate.system import SystemClock, run_event_loop

#: Agents whose cost is asked for, because no file has it yet; the service counts calls.
_MOST_QUESTIONS = 15


@dataclass(frozen=True, slots=True)
class Spent:
    """What one agent took, as far as it is known."""

    workspace: str
    task: str
    agent_id: AgentId
    attempt: int | None
    cents: float | None = None
    tokens: int | None = None


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("plan", metavar="PLAN", nargs="?", help="plan.json or its folder")
    parser.add_argument("task", metavar="TASK", nargs="?", help="one task of it")
    parser.add_argument("--tree", action="store_true", help="the workspaces of its subplanners on this machine as well")
    parser.add_argument("--agent-id", metavar="A", help="one agent, in the place of a plan")
    add_runtime(parser)
    add_output(parser)


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Ask the service, or add up what the workspace knows."""
    if (args.plan is None) == (args.agent_id is None):
        raise UsageRefused("give a PLAN or --agent-id. Nothing was done.", hint="orchestrate usage --help")
    if args.agent_id is not None:
        return _of_agent(args, settings)
    location = locate(args.plan, needs_plan=False)
    grown = grown_tree(location, now=SystemClock().now())
    names = [row.name for row in grown.picture.rows]
    task = None if args.task is None else known_task(args.task, names, plan=location.argument)
    found = list(_spent(grown, task=task, is_whole=args.tree))
    environment = environment_of(settings)
    if not args.dry_run:
        found = run_event_loop(partial(_completed, found, _kind(args, environment), environment))
    fields = {"rootSlug": grown.picture.slug, "tree": args.tree, **_sums(found)}
    fields["workspaces"] = [
        {"rootSlug": slug, **_sums([each for each in found if each.workspace == slug])}
        for slug in dict.fromkeys(each.workspace for each in found)
    ]
    fields["agents"] = [_entry(each) for each in found]
    return answer(args, "usage", _lines(found), **fields)


def _of_agent(args: argparse.Namespace, settings: Settings) -> int:
    raise_faults([agent_id_fault(args.agent_id)], verb="usage")
    usage = asked(
        target_of(args, settings), lambda calls: supported(calls, AgentId(args.agent_id), "the usage", calls.usage)
    )
    cents = cents_of(usage)
    fields = {"agentId": args.agent_id, **usage_fields(usage), "cents": cents, "costKnown": cents is not None}
    tokens = usage.total_usage.total_tokens
    return answer(args, "usage", [f"{args.agent_id}  {_tokens(tokens)}  {_money(cents)}"], **fields)


def _spent(grown: Grown, *, task: str | None, is_whole: bool) -> Iterator[Spent]:
    """Every agent of the workspace, and of those below it where the whole tree, or this task's, is wanted."""
    slug = grown.picture.slug
    for row in grown.picture.rows:
        if task is None or row.name == task:
            yield from _of_row(slug, row)
            if is_whole and row.name in grown.children:
                yield from _spent(grown.children[row.name], task=None, is_whole=True)


def _of_row(slug: str, row: TaskRow) -> Iterator[Spent]:
    known = set()
    for charge in row.charges:
        known.add(charge.agent_id)
        yield Spent(slug, row.name, charge.agent_id, charge.attempt, charge.cents, charge.tokens)
    if row.agent_id is not None and row.agent_id not in known:
        yield Spent(slug, row.name, row.agent_id, row.attempts or None)


def _kind(args: argparse.Namespace, environment: Environment) -> RuntimeKind | None:
    named = named_runtime(args.runtime, variable=environment.runtime)
    if named is not None:
        return named.kind
    return RuntimeKind.CLOUD if environment.api_key is not None else RuntimeKind.LOCAL


async def _completed(found: Sequence[Spent], kind: RuntimeKind | None, environment: Environment) -> list[Spent]:
    """The same with what the service at hand knows beside it; one that is not there changes nothing."""
    open_agents = [each for each in found if each.cents is None][:_MOST_QUESTIONS]
    if not open_agents or kind is None:
        return list(found)
    learned: dict[AgentId, Spent] = {}
    async with AsyncExitStack() as stack:
        try:
            service = await service_at_hand(kind, environment)
            if service is None:
                return list(found)
            client = await stack.enter_async_context(service.client())
            calls = GatedCalls(client, clock=SystemClock(), kind=kind)
            for each in open_agents:
                learned[each.agent_id] = await _asked_for(calls, each)
        except OrchestrateError:
            return [learned.get(each.agent_id, each) for each in found]
    return [learned.get(each.agent_id, each) for each in found]


async def _asked_for(calls: GatedCalls, spent: Spent) -> Spent:
    try:
        usage = await calls.usage(spent.agent_id)
    except ServiceError as error:
        if error.status is None:
            raise
        return spent
    tokens = usage.total_usage.total_tokens
    return replace(spent, cents=cents_of(usage), tokens=spent.tokens if tokens is None else tokens)


def _sums(found: Sequence[Spent]) -> dict[str, object]:
    cents = [each.cents for each in found if each.cents is not None]
    tokens = [each.tokens for each in found if each.tokens is not None]
    return present(
        {
            "agentCount": len(found),
            "cents": round(sum(cents), 6) if cents else None,
            "totalTokens": sum(tokens) if tokens else None,
            "costUnknown": len(found) - len(cents),
            "tokensUnknown": len(found) - len(tokens),
        }
    )


def _entry(spent: Spent) -> dict[str, object]:
    return present(
        {
            "workspace": spent.workspace,
            "task": spent.task,
            "attempt": spent.attempt,
            "agentId": spent.agent_id,
            "cents": spent.cents,
            "totalTokens": spent.tokens,
            "costKnown": spent.cents is not None,
        }
    )


def _lines(found: Sequence[Spent]) -> list[str]:
    lines = [f"{each.task:30}  {_tokens(each.tokens):>22}  {_money(each.cents):>12}" for each in found]
    sums = _sums(found)
    missing = f", not known yet of {sums['costUnknown']}" if sums["costUnknown"] else ""
    cents = sums.get("cents")
    return [*lines, f"{len(found)} agents: {_money(cents if isinstance(cents, float) else None)}{missing}"]


def _tokens(tokens: int | None) -> str:
    return "tokens not known yet" if tokens is None else f"{tokens:,} tokens"


def _money(cents: float | None) -> str:
    return "not known yet" if cents is None else f"${cents / 100:,.2f}"
