"""Whether the account has the models of the plan, and which of them each task gets."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from orchestrate.cli.checks.findings import Check, Finding, fault, good, warning
from orchestrate.cli.messages import count_of, listed
from orchestrate.cloud.client import CloudClient
from orchestrate.errors import ServiceError
from orchestrate.model.catalogue import ANY_MODEL, Catalogue, catalogue_of
from orchestrate.model.faults import quoted
from orchestrate.model.model_choice import Chosen, NoModel, Origin, choose, named_models
from orchestrate.model.names import TaskName
from orchestrate.model.plan import Plan, Task

#: How many tasks a message names.
_TASKS_NAMED = 3

Choices = Mapping[TaskName, Chosen | NoModel]


async def read_catalogue(client: CloudClient) -> tuple[Catalogue, list[Finding]]:
    """The models of the service, and the warning where it does not tell: then any name goes."""
    try:
        return catalogue_of(await client.models()), []
    except ServiceError as error:
        return ANY_MODEL, [warning(Check.MODELS, f"the models could not be checked: {error.message}")]


def choices_of(plan: Plan, tasks: Iterable[Task], catalogue: Catalogue) -> Choices:
    """The model of each of these tasks; equal wishes are looked up once."""
    known: dict[object, Chosen | NoModel] = {}
    found = {}
    for task in tasks:
        wish = (task.type, named_models(plan, task))
        if wish not in known:
            known[wish] = choose(plan, task, catalogue)
        found[task.name] = known[wish]
    return found


def check_models(choices: Choices, catalogue: Catalogue) -> list[Finding]:
    """Models that the account lacks are faults, all at once; a list that is not taken from its head is a warning."""
    groups: dict[Chosen | NoModel, list[TaskName]] = {}
    for name, choice in choices.items():
        groups.setdefault(choice, []).append(name)
    missing = [(choice, names) for choice, names in groups.items() if isinstance(choice, NoModel)]
    chosen = [(choice, names) for choice, names in groups.items() if isinstance(choice, Chosen)]
    findings = [fault(Check.MODELS, choice.words(_tasks(names)), hint=choice.hint) for choice, names in missing]
    findings += [_passed_over(choice, names) for choice, names in chosen if choice.passed_over]
    return findings or [good(Check.MODELS, f"{_used(chosen)}{_unchecked(catalogue)}")]


def _passed_over(choice: Chosen, names: Sequence[TaskName]) -> Finding:
    missing = ", ".join(quoted(name) for name in choice.passed_over)
    verb = "is" if len(choice.passed_over) == 1 else "are"
    instead = "the service's own default" if choice.selection is None else quoted(choice.selection.id)
    return warning(Check.MODELS, f"{missing} {verb} not in this account; {instead} is used ({_tasks(names)})")


def _used(chosen: Sequence[tuple[Chosen, Sequence[TaskName]]]) -> str:
    """``composer-2 for 3 tasks, the service's default for 1 task``."""
    counts: dict[str, int] = {}
    for choice, names in chosen:
        counts.setdefault(described(choice), 0)
        counts[described(choice)] += len(names)
    return ", ".join(f"{model} for {count_of(count, 'task')}" for model, count in counts.items())


def described(choice: Chosen) -> str:
    """The model in a few words, and who chose it where the plan did not."""
    if choice.selection is None:
        return "the service's own default"
    settings = ", ".join(f"{each.id} {each.value}" for each in choice.selection.params)
    told = f"{choice.selection.id} ({settings})" if settings else choice.selection.id
    return f"{told} (chosen, the plan names none)" if choice.origin is Origin.ACCOUNT else told


def _unchecked(catalogue: Catalogue) -> str:
    return "; the service takes any name" if catalogue.is_open else ""


def _tasks(names: Sequence[TaskName]) -> str:
    return f"task {names[0]}" if len(names) == 1 else f"tasks {listed(names, at_most=_TASKS_NAMED)}"


def defaults_said(choices: Choices) -> Iterator[str]:
    """A sentence for each model that the plan did not name."""
    groups: dict[str, list[TaskName]] = {}
    for name, choice in choices.items():
        if isinstance(choice, Chosen) and choice.origin is Origin.ACCOUNT and choice.selection is not None:
            groups.setdefault(choice.selection.id, []).append(name)
    for model, names in groups.items():
        yield f"the plan names no model for {_tasks(names)}; {quoted(model)} is used, which the account has"
