"""What a reader sees of a workspace: the plan as far as it can be read, every row, and the engine that runs it.

Nothing is changed, no lock is taken, and nothing heavy is imported: each verb that looks begins here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import orjson

from orchestrate.cli.locating import PlanLocation
from orchestrate.cli.screens.missing import missing_branches
from orchestrate.cli.screens.tally import Tally, counts_without_plan, tally_of_rows
from orchestrate.cli.screens.vocabulary import Circumstances, Standing, standing
from orchestrate.model.grant_format import own_grant_document
from orchestrate.model.grants import least
from orchestrate.model.money import Money, money_in
from orchestrate.model.names import TaskName, placeholder_branch
from orchestrate.model.plan_outline import PlanOutline, TaskOutline, outline_of
from orchestrate.model.row_format import encode_row
from orchestrate.model.rows import TaskRow
from orchestrate.model.timestamps import epoch_seconds
from orchestrate.model.vocabulary import HandoffStatus, TaskStatus, TaskType
from orchestrate.repo.address import fetched_from
from orchestrate.store.loading import LoadedState, read_workspace, workspace_folder
from orchestrate.store.lock import Holder, living_holder

_HELD_BY_ENGINE = "its turn"
_HELD_WITHOUT_ENGINE = "nothing but the start of an engine"


@dataclass(frozen=True, slots=True)
class PlanDocument:
    """What can be read of a plan without checking it; whether it is good is for ``validate`` to say."""

    slug: str | None
    base_branch: str
    outline: PlanOutline
    #: Tasks that release those behind them although they are blocked.
    releasing: frozenset[str]
    is_readable: bool
    #: ``limits.budgetCents``.
    budget: float | None = None
    #: ``limits.maxAgents``.
    max_agents: int | None = None


@dataclass(frozen=True)
class Picture:
    """A workspace at one moment."""

    location: PlanLocation
    document: PlanDocument
    loaded: LoadedState
    #: In the plan's order, without those that left the plan and are over; before the first run, what the plan will make of its tasks.
    rows: Sequence[TaskRow]
    #: The engine that runs the workspace now.
    holder: Holder | None
    #: Seconds since 1970.
    now: float
    #: True for a state that came from elsewhere: nobody here knows of its engine.
    is_afar: bool = False

    @property
    def is_new(self) -> bool:
        """True before the first run."""
        return not self.loaded.rows

    @cached_property
    def slug(self) -> str:
        """The run's name: the plan's, else the state's, else the folder's."""
        header = self.loaded.workspace or self.loaded.foreign
        return self.document.slug or (header.root_slug if header else None) or self.location.folder.resolve().name

    @cached_property
    def tally(self) -> Tally:
        """How many tasks stand where."""
        return tally_of_rows(self.rows)

    @cached_property
    def waits_for(self) -> Mapping[TaskName, Sequence[str]]:
        """For each waiting task the dependencies that have not released it."""
        return _waits_for(self.rows, self.document.releasing)

    @cached_property
    def missing_branches(self) -> Mapping[TaskName, str]:
        """For each waiting task the branch that it starts from, where the remote is known to lack it."""
        return missing_branches(self.rows)

    @cached_property
    def held_by(self) -> Mapping[str, Sequence[TaskName]]:
        """The waiting tasks that a task has not released yet."""
        held: dict[str, list[TaskName]] = {}
        for name, waits in self.waits_for.items():
            for each in waits:
                held.setdefault(each, []).append(name)
        return held

    @cached_property
    def last_record(self) -> str | None:
        """When the workspace's last record was written."""
        moments = [row.last_update for row in self.loaded.rows.values() if row.last_update]
        moments += [item.at for item in self.loaded.attention[-1:]]
        return max(moments, default=None)

    @cached_property
    def no_branches(self) -> frozenset[str]:
        """Branches that were only planned, or that everybody starts from."""
        placeholders = (placeholder_branch(self.slug, row.name, task_type=row.type) for row in self.rows)
        return frozenset((*placeholders, self.document.base_branch))

    @cached_property
    def remote(self) -> str:
        """Where the reader's git fetches branches from."""
        return fetched_from(self.document.outline.repo_url, folder=self.location.folder)

    @cached_property
    def elapsed_seconds(self) -> float | None:
        """From the first launch to the last end, or to now while something runs."""
        starts = [start for row in self.rows if (start := _moment(row.started_at)) is not None]
        if not starts:
            return None
        is_open = self.holder is not None or any(row.status == TaskStatus.RUNNING for row in self.rows)
        ends = [end for row in self.rows if (end := _moment(row.finished_at)) is not None]
        return (self.now if is_open else max(ends, default=self.now)) - min(starts)

    @cached_property
    def money(self) -> Money:
        """What was spent and is set aside, and how the plan bounds it."""
        workspace, document = self.loaded.workspace, self.document
        spent = 0.0 if workspace is None else workspace.spent
        own, rows = None if workspace is None else workspace.grant, self.loaded.rows.values()
        budget = least(document.budget, None if own is None else own.budget_cents)
        agents = least(document.max_agents, None if own is None else own.max_agents)
        return money_in(rows, spent=spent, budget=budget, max_agents=None if agents is None else int(agents))

    @property
    def notes(self) -> Sequence[str]:
        """What is odd about the files."""
        if self.document.is_readable or self.is_afar:
            return self.loaded.notes
        return (*self.loaded.notes, f"{self.location.path} cannot be read")

    def standing(self, row: TaskRow) -> Standing:
        """How this task stands."""
        return standing(
            row,
            Circumstances(
                waits_for=self.waits_for.get(row.name, ()),
                missing_branch=self.missing_branches.get(row.name),
                held_by=_HELD_BY_ENGINE if self.is_afar or self.holder is not None else _HELD_WITHOUT_ENGINE,
                holds=self.held_by.get(row.name, ()),
                now=self.now,
            ),
        )

    def task_object(self, row: TaskRow) -> dict[str, object]:
        """The task for ``--json``; what is not known is left out."""
        waits = list(self.waits_for.get(row.name, ()))
        missing = self.missing_branches.get(row.name)
        around = Circumstances(waits_for=waits, missing_branch=missing, now=self.now)
        return {**row_object(row, around), "waitsFor": waits, **({} if missing is None else {"missingBranch": missing})}

    def heading(self) -> dict[str, object]:
        """What ``--json`` says of the workspace as a whole: whose it is, its engine, and its counts."""
        engine: dict[str, object] = {"running": self.holder is not None}
        if self.holder is not None:
            engine |= {"pid": self.holder.pid, "host": self.holder.host, "since": self.holder.since}
        fields: dict[str, object] = {"rootSlug": self.slug, "engine": engine, "neverRun": self.is_new}
        if self.is_afar:
            del fields["engine"]
        fields["money"] = self.money.document()
        if self.loaded.workspace is not None:
            fields["workspaceId"] = self.loaded.workspace.workspace_id
            if self.loaded.workspace.grant is not None:
                fields["grant"] = own_grant_document(self.loaded.workspace.grant)
        return {**fields, "counts": counts_object(self.tally)}


def picture_of(location: PlanLocation, *, now: float) -> Picture:
    """The workspace as its files have it now."""
    document = read_document(location.path)
    loaded = read_workspace(location.folder, root_slug=document.slug)
    return Picture(
        location=location,
        document=document,
        loaded=loaded,
        rows=_rows(document, loaded),
        holder=living_holder(workspace_folder(location.folder), now=now),
        now=now,
    )


def picture_from_afar(location: PlanLocation, *, plan: bytes, loaded: LoadedState, now: float) -> Picture:
    """A workspace whose files came from elsewhere."""
    document = document_of(plan)
    rows = _rows(document, loaded)
    return Picture(location, document, loaded, rows, holder=None, now=now, is_afar=True)


def read_document(path: Path) -> PlanDocument:
    """The plan as far as it can be read."""
    try:
        return document_of(path.read_bytes())
    except OSError:
        return document_of(b"")


def document_of(data: bytes) -> PlanDocument:
    """The plan in these bytes, as far as it can be read."""
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        value = None
    fields = value if isinstance(value, dict) else {}
    slug, base, tasks = fields.get("rootSlug"), fields.get("baseBranch"), fields.get("tasks")
    releasing = [
        task.get("name")
        for task in (tasks if isinstance(tasks, list) else ())
        if isinstance(task, dict) and task.get("onBlocked") == "release"
    ]
    return PlanDocument(
        slug=slug if isinstance(slug, str) and slug else None,
        base_branch=base if isinstance(base, str) else "",
        outline=outline_of(value),
        releasing=frozenset(name for name in releasing if isinstance(name, str)),
        is_readable=bool(fields),
        budget=_limit(fields, "budgetCents"),
        max_agents=_limit(fields, "maxAgents"),
    )


def row_object(row: TaskRow, around: Circumstances) -> dict[str, object]:
    """The row for ``--json``, with how it stands; what is not known is left out."""
    how = standing(row, around)
    document: dict[str, object] = orjson.loads(encode_row(row))
    known = {key: value for key, value in document.items() if value not in (None, "")}
    return {**known, "standing": how.kind.value, "word": how.word}


def counts_object(tally: Tally) -> dict[str, int]:
    """The counts for ``--json``."""
    return {
        "total": tally.total,
        "handedOff": tally.handed_off,
        "running": tally.running,
        "waiting": tally.waiting,
        "error": tally.error,
        "cancelled": tally.cancelled,
    }


def _rows(document: PlanDocument, loaded: LoadedState) -> list[TaskRow]:
    if loaded.rows:
        planned = document.outline.by_name
        rows = [row for row in loaded.rows.values() if row.status != TaskStatus.PRUNED]
        return [row for row in rows if row.name in planned or not planned or counts_without_plan(row)]
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
        if row is None or row.status != TaskStatus.HANDED_OFF or row.is_called:
            return True
        return row.handoff_status == HandoffStatus.BLOCKED and name not in releasing

    return {
        row.name: [name for name in row.depends_on if is_open(name)] for row in rows if row.status == TaskStatus.PENDING
    }


def _moment(text: str | None) -> float | None:
    return epoch_seconds(text) if text else None


def _limit(plan: Mapping[str, object], name: str) -> int | None:
    """A limit of the plan; None where it has none that can be one."""
    limits = plan.get("limits")
    value = limits.get(name) if isinstance(limits, dict) else None
    return value if type(value) is int and value >= 0 else None
