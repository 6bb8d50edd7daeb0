"""A run of another process as its surfaces want it: publications made from the workspace's files instead of an engine.

Rows are applied as the journal has them; nothing is decided here, and nothing is written.
"""

from collections.abc import Iterable
from contextlib import suppress

from orchestrate.cli.picture import Picture
from orchestrate.cli.plan_file import read_plan_file
from orchestrate.core.changes import Change, PlanTaken, RowChanged, Session, Settings, WorkspaceChanged
from orchestrate.core.events import PlanRead
from orchestrate.core.state import State, apply
from orchestrate.errors import InputRefused
from orchestrate.model.checking import parse_plan
from orchestrate.model.names import WorkspaceId
from orchestrate.model.plan import Plan, Task
from orchestrate.model.records import Record
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import TaskStatus
from orchestrate.ports import Publication
from orchestrate.store.loading import LoadedState
from orchestrate.store.tailing import WorkspaceTail

#: Stands for the id of a workspace that has none yet.
_NO_WORKSPACE = WorkspaceId("00000000-0000-4000-8000-000000000000")
_PLAN_READ = PlanRead.__name__


class FilesFeed:
    """What an engine in another process has made true, publication by publication."""

    def __init__(self, picture: Picture) -> None:
        """The picture names the run where no plan does, and has the rows that there will be before the first run."""
        self._path = picture.location.path
        self._slug = picture.slug
        self._planned = picture.rows if picture.is_new else ()
        self._tail = WorkspaceTail(picture.location.folder, root_slug=picture.document.slug)
        self._state = self._state_of(self._tail.first)

    @property
    def state(self) -> State:
        """The last published state."""
        return self._state

    @property
    def plan(self) -> Plan:
        """The plan in force; made from the rows where the file cannot be used."""
        return self._state.plan

    def first(self) -> Publication:
        """What was there before."""
        return Publication(self._state, tuple(self._state.rows.values()), ())

    def news(self) -> tuple[Publication, tuple[Record, ...]] | None:
        """What became true since, and the records that say so; None while nothing did."""
        news = self._tail.news()
        if news.anew is not None:
            self._state = self._state_of(news.anew)
            return self.first(), ()
        if not news.records:
            return None
        self._state = self._after(news.records)
        rows = tuple(row for record in news.records for row in record.rows)
        attention = tuple(item for record in news.records for item in record.attention)
        return Publication(self._state, rows, attention), news.records

    def _after(self, records: Iterable[Record]) -> State:
        state, is_new_plan = self._state, False
        for record in records:
            changes: list[Change] = [RowChanged(row) for row in record.rows]
            if record.workspace is not None:
                changes.append(WorkspaceChanged(record.workspace))
            state = apply(state, changes)
            is_new_plan = is_new_plan or record.event.get("type") == _PLAN_READ
        return apply(state, [PlanTaken(self._read_plan(state.rows.values()))]) if is_new_plan else state

    def _state_of(self, loaded: LoadedState) -> State:
        """The state that these rows make; an engine's own settings are not in its files."""
        workspace = loaded.workspace_or(_NO_WORKSPACE, root_slug=self._slug)
        empty = State(workspace=workspace, session=Session(settings=Settings(max_concurrent=0)))
        rows = list(loaded.rows.values()) or self._planned
        return apply(empty, [*(RowChanged(row) for row in rows), PlanTaken(self._read_plan(rows))])

    def _read_plan(self, rows: Iterable[TaskRow]) -> Plan:
        with suppress(InputRefused):
            plan, _ = parse_plan(read_plan_file(self._path), local=None)
            return plan
        return plan_of_rows(rows, slug=self._slug)


def plan_of_rows(rows: Iterable[TaskRow], *, slug: str) -> Plan:
    """A plan that says of these tasks what their rows say: for a state whose own plan is not there, or has faults."""
    tasks = [
        Task.model_construct(name=row.name, type=row.type, scoped_goal="", depends_on=row.depends_on)
        for row in rows
        if row.status != TaskStatus.PRUNED
    ]
    return Plan.model_construct(goal="", root_slug=slug, base_branch="", repo_url="", tasks=tuple(tasks))
