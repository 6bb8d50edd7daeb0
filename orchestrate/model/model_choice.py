"""Which model a task gets: its own, else the first that the account has of those for its type, else a default."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from orchestrate.model.catalogue import Catalogue
from orchestrate.model.default_models import default_model
from orchestrate.model.faults import quoted
from orchestrate.model.nearest import Nearest
from orchestrate.model.plan import Plan, Task
from orchestrate.model.plan_parts import ModelSelection
from orchestrate.model.wire import Model, ModelSetting

#: Written as a model, it leaves the choice to the service, unless the service has a model of that name.
LEFT_TO_SERVICE = "default"
#: How many names a message offers where none is near.
_NAMED = 8


class Origin(StrEnum):
    """Who named a model."""

    TASK = "task"
    PLAN = "plan"
    #: Nobody: chosen by the task's type from what the account has.
    ACCOUNT = "account"
    #: Nobody: the service, or the agent program, takes its own default.
    SERVICE = "service"


@dataclass(frozen=True, slots=True)
class Chosen:
    """The model of a task."""

    #: With the id that the catalogue has; None leaves the choice to the service.
    selection: ModelSelection | None
    origin: Origin
    #: The name that led to it; `LEFT_TO_SERVICE` where nobody named one.
    named: str = LEFT_TO_SERVICE
    #: Names before it in its list that the account does not have.
    passed_over: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NoModel:
    """The account has none of the models that the plan names, or not with these settings."""

    #: What is wrong, with room for who wants it: ``model "x"{} is not in this account.``
    message: str
    hint: str

    def words(self, whose: str = "") -> str:
        """What is wrong, and for which task."""
        return self.message.replace("{}", f" ({whose})" if whose else "", 1)


def choose(plan: Plan, task: Task, catalogue: Catalogue) -> Chosen | NoModel:
    """The model of this task with this catalogue."""
    origin, candidates = named_models(plan, task)
    if not candidates:
        found = default_model(task.type, catalogue)
        if found is None:
            return Chosen(None, Origin.SERVICE)
        return Chosen(ModelSelection(id=found.id), Origin.ACCOUNT)
    missing: list[str] = []
    for candidate in candidates:
        model = catalogue.find(candidate.id)
        if model is not None:
            return _with_settings(candidate, model) or Chosen(
                candidate.model_copy(update={"id": model.id}), origin, named=candidate.id, passed_over=tuple(missing)
            )
        if candidate.id == LEFT_TO_SERVICE:
            return Chosen(None, Origin.SERVICE, passed_over=tuple(missing))
        if catalogue.is_open:
            return Chosen(candidate, origin, named=candidate.id)
        missing.append(candidate.id)
    return _missing(missing, catalogue)


def named_models(plan: Plan, task: Task) -> tuple[Origin, tuple[ModelSelection, ...]]:
    """The models that the plan names for this task, first the one to take."""
    if task.model is not None:
        return Origin.TASK, (task.model,)
    return Origin.PLAN, plan.models.get(task.type, ())


def _missing(names: list[str], catalogue: Catalogue) -> NoModel:
    nearest = Nearest(catalogue.names)
    near = [name for missing in names if (name := nearest.to(missing))]
    offered = list(dict.fromkeys(near)) or list(catalogue.names[:_NAMED])
    use = ", ".join(quoted(name) for name in offered)
    hint = f"use {use if near else f'one of {use}'}; all: `orchestrate models`"
    told = ", ".join(quoted(name) for name in names)
    message = f"model {told}{{}} is not" if len(names) == 1 else f"none of the models {told}{{}} is"
    return NoModel(f"{message} in this account.", hint)


def _with_settings(selection: ModelSelection, model: Model) -> NoModel | None:
    """What is wrong with the settings; a model without a list of them takes any, as far as is known."""
    faults = [fault for each in selection.params if (fault := _setting_fault(each.id, each.value, model))]
    if not faults:
        return None
    return NoModel(
        f"model {quoted(selection.id)}{{}} {' and '.join(message for message, _ in faults)}.",
        "; ".join(hint for _, hint in faults),
    )


def _setting_fault(name: str, value: str, model: Model) -> tuple[str, str] | None:
    if not model.parameters:
        return None
    setting = next((each for each in model.parameters if each.id == name), None)
    if setting is None:
        return f"has no setting {quoted(name)}", f"its settings: {_listed(each.id for each in model.parameters)}"
    values = list(_values(setting))
    if values and value not in values:
        return f"does not take {quoted(value)} as {quoted(name)}", f"{quoted(name)} is one of {_listed(values)}"
    return None


def _listed(words: Iterable[str]) -> str:
    return ", ".join(quoted(word) for word in words)


def _values(setting: ModelSetting) -> Iterator[str]:
    return (each.value for each in setting.values)
