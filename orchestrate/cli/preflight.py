"""What is looked at before anything is launched: the key, the models, the repository. Nothing is changed by it.

A fault is raised and nothing was launched; what cannot be told is a warning, because the service reads the
repository, not this machine.
"""

from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus

from pydantic.alias_generators import to_camel

from orchestrate.cloud.client import CloudClient
from orchestrate.errors import InputRefused, Refused, ServiceError
from orchestrate.model.faults import quoted
from orchestrate.model.nearest import Nearest
from orchestrate.model.plan import Plan
from orchestrate.model.vocabulary import RuntimeKind, TaskType
from orchestrate.model.wire import Model
from orchestrate.repo.git import Git

_NOTHING_LAUNCHED = "Nothing was launched."
#: What our own server lists while it has no catalogue: then it takes any name and hands it to the agent program.
ONLY_MODEL = "default"
#: How many models a message names where none is near.
_MODELS_NAMED = 8
#: Bounds of a plan that nothing keeps yet.
_LIMITS_NOT_KEPT = ("max_depth",)
#: Fields of a task that nothing acts on yet.
_TASK_FIELDS_NOT_KEPT = ("measurements", "cpus", "memory_mb")


def not_enforced(plan: Plan) -> list[str]:
    """The one warning of what the plan asks for and this version does not do; none for a plan that asks for none of it."""
    limits = [name for name in _LIMITS_NOT_KEPT if getattr(plan.limits, name) is not None]
    of_tasks = [name for name in _TASK_FIELDS_NOT_KEPT if any(getattr(task, name) for task in plan.tasks)]
    names = [f"limits.{to_camel(name)}" for name in limits] + [f"tasks[].{to_camel(name)}" for name in of_tasks]
    if not names:
        return []
    them = "it" if len(names) == 1 else "them"
    return [f"the plan has {', '.join(names)}; this version does not act on {them}."]


async def check_access(client: CloudClient, *, kind: RuntimeKind) -> None:
    """Refuse a key that the service does not take, and a service that does not answer."""
    try:
        await client.me()
    except Refused as error:
        raise InputRefused(_access_words(error, kind=kind), hint=_access_hint(error, kind=kind)) from error
    except ServiceError as error:
        raise InputRefused(f"{error.message}. {_NOTHING_LAUNCHED}", hint="check the network, then try again") from error


async def read_catalogue(client: CloudClient, plan: Plan) -> tuple[tuple[Model, ...], list[str]]:
    """The models of the service, and the warning when it does not tell; nobody is asked for a plan that needs none."""
    has_planners = any(task.type is TaskType.SUBPLANNER for task in plan.tasks)
    if not has_planners and not dict(_models_of(plan)):
        return (), []
    try:
        catalogue = await client.models()
    except ServiceError as error:
        return (), [f"the models could not be checked: {error.message}"]
    if all(model.id == ONLY_MODEL for model in catalogue):
        return (), []
    return catalogue, []


def check_models(plan: Plan, catalogue: Sequence[Model]) -> None:
    """Refuse models that the account lacks, all at once; an empty catalogue refuses nothing."""
    wanted = dict(_models_of(plan))
    known = [name for model in catalogue for name in (model.id, *model.aliases)]
    missing = {model: task for model, task in wanted.items() if model not in known}
    if missing and known:
        raise InputRefused(" ".join(_missing_words(missing)), hint=_model_hint(missing, known))


async def check_repository(git: Git, plan: Plan, *, url: str, kind: RuntimeKind, place: str) -> list[str]:
    """Refuse a base branch that the remote positively lacks; the warning when nobody can tell from here.

    Local agents read the repository from this machine, so here a repository that cannot be read is a fault.
    """
    try:
        branches = await git.remote_branch_names(url)
    except ServiceError as error:
        if kind is RuntimeKind.LOCAL:
            raise InputRefused(f"{error.message}. {_NOTHING_LAUNCHED}", hint=error.hint) from error
        return [f"the base branch could not be checked from here: {error.message}"]
    if plan.base_branch in branches:
        return []
    has = f"it has {', '.join(sorted(branches)[:5])}" if branches else "it has no branches"
    raise InputRefused(
        f'base branch "{plan.base_branch}" is not on the remote; {has}. {_NOTHING_LAUNCHED}',
        hint=f"set baseBranch, {place}" if branches else "make a first commit there, then run the same command again",
    )


def _models_of(plan: Plan) -> Iterator[tuple[str, str]]:
    """Each model of the plan and a task that wants it."""
    for task in plan.tasks:
        if task.model is not None:
            yield task.model.id, task.name
        for model in plan.models.get(task.type, ())[:1]:
            yield model.id, task.name


def _missing_words(missing: Mapping[str, str]) -> Iterator[str]:
    for model, task in missing.items():
        yield f"model {quoted(model)} (task {task}) is not in this account."
    yield _NOTHING_LAUNCHED


def _model_hint(missing: Mapping[str, str], known: list[str]) -> str:
    nearest = Nearest(known)
    near = [name for model in missing if (name := nearest.to(model))]
    if near:
        return f"use {', '.join(quoted(name) for name in dict.fromkeys(near))}"
    return f"use one of {', '.join(quoted(name) for name in known[:_MODELS_NAMED])}"


def _access_words(error: Refused, *, kind: RuntimeKind) -> str:
    if error.status == HTTPStatus.UNAUTHORIZED and kind is RuntimeKind.CLOUD:
        return f"the service refused the key in CURSOR_API_KEY (401). {_NOTHING_LAUNCHED}"
    return f"{error.message}. {_NOTHING_LAUNCHED}"


def _access_hint(error: Refused, *, kind: RuntimeKind) -> str | None:
    if error.status == HTTPStatus.UNAUTHORIZED and kind is RuntimeKind.CLOUD:
        return "make a new key at the service, set CURSOR_API_KEY, then type the same command again"
    return error.hint
