"""The screen of ``models``: what the account has, and what each task would get."""

from collections.abc import Sequence
from dataclasses import dataclass

from orchestrate.cli.screens.layout import Line, Look, Span, Tint, command, line
from orchestrate.cli.screens.table import Column, head, name_columns, row_line
from orchestrate.cli.screens.vocabulary import Kind, Standing
from orchestrate.model.catalogue import Catalogue
from orchestrate.model.wire import Model

_COLUMNS = (Column("also called", 20), Column("settings", 0))
_LONG_COLUMNS = (Column("name", 26), *_COLUMNS)
_TASK_COLUMNS = (Column("type", 10), Column("model", 0))


@dataclass(frozen=True, slots=True)
class TaskModel:
    """What one task would get."""

    task: str
    task_type: str
    #: The model and who chose it, or what is wrong.
    words: str
    is_missing: bool = False
    #: True where another model was named before it.
    is_fallback: bool = False


@dataclass(frozen=True, slots=True)
class ModelsView:
    """All that the screen shows."""

    #: Where the models are from: ``the service at api.example.com``.
    origin: str
    #: None where no service is at hand.
    catalogue: Catalogue | None
    #: Empty unless a plan was checked.
    tasks: Sequence[TaskModel] = ()
    hints: Sequence[str] = ()


def models_screen(view: ModelsView, look: Look) -> list[Line]:
    """The lines: the tasks first where a plan was checked, then the catalogue."""
    lines = [*_tasks(view, look)]
    if view.catalogue is None or view.catalogue.is_open:
        why = "no local server runs" if view.catalogue is None else "it lists no models of its own"
        return [*lines, line(f"{view.origin}: {why}; any name is handed to the agent program")]
    count = len(view.catalogue.models)
    lines.append(line(Span(view.origin, Tint.STRONG), f"   {count} {'model' if count == 1 else 'models'}"))
    names = name_columns((model.id for model in view.catalogue.models), look)
    columns = _LONG_COLUMNS if look.is_long else _COLUMNS
    lines.append(head("model", columns, names=names))
    lines += [_row(model, look, names=names) for model in view.catalogue.models]
    return lines


def _row(model: Model, look: Look, *, names: int) -> Line:
    cells = [", ".join(model.aliases), settings_of(model)]
    how = Standing(Kind.READY, "")
    if look.is_long:
        return row_line(how, model.id, [model.display_name, *cells], _LONG_COLUMNS, names=names)
    return row_line(how, model.id, cells, _COLUMNS, names=names)


def settings_of(model: Model) -> str:
    """``effort: low, high; tone``."""
    told = []
    for setting in model.parameters:
        values = ", ".join(each.value for each in setting.values)
        told.append(f"{setting.id}: {values}" if values else setting.id)
    return "; ".join(told)


def _tasks(view: ModelsView, look: Look) -> list[Line]:
    if not view.tasks:
        return []
    names = name_columns((each.task for each in view.tasks), look)
    lines = [head("task", _TASK_COLUMNS, names=names)]
    for each in view.tasks:
        kind = Kind.ERROR if each.is_missing else Kind.STALLED if each.is_fallback else Kind.DONE
        lines.append(row_line(Standing(kind, ""), each.task, [each.task_type, each.words], _TASK_COLUMNS, names=names))
    lines += [command("  do  ", hint) for hint in view.hints]
    return [*lines, line("")]
