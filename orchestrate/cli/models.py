"""``orchestrate models [PLAN] [--check]``: the models of the service, and which of them each task would get."""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import anyio

from orchestrate.cli import output
from orchestrate.cli.checks.models import Choices, choices_of, described
from orchestrate.cli.locating import PlanLocation, locate
from orchestrate.cli.plan_file import read_plan_file
from orchestrate.cli.runtime import Runtime, choose_runtime, named_runtime
from orchestrate.cli.screens.layout import rendered
from orchestrate.cli.screens.models import ModelsView, TaskModel, models_screen
from orchestrate.cli.services import service_at_hand
from orchestrate.cli.settings import Settings
from orchestrate.cli.surroundings import Environment, environment_of
from orchestrate.cli.terminal import stdout_look
from orchestrate.errors import InputRefused
from orchestrate.model.catalogue import ANY_MODEL, Catalogue, catalogue_of
from orchestrate.model.checking import parse_plan
from orchestrate.model.model_choice import Chosen, NoModel, Origin
from orchestrate.model.plan import Plan
from orchestrate.model.vocabulary import RuntimeKind
from orchestrate.model.wire import Model
from orchestrate.text.terminal import escape_for_terminal

_EXIT_GOOD, _EXIT_MISSING = 0, 2


@dataclass(frozen=True, slots=True)
class _Found:
    """What the service has, and what the plan makes of it."""

    runtime: Runtime
    #: None where no service is at hand.
    catalogue: Catalogue | None
    plan: Plan | None = None
    choices: Choices | None = None

    @property
    def missing(self) -> list[NoModel]:
        """What the account lacks, each once."""
        return list(dict.fromkeys(each for each in (self.choices or {}).values() if isinstance(each, NoModel)))


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("plan", metavar="PLAN", nargs="?", help="plan.json or its folder; only --check looks for one")
    parser.add_argument(
        "--check", action="store_true", help="which of the plan's models exist, and what each task gets"
    )
    parser.add_argument("--runtime", choices=[kind.value for kind in RuntimeKind], help="whose models")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print the models; with ``--check`` exit code 2 if a task would get none."""
    location = locate(args.plan) if args.check or args.plan is not None else None
    environment = environment_of(settings)
    named = named_runtime(args.runtime, variable=environment.runtime)
    plan = None if location is None else _plan(location, named)
    runtime = _runtime(named, plan, environment)
    found = anyio.run(partial(_ask, runtime, plan if args.check else None, environment))
    if args.json:
        output.put_json(_document(found))
    else:
        _print(found, args, settings, location)
    return _EXIT_MISSING if found.missing else _EXIT_GOOD


async def _ask(runtime: Runtime, plan: Plan | None, environment: Environment) -> _Found:
    service = await service_at_hand(runtime.kind, environment)
    catalogue = None
    if service is not None:
        async with service.client() as client:
            catalogue = catalogue_of(await client.models())
    choices = None if plan is None else choices_of(plan, plan.tasks, catalogue or ANY_MODEL)
    return _Found(runtime, catalogue, plan, choices)


def _plan(location: PlanLocation, named: Runtime | None) -> Plan:
    local = None if named is None else named.kind is RuntimeKind.LOCAL
    return parse_plan(read_plan_file(location.path), local=local)[0]


def _runtime(named: Runtime | None, plan: Plan | None, environment: Environment) -> Runtime:
    """The runtime of the plan's run; without a plan the cloud, unless another one is named."""
    if plan is not None:
        return choose_runtime(named, plan=plan, has_key=environment.api_key is not None)
    return named or Runtime(RuntimeKind.CLOUD, "no plan was named")


def _print(found: _Found, args: argparse.Namespace, settings: Settings, location: PlanLocation | None) -> None:
    look = stdout_look(settings, args, argument="." if location is None else location.argument)
    view = ModelsView(
        origin="the Cloud Agents API" if found.runtime.kind is RuntimeKind.CLOUD else "the local server",
        catalogue=found.catalogue,
        tasks=list(_task_models(found)),
        hints=[escape_for_terminal(each.hint.partition("; all: ")[0]) for each in found.missing],
    )
    output.put(rendered(models_screen(view, look), look))


def _task_models(found: _Found) -> Iterator[TaskModel]:
    for task in found.plan.tasks if found.plan is not None else ():
        choice = (found.choices or {})[task.name]
        if isinstance(choice, NoModel):
            yield TaskModel(task.name, task.type, choice.words(), is_missing=True)
        else:
            yield TaskModel(task.name, task.type, _words(choice), is_fallback=bool(choice.passed_over))


def _words(choice: Chosen) -> str:
    told = described(choice)
    if choice.selection is not None and choice.origin is not Origin.ACCOUNT and choice.named != choice.selection.id:
        told += f", as {choice.named}"
    if choice.passed_over:
        told += f"; not in this account: {', '.join(choice.passed_over)}"
    return told


def _document(found: _Found) -> dict[str, object]:
    models = () if found.catalogue is None else found.catalogue.models
    fields: dict[str, object] = {
        "runtime": {"kind": found.runtime.kind, "origin": found.runtime.origin},
        "anyName": found.catalogue is None or found.catalogue.is_open,
        "models": [_model_object(model) for model in models],
    }
    if found.plan is not None and found.choices is not None:
        fields |= {
            "exitCode": _EXIT_MISSING if found.missing else _EXIT_GOOD,
            "rootSlug": found.plan.root_slug,
            "tasks": [
                {"name": task.name, "type": task.type, **_choice_object(found.choices[task.name])}
                for task in found.plan.tasks
            ],
        }
    if not found.missing:
        return output.success("models", **fields)
    told = " ".join(each.words() for each in found.missing)
    return output.failure("models", InputRefused(told, hint=found.missing[0].hint), **fields)


def _model_object(model: Model) -> dict[str, object]:
    document: dict[str, object] = {"id": model.id, "displayName": model.display_name, "aliases": model.aliases}
    document["parameters"] = [
        {"id": setting.id, "values": [each.value for each in setting.values]} for setting in model.parameters
    ]
    return document if model.description is None else {**document, "description": model.description}


def _choice_object(choice: Chosen | NoModel) -> dict[str, object]:
    if isinstance(choice, NoModel):
        return {"exists": False, "message": choice.words(), "do": choice.hint}
    document: dict[str, object] = {"exists": True, "chosenBy": choice.origin}
    if choice.selection is not None:
        document["model"] = choice.selection.id
        if choice.selection.params:
            document["params"] = [{"id": each.id, "value": each.value} for each in choice.selection.params]
        if choice.named not in (choice.selection.id, "default"):
            document["named"] = choice.named
    return {**document, "passedOver": choice.passed_over} if choice.passed_over else document
