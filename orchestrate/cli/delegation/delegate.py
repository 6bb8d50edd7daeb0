"""``orchestrate delegate``: one agent, launched once, however often the command is typed with its key."""

import argparse
from functools import partial

from orchestrate.cli import numbers
from orchestrate.cli.confirming import is_somebody_there
from orchestrate.cli.delegation import input_checks as checks
from orchestrate.cli.delegation.calls import GatedCalls
from orchestrate.cli.delegation.codes import Code
from orchestrate.cli.delegation.contract import add_output, answer, echoing, new_key, present
from orchestrate.cli.delegation.counting import count_active
from orchestrate.cli.delegation.documents import agent_fields, run_fields
from orchestrate.cli.delegation.prompting import add_prompt, prompt_of, require_one_prompt
from orchestrate.cli.delegation.recording import saw_run
from orchestrate.cli.delegation.refusals import DelegationRefused
from orchestrate.cli.delegation.repeating import confirm_or_tell, typed_again
from orchestrate.cli.delegation.requests import Job, create_body, draft_of
from orchestrate.cli.delegation.reserving import refuse_in_flight, reserved
from orchestrate.cli.delegation.sending import Sent, launch
from orchestrate.cli.delegation.target import (
    Target,
    add_agent_program,
    add_runtime,
    asked,
    refuse_inside_an_agent,
    target_of,
    with_agent,
)
from orchestrate.cli.delegation.waiting import ended
from orchestrate.cli.leaving import signals_interrupt
from orchestrate.cli.settings import Settings
from orchestrate.errors import Refused, ServiceError, Unavailable
from orchestrate.model.catalogue import catalogue_of
from orchestrate.model.names import AgentId, RunId
from orchestrate.model.nearest import Nearest
from orchestrate.model.timestamps import to_timestamp
from orchestrate.store.delegation_records import Delegation, digest_of
from orchestrate.store.delegations import DelegationFiles
from orchestrate.system import SystemClock

_MAX_ACTIVE = 3
_NOT_DONE = "Nothing was launched."
_REPEATED = (
    "repo",
    "prompt",
    "prompt-file",
    "ref",
    "model",
    "name",
    "max-active",
    "runtime",
    "agent-command",
    "agent",
    "idempotency-key",
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("--repo", metavar="URL", required=True, help="https://…; a path with --runtime local")
    add_prompt(parser)
    parser.add_argument("--ref", metavar="REF", help="branch to start from (default: the repository's own)")
    parser.add_argument("--model", metavar="ID", help="model (default: the service's own)")
    parser.add_argument("--name", metavar="NAME", help="name of the agent (default: made from the prompt)")
    parser.add_argument("--no-pr", action="store_true", help="ask for no pull request")
    parser.add_argument(
        "--max-active",
        metavar="N",
        type=numbers.count,
        default=_MAX_ACTIVE,
        help=f"refuse where so many agents are active on the repository (default: {_MAX_ACTIVE})",
    )
    parser.add_argument("--idempotency-key", metavar="K", help="one key is one agent (default: a new one)")
    parser.add_argument("--wait", action="store_true", help="come back when its run is over")
    add_runtime(parser)
    add_agent_program(parser)
    add_output(parser)


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Check, show, ask, reserve, launch."""
    key = new_key() if args.idempotency_key is None else args.idempotency_key
    with signals_interrupt(), echoing(idempotencyKey=key) as known:
        require_one_prompt(args)
        refuse_inside_an_agent(settings)
        target, job = _checked(args, settings, key)
        if args.dry_run:
            return answer(args, "delegate", _plan_lines(job), idempotencyKey=key, dryRun=True, plan=_plan(job))
        _confirm(args, settings, job)
        files = DelegationFiles(settings.state_dir)
        refuse_in_flight(files, key)
        sent = asked(target, partial(_launched, job=job, files=files, target=target, known=known, waits=args.wait))
        fields: dict[str, object] = {"adopted": True} if sent.adopted else {}
        if sent.agent is not None:
            fields |= agent_fields(sent.agent)
        told = {**fields, **run_fields(sent.run), "idempotencyKey": key, "agentId": sent.record.agent_id}
        lines = [f"{sent.record.agent_id}  {sent.run.status}  {sent.record.url or ''}".rstrip(), f"key  {key}"]
        return answer(args, "delegate", lines, runtime=target.kind.value, notes=files.notes or None, **told)


def _checked(args: argparse.Namespace, settings: Settings, key: str) -> tuple[Target, Job]:
    """Everything that is wrong, at once; no call was made then."""
    target = target_of(args, settings)
    prompt = prompt_of(args, kind=target.kind)
    current = target.environment.current
    checks.raise_faults(
        [
            checks.repo_fault(args.repo, kind=target.kind, variables=settings.environ, current=current),
            checks.ref_fault(args.ref),
            checks.model_fault(args.model),
            checks.name_fault(args.name),
            checks.key_fault(args.idempotency_key),
            checks.prompt_fault(prompt, kind=target.kind),
        ],
        verb="delegate",
    )
    target = with_agent(target, args, settings)
    return target, Job(
        key=key,
        repo=checks.repository(args.repo, current=current),
        prompt=prompt,
        ref=args.ref,
        model=args.model,
        name=args.name,
        has_pull_request=not args.no_pr,
        max_active=args.max_active,
        runtime=target.kind,
        depth=settings.agent_depth + 1,
        agent=target.agent,
    )


def _confirm(args: argparse.Namespace, settings: Settings, job: Job) -> None:
    if is_somebody_there(settings) and not args.yes:
        from orchestrate.cli import output
        from orchestrate.text.terminal import escape_for_terminal

        output.say(escape_for_terminal(line) for line in _plan_lines(job))
    args.idempotency_key = job.key
    again = typed_again("delegate", args, options=_REPEATED, flags=("no-pr", "wait"))
    confirm_or_tell(args, settings, "Launch this agent?", again=again, not_done=_NOT_DONE)


async def _launched(
    calls: GatedCalls, *, job: Job, files: DelegationFiles, target: Target, known: dict[str, object], waits: bool
) -> Sent:
    if job.model is not None:
        await _check_model(calls, job.model)
    record = await _reserved(calls, job, files, target)
    known["agentId"] = record.agent_id
    try:
        sent = await launch(calls, files, record, create_body(job, record))
    except (Refused, Unavailable):
        del known["agentId"]  # no agent was made
        raise
    known |= {"agentId": sent.record.agent_id, "runId": sent.run.id}
    if not waits:
        return sent
    run = await ended(calls, AgentId(sent.record.agent_id), RunId(sent.run.id))
    saw_run(files, run, at=to_timestamp(SystemClock().now()))
    return Sent(sent.record, run, sent.agent, sent.adopted)


async def _reserved(calls: GatedCalls, job: Job, files: DelegationFiles, target: Target) -> Delegation:
    """The reservation; where it is refused for agents that only may be active, they are asked for first."""
    active = await count_active(calls, job.repo, files, most=job.max_active)
    draft = draft_of(job, at=to_timestamp(SystemClock().now()), account=target.account)
    try:
        return reserved(files, draft, account=target.account, admits=active.admit)
    except DelegationRefused as refusal:
        if refusal.code is not Code.CONCURRENCY_LIMIT or active.is_exact:
            raise
    active = await count_active(calls, job.repo, files, most=job.max_active, asks_all=True)
    return reserved(files, draft, account=target.account, admits=active.admit)


async def _check_model(calls: GatedCalls, model: str) -> None:
    """Refuse a model that the account lacks; a service that does not tell refuses nothing."""
    try:
        catalogue = catalogue_of(await calls.models())
    except ServiceError:
        return
    if catalogue.is_open or catalogue.find(model) is not None:
        return
    near = Nearest(catalogue.names).to(model)
    meant = "" if near is None else f"; did you mean {near}"
    raise DelegationRefused(
        Code.INVALID_INPUT,
        f"--model {model} is not in this account{meant}. Nothing was sent.",
        hint=f"Give a model that `orchestrate models` shows{'' if near is None else f', perhaps {near}'}.",
    )


def _plan(job: Job) -> dict[str, object]:
    """What would be sent; the prompt by its size and digest."""
    return present(
        {
            "repo": job.repo,
            "ref": job.ref,
            "model": job.model,
            "name": job.name,
            "pullRequest": job.has_pull_request,
            "maxActive": job.max_active,
            "runtime": job.runtime.value,
            "prompt": {"bytes": len(job.prompt.encode()), "digest": digest_of(job.prompt)},
            "agentDepth": job.depth,
        }
    )


def _plan_lines(job: Job) -> list[str]:
    plan = {**_plan(job), "prompt": f"{len(job.prompt.encode()):,} bytes: {job.prompt[:200]}", "key": job.key}
    return [f"{name:12}  {value}" for name, value in plan.items()]
