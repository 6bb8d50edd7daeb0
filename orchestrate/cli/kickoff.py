"""``orchestrate kickoff GOAL``: launch a root planner, once; it plans the goal and runs its plan by itself."""

import argparse
from functools import partial

import anyio

from orchestrate.cli import output
from orchestrate.cli.confirming import require_confirmation
from orchestrate.cli.delegation.calls import GatedCalls
from orchestrate.cli.delegation.input_checks import model_fault, prompt_fault, ref_fault, repository
from orchestrate.cli.delegation.target import (
    Target,
    add_agent_program,
    add_runtime,
    asked,
    refuse_inside_an_agent,
    target_of,
    with_agent,
)
from orchestrate.cli.first_plan import source_of
from orchestrate.cli.kickoff_job import KickoffJob
from orchestrate.cli.kickoff_sending import Planner, planner_of
from orchestrate.cli.settings import Settings
from orchestrate.errors import InputRefused
from orchestrate.model.repo_url import repo_url_fault
from orchestrate.model.vocabulary import RuntimeKind
from orchestrate.repo.git import Git
from orchestrate.repo.origin import default_branch_of, local_path, network_address, origin_of
from orchestrate.text.prompts import DEFAULT_INSTALL
from orchestrate.text.terminal import escape_for_terminal

_NOT_DONE = "Nothing was launched."


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("goal", metavar="GOAL", help="what you want, in your words")
    parser.add_argument("--repo", metavar="URL", help="the repository (default: the remote of the current folder)")
    parser.add_argument("--ref", metavar="REF", help="branch to start from (default: the repository's own)")
    parser.add_argument("--model", metavar="ID", help="model of the planner (default: the service's own)")
    parser.add_argument("--force", action="store_true", help="launch another planner although one lives")
    add_runtime(parser)
    add_agent_program(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Check, ask, launch or adopt, and tell the ids and the link."""
    refuse_inside_an_agent(settings)
    target = with_agent(target_of(args, settings), args, settings)
    _check(args, target)
    repo, ref = anyio.run(partial(_place, args, settings, target))
    job = partial(
        KickoffJob, args.goal.strip(), repo, ref, model=args.model, agent=target.agent,
        install=settings.install or DEFAULT_INSTALL,
    )  # fmt: skip
    if args.dry_run:
        return _tell_plan(args, job(account=""), target)
    target.require_credential()
    question = f"Launch a planner on {repo} at {ref} with the {target.kind} runtime?"
    require_confirmation(escape_for_terminal(question), args, settings, not_done=_NOT_DONE)
    planner, slug = asked(target, partial(_sent, job=job, is_forced=args.force))
    return _tell(args, planner, slug=slug, repo=repo, ref=ref, target=target)


def _check(args: argparse.Namespace, target: Target) -> None:
    """Everything that is wrong with the words of the call, at once."""
    wrong = prompt_fault(args.goal, kind=target.kind)
    goal = None if wrong is None else wrong.replace("the prompt", "GOAL", 1)
    faults = [fault for fault in (goal, ref_fault(args.ref), model_fault(args.model)) if fault is not None]
    if faults:
        raise InputRefused(f"{'; '.join(faults)}. {_NOT_DONE}", hint="`orchestrate kickoff --help` shows what is taken")


async def _place(args: argparse.Namespace, settings: Settings, target: Target) -> tuple[str, str]:
    """The repository as the service gets it, and the branch to start from."""
    git, current = Git(settings.environ), target.environment.current
    is_local = target.kind is RuntimeKind.LOCAL
    if args.repo is None:
        origin = await origin_of(git, current)
        if origin is None:
            raise InputRefused(f"this folder is in no git repository. {_NOT_DONE}", hint="add --repo URL")
        source = source_of(origin, folder=current)
        if source.is_local and not is_local:
            raise InputRefused(
                f"the repository of this folder has no remote that the cloud can reach. {_NOT_DONE}",
                hint="add --repo URL, or --runtime local",
            )
        repo = repository(source.repo_url, current=current) if source.is_local else source.repo_url
        return repo, args.ref or source.base_branch
    repo = _address(args.repo, target)
    ref = args.ref or await default_branch_of(git, repo)
    if ref is None:
        raise InputRefused(
            f"the default branch of {repo} cannot be told from here. {_NOT_DONE}", hint="add --ref BRANCH"
        )
    return repo, ref


def _address(repo: str, target: Target) -> str:
    """``--repo`` without credentials, in the form that plans have; a path only for agents on this machine."""
    address = network_address(repo)
    if address is not None:
        return address
    path = local_path(repo, top=target.environment.current)
    if path is not None and target.kind is RuntimeKind.LOCAL:
        return str(path)
    fault = repo_url_fault(repo, local=False) or "is no address that agents can clone"
    raise InputRefused(f"--repo {fault}. {_NOT_DONE}", hint="use https://…, ssh://… or user@host:path")


async def _sent(calls: GatedCalls, *, job: "partial[KickoffJob]", is_forced: bool) -> tuple[Planner, str]:
    from orchestrate.cli.template_files import load_templates

    me = await calls.me()
    whole = job(account=str(me.user_email or me.user_id or me.api_key_name))
    planner = await planner_of(calls, whole, templates=load_templates(None), is_forced=is_forced)
    return planner, whole.slug


def _tell(args: argparse.Namespace, planner: Planner, *, slug: str, repo: str, ref: str, target: Target) -> int:
    agent, run = planner.agent, planner.run
    if args.json:
        told = {"agentId": agent.id, "runId": run.id, "status": run.status.value, "adopted": planner.adopted}
        place = {"rootSlug": slug, "repo": repo, "ref": ref, "runtime": target.kind.value}
        output.put_json(output.success("kickoff", **told, **place, **({"url": agent.url} if agent.url else {})))
        return 0
    if planner.adopted and not args.quiet:
        output.say(
            ["note: a planner of this goal lives already; no second one was launched. --force launches another."]
        )
    lines = [f"agent  {agent.id}", f"run    {run.id}  {run.status}", f"slug   {slug}"]
    output.put(escape_for_terminal(line) for line in (*lines, *([f"link   {agent.url}"] if agent.url else [])))
    return 0


def _tell_plan(args: argparse.Namespace, job: KickoffJob, target: Target) -> int:
    facts = {"rootSlug": job.slug, "repo": job.repo, "ref": job.ref, "runtime": target.kind.value}
    facts |= {} if job.model is None else {"model": job.model}
    if args.json:
        output.put_json(output.success("kickoff", dryRun=True, **facts))
    else:
        output.put(escape_for_terminal(f"{name:9} {value}") for name, value in facts.items())
    return 0
