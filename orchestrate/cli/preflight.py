"""Everything that is looked at before the first launch, side by side and to the end. Nothing is changed by it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import anyio
from pydantic.alias_generators import to_camel

from orchestrate.cli.checks.findings import Check, Finding, Verdict, skipped
from orchestrate.cli.checks.key import check_key
from orchestrate.cli.checks.limits import check_limits
from orchestrate.cli.checks.models import Choices, check_models, choices_of, read_catalogue
from orchestrate.cli.checks.prompt_limits import prompt_limit
from orchestrate.cli.checks.prompts import check_prompts
from orchestrate.cli.checks.repository import Repository, check_repository, still_to_launch
from orchestrate.cli.plan_file import PlanPlaces
from orchestrate.cli.rendering import PromptRenderer
from orchestrate.cloud.client import CloudClient
from orchestrate.model.catalogue import ANY_MODEL, Catalogue
from orchestrate.model.names import TaskName
from orchestrate.model.plan import Plan
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import RuntimeKind, TaskStatus
from orchestrate.repo.git import Git

#: Fields of a task that nothing acts on yet.
_TASK_FIELDS_NOT_KEPT = ("cpus", "memory_mb")


@dataclass(frozen=True, slots=True)
class Intent:
    """The run that is about to start."""

    plan: Plan
    kind: RuntimeKind
    #: The repository as the service is told it.
    url: str
    max_concurrent: int
    places: PlanPlaces
    #: How many planners stand above it.
    depth: int = 0
    #: Tasks that need no launch any more.
    launched: frozenset[TaskName] = frozenset()

    def after(self, rows: Mapping[TaskName, TaskRow]) -> "Intent":
        """The same where these rows are known."""
        over = (name for name, row in rows.items() if row.launch is not None or row.status is not TaskStatus.PENDING)
        return replace(self, launched=frozenset(over))


@dataclass(frozen=True, slots=True)
class Report:
    """What was found."""

    findings: tuple[Finding, ...]
    #: What is known of the service's models.
    catalogue: Catalogue = ANY_MODEL
    choices: Choices | None = None


def not_enforced(plan: Plan) -> list[str]:
    """The one warning of what the plan asks for and this version does not do; none for a plan that asks for none of it."""
    of_tasks = [name for name in _TASK_FIELDS_NOT_KEPT if any(getattr(task, name) for task in plan.tasks)]
    names = [f"tasks[].{to_camel(name)}" for name in of_tasks]
    if not names:
        return []
    them = "it" if len(names) == 1 else "them"
    return [f"the plan has {', '.join(names)}; this version does not act on {them}."]


async def preflight(
    intent: Intent,
    *,
    client: CloudClient | None,
    git: Git,
    renderer: PromptRenderer | None = None,
    catalogue: Catalogue | None = None,
) -> Report:
    """All findings, in the order of their subjects; without a client what the service knows is left out.

    Where its models are known already as ``catalogue``, it is not asked.
    """
    tasks = still_to_launch(intent.plan, intent.launched)
    repository = Repository(plan=intent.plan, url=intent.url, kind=intent.kind, places=intent.places, tasks=tasks)
    of_service, of_repository = _Answer(), list[Finding]()
    async with anyio.create_task_group() as group:
        if catalogue is None:
            group.start_soon(partial(_ask_the_service, intent, client, into=of_service))
        else:
            of_service = _Answer(catalogue=catalogue, is_answered=True)
        group.start_soon(partial(_look_at_the_repository, git, repository, into=of_repository))
    choices = choices_of(intent.plan, (task for _, task in tasks), of_service.catalogue)
    findings = [*of_service.findings]
    if of_service.is_answered:
        findings += check_models(choices, of_service.catalogue)
    findings += of_repository
    if renderer is not None:
        only = [task for _, task in tasks]
        findings += await check_prompts(intent.plan, only, renderer, limit=prompt_limit(intent.kind))
    findings += check_limits(intent.plan, kind=intent.kind, max_concurrent=intent.max_concurrent, depth=intent.depth)
    return Report(tuple(findings), of_service.catalogue, choices)


@dataclass(slots=True)
class _Answer:
    """What the service said."""

    findings: Sequence[Finding] = ()
    catalogue: Catalogue = ANY_MODEL
    #: True if it told its models, or takes any.
    is_answered: bool = False


async def _ask_the_service(intent: Intent, client: CloudClient | None, *, into: _Answer) -> None:
    """The key first: with one that is refused every other answer would say the same."""
    if client is None:
        is_local = intent.kind is RuntimeKind.LOCAL
        why = "not asked: no local server runs; a run starts one" if is_local else "not asked: there is no key"
        into.findings = [skipped(check, why) for check in (Check.KEY, Check.MODELS)]
        return
    key = await check_key(client, kind=intent.kind)
    if key.verdict is not Verdict.GOOD:
        into.findings = [key, skipped(Check.MODELS, "not asked: the key comes first")]
        return
    catalogue, warnings = await read_catalogue(client)
    into.catalogue, into.is_answered = catalogue, not warnings
    into.findings = [key, *warnings]


async def _look_at_the_repository(git: Git, about: Repository, *, into: list[Finding]) -> None:
    into += await check_repository(git, about)
