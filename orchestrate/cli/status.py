"""``orchestrate status PLAN``: where every task stands. No network, no lock, and nothing heavy is imported."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from orchestrate.cli import output
from orchestrate.cli.locating import PlanLocation, locate
from orchestrate.cli.screens.layout import rendered
from orchestrate.cli.screens.status import StatusView, status_screen
from orchestrate.cli.screens.tally import tally_of_rows
from orchestrate.cli.screens.vocabulary import Circumstances, standing
from orchestrate.cli.settings import Settings
from orchestrate.cli.terminal import stdout_look
from orchestrate.model.names import TaskName, placeholder_branch
from orchestrate.model.plan_outline import PlanOutline, TaskOutline, outline_of
from orchestrate.model.records import encode_row
from orchestrate.model.rows import TaskRow
from orchestrate.model.timestamps import epoch_seconds
from orchestrate.model.vocabulary import HandoffStatus, TaskStatus, TaskType
from orchestrate.store.loading import LoadedState, read_workspace, workspace_folder
from orchestrate.store.lock import Holder, living_holder
from orchestrate.system import SystemClock

_NAMED = 3


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("plan", metavar="PLAN", nargs="?", help="plan.json or its folder")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print where the run stands; exit code 0 whatever that is."""
    location = locate(args.plan, needs_plan=False)
    document = _read_plan(location.path)
    loaded = read_workspace(location.folder, root_slug=document.slug)
    now = SystemClock().now()
    holder = living_holder(workspace_folder(location.folder), now=now)
    view = _view(document, loaded, location, holder=holder, now=now)
    if args.json:
        output.put_json(_object(view, loaded, holder))
        return 0
    look = stdout_look(settings, args, argument=location.argument)
    output.put(rendered(status_screen(view, look, is_verbose=bool(args.verbose)), look))
    return 0


@dataclass(frozen=True, slots=True)
class _Document:
    """What can be read of the plan without checking it."""

    slug: str | None
    base_branch: str
    outline: PlanOutline
    #: Tasks that release those behind them although they are blocked.
    releasing: frozenset[str]
    is_readable: bool


def _read_plan(path: Path) -> _Document:
    """The plan as far as it can be read; whether it is good is for ``validate`` to say."""
    try:
        value = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        value = None
    fields = value if isinstance(value, dict) else {}
    slug, base, tasks = fields.get("rootSlug"), fields.get("baseBranch"), fields.get("tasks")
    releasing = [
        task.get("name")
        for task in (tasks if isinstance(tasks, list) else ())
        if isinstance(task, dict) and task.get("onBlocked") == "release"
    ]
    return _Document(
        slug=slug if isinstance(slug, str) and slug else None,
        base_branch=base if isinstance(base, str) else "",
        outline=outline_of(value),
        releasing=frozenset(name for name in releasing if isinstance(name, str)),
        is_readable=bool(fields),
    )


def _view(
    document: _Document, loaded: LoadedState, location: PlanLocation, *, holder: Holder | None, now: float
) -> StatusView:
    rows = _rows(document, loaded)
    header = loaded.workspace or loaded.foreign
    slug = document.slug or (header.root_slug if header else None) or location.folder.resolve().name
    is_new = not loaded.rows
    return StatusView(
        slug=slug,
        rows=rows,
        now=now,
        waits_for=_waits_for(rows, document.releasing),
        attention=loaded.attention,
        engine=None if holder is None else holder.described(),
        is_new=is_new,
        last_record=_last_record(loaded),
        elapsed_seconds=_elapsed(rows, now=now, is_alive=holder is not None),
        plan_change=None if is_new else _plan_change(document, loaded),
        no_branches=_unreal_branches(slug, rows, document.base_branch),
        notes=loaded.notes if document.is_readable else (*loaded.notes, f"{location.path} cannot be read"),
    )


def _rows(document: _Document, loaded: LoadedState) -> list[TaskRow]:
    """The rows of the state; before the first run, what the plan will make of them."""
    if loaded.rows:
        return [row for row in loaded.rows.values() if row.status != TaskStatus.PRUNED]
    tasks = {task.name: task for task in reversed(document.outline.named)}
    return [_planned(task) for task in reversed(tasks.values())]


def _planned(task: TaskOutline) -> TaskRow:
    try:
        task_type = TaskType(task.type)
    except ValueError:
        task_type = TaskType.WORKER
    names = dict.fromkeys(TaskName(mention.name) for mention in task.mentions)
    return TaskRow(name=TaskName(task.name), type=task_type, branch="", starting_ref="", depends_on=tuple(names))


def _waits_for(rows: Sequence[TaskRow], releasing: frozenset[str]) -> Mapping[TaskName, Sequence[str]]:
    by_name = {row.name: row for row in rows}

    def is_open(name: TaskName) -> bool:
        row = by_name.get(name)
        if row is None or row.status != TaskStatus.HANDED_OFF:
            return True
        return row.handoff_status == HandoffStatus.BLOCKED and name not in releasing

    return {
        row.name: [name for name in row.depends_on if is_open(name)] for row in rows if row.status == TaskStatus.PENDING
    }


def _last_record(loaded: LoadedState) -> str | None:
    moments = [row.last_update for row in loaded.rows.values() if row.last_update]
    moments += [item.at for item in loaded.attention[-1:]]
    return max(moments, default=None)


def _elapsed(rows: Sequence[TaskRow], *, now: float, is_alive: bool) -> float | None:
    """From the first launch to the last end, or to now while something runs."""
    starts = [start for row in rows if row.started_at and (start := epoch_seconds(row.started_at)) is not None]
    if not starts:
        return None
    is_open = is_alive or any(row.status == TaskStatus.RUNNING for row in rows)
    ends = [end for row in rows if row.finished_at and (end := epoch_seconds(row.finished_at)) is not None]
    return (now if is_open else max(ends, default=now)) - min(starts)


def _plan_change(document: _Document, loaded: LoadedState) -> str | None:
    """Tasks that came or went since an engine last read the plan."""
    if not document.is_readable:
        return None
    planned = {task.name for task in document.outline.named}
    known = {row.name for row in loaded.rows.values() if row.status != TaskStatus.PRUNED and not row.extra.get("adHoc")}
    new, gone = sorted(planned - known), sorted(known - planned)
    words = [f"{_listed(names)} {word}" for names, word in ((new, "new"), (gone, "gone")) if names]
    return ", ".join(words) or None


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= _NAMED else f"{len(names)} tasks"


def _unreal_branches(slug: str, rows: Sequence[TaskRow], base_branch: str) -> frozenset[str]:
    placeholders = (placeholder_branch(slug, row.name, task_type=row.type) for row in rows)
    return frozenset((*placeholders, base_branch))


def _object(view: StatusView, loaded: LoadedState, holder: Holder | None) -> dict[str, object]:
    """The answer to ``--json``; what is not known is left out."""
    tally = tally_of_rows(view.rows)
    engine: dict[str, object] = {"running": holder is not None}
    if holder is not None:
        engine |= {"pid": holder.pid, "host": holder.host, "since": holder.since}
    fields: dict[str, object] = {"rootSlug": view.slug, "engine": engine, "neverRun": view.is_new}
    if loaded.workspace is not None:
        fields["workspaceId"] = loaded.workspace.workspace_id
    fields["counts"] = {
        "total": tally.total,
        "handedOff": tally.handed_off,
        "running": tally.running,
        "waiting": tally.waiting,
        "error": tally.error,
        "cancelled": tally.cancelled,
    }
    fields["tasks"] = [_task_object(row, view) for row in view.rows]
    fields["attention"] = [{"at": item.at, "message": item.message} for item in view.attention]
    if view.last_record is not None:
        fields["lastRecordAt"] = view.last_record
    if view.plan_change is not None:
        fields["planChange"] = view.plan_change
    return output.success("status", **fields)


def _task_object(row: TaskRow, view: StatusView) -> dict[str, object]:
    waits = list(view.waits_for.get(row.name, ()))
    how = standing(row, Circumstances(waits_for=waits, now=view.now))
    document: dict[str, object] = orjson.loads(encode_row(row))
    known = {key: value for key, value in document.items() if value not in (None, "")}
    return {**known, "standing": how.kind.value, "word": how.word, "waitsFor": waits}
