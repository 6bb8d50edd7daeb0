"""Following a run by its publications: what is new in each, and what is to be shown at any moment.

The cost of a publication is that of its changed rows; the whole plan is looked at once, when it is read.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from orchestrate.cli.screens.estimate import Chain, longest_chain, time_left
from orchestrate.cli.screens.findings import has_findings
from orchestrate.cli.screens.finished import EndView
from orchestrate.cli.screens.live import Active, Failed, LiveView, Upcoming
from orchestrate.cli.screens.tally import Tally, counts_without_plan, tally_of
from orchestrate.core.budgets import last_words, money_of
from orchestrate.core.changes import Phase
from orchestrate.core.operating import EXIT_PLANNERS_TURN
from orchestrate.core.scheduling import hold_reason
from orchestrate.core.slots import slots
from orchestrate.core.state import State, releases
from orchestrate.model.names import TaskName, placeholder_branch
from orchestrate.model.plan import Plan
from orchestrate.model.rows import Attention, TaskRow
from orchestrate.model.timestamps import epoch_seconds, seconds_between, to_timestamp
from orchestrate.model.vocabulary import HandoffStatus, TaskStatus
from orchestrate.ports import Clock, Publication

#: How many of the next tasks are named, and how many candidates are looked at for them.
_UPCOMING = 12
_CANDIDATES = 400
#: How often the longest path is looked for anew: seconds for each thousand tasks.
_ESTIMATE_SECONDS_PER_THOUSAND = 5.0
#: In larger plans the search would be felt by whoever waits for a launch.
_ESTIMATED_TASKS = 2000
#: How many names a list of held tasks has; the rest is counted.
_HELD = 1000
#: For how many failed tasks it is counted how many wait behind them.
_BEHIND_SHOWN = 8
#: Longest piece of a note that tells whether a line repeats it.
_NOTE_BEGINNING = 40


@dataclass(frozen=True, slots=True)
class Move:
    """A row that is not as it was."""

    row: TaskRow
    before: TaskRow | None


@dataclass(frozen=True, slots=True)
class News:
    """What one publication brought."""

    moves: Sequence[Move] = ()
    attention: Sequence[Attention] = ()
    #: True for the first one, which tells what was there before.
    is_first: bool = False


class Follower:
    """What a surface knows of its run."""

    def __init__(self, *, plan: Plan, clock: Clock, is_onlooker: bool = False) -> None:
        self._plan = plan
        self._clock = clock
        #: True where the engine is another process, whose settings nobody knows.
        self._is_onlooker = is_onlooker
        #: When the run's first task was launched, be it by a former engine.
        self._first_start: float | None = None
        self._state: State | None = None
        self._active: dict[TaskName, TaskRow] = {}
        self._failed: dict[TaskName, TaskRow] = {}
        self._found: dict[TaskName, TaskRow] = {}
        self._behind: dict[TaskName, int] = {}
        #: Last sign of life on the monotonic clock, and what was done.
        self._seen: dict[TaskName, tuple[float, str | None]] = {}
        self._left: Chain | None = None
        self._left_at: float | None = None
        self._has_ends = False

    @property
    def state(self) -> State | None:
        """The last published state."""
        return self._state

    @property
    def tally(self) -> Tally:
        """The counts of the last published state."""
        return Tally(waiting=len(self._plan.tasks)) if self._state is None else tally_of(self._state.counts)

    def take(self, publication: Publication) -> News:
        """Take in what is true from now on."""
        before, state = self._state, publication.state
        self._state = state
        rows = {row.name: row for row in publication.rows}
        if before is None or before.blueprint is not state.blueprint:
            self._look_at(state.rows.values())
            return News(attention=publication.attention, is_first=True)
        self._look_at(rows.values())
        moves = [Move(row, before.rows.get(row.name)) for row in rows.values()]
        return News(moves, self._untold(publication.attention, moves))

    def saw(self, task: TaskName, doing: str | None) -> None:
        """An agent gave a sign of life."""
        previous = self._seen.get(task)
        self._seen[task] = (self._clock.monotonic(), doing or (previous[1] if previous else None))

    def doing(self, task: TaskName) -> str | None:
        """What the task's agent did last, as far as it is known."""
        seen = self._seen.get(task)
        return None if seen is None else seen[1]

    def held_by(self, task: TaskName) -> list[str]:
        """The open tasks that wait for this one, directly or not."""
        state = self._state
        if state is None or state.blueprint is None:
            return []
        found: dict[TaskName, None] = {}
        queue = [task]
        for name in queue:
            for each in state.blueprint.dependants.get(name, ()):
                if each not in found and state.rows[each].status == TaskStatus.PENDING and len(found) < _HELD:
                    found[each] = None
                    queue.append(each)
        return list(found)

    def view(self) -> LiveView | None:
        """All that the live block shows at this moment; None before anything was published."""
        state = self._state
        if state is None or state.blueprint is None:
            return None
        now = self._clock.now()
        failed = [
            Failed(row, self._behind_of(row) if place < _BEHIND_SHOWN else 0)
            for place, row in enumerate(self._failed.values())
        ]
        return LiveView(
            slug=state.plan.root_slug,
            tally=self.tally,
            elapsed_seconds=0.0 if self._first_start is None else now - self._first_start,
            now=now,
            slots=None if self._is_onlooker else slots(state),
            hold=hold_reason(state) if state.session.phase == Phase.RUNNING else None,
            is_leaving=state.session.phase != Phase.RUNNING,
            failed=sorted(failed, key=lambda each: -each.behind),
            found=sorted(self._found.values(), key=lambda row: row.finished_at or ""),
            active=[self._as_active(row, now) for row in sorted(self._active.values(), key=_start_of)],
            upcoming=self._upcoming(state),
            left=self._time_left(state, now),
        )

    def end(self, state: State, exit_code: int) -> EndView:
        """The summary of a run that has ended."""
        plan, rows = state.plan, _in_plan_order(state)
        starts = [row.started_at for row in rows if row.started_at is not None]
        first = min(starts, default=None)
        placeholders = (placeholder_branch(plan.root_slug, task.name, task_type=task.type) for task in plan.tasks)
        return EndView(
            slug=plan.root_slug,
            rows=rows,
            exit_code=exit_code,
            money=money_of(state),
            held=last_words(state) if exit_code == EXIT_PLANNERS_TURN and state.session.hold is None else None,
            elapsed_seconds=seconds_between(first, to_timestamp(self._clock.now())),
            longest=longest_chain(state.rows),
            no_branches=frozenset((*placeholders, plan.base_branch)),
            holds={row.name: self.held_by(row.name) for row in rows if row.handoff_status == HandoffStatus.BLOCKED},
        )

    def _look_at(self, rows: Iterable[TaskRow]) -> None:
        for row in rows:
            self._active.pop(row.name, None)
            self._failed.pop(row.name, None)
            self._found.pop(row.name, None)
            started = epoch_seconds(row.started_at) if row.started_at else None
            if started is not None and (self._first_start is None or started < self._first_start):
                self._first_start = started
            if row.status == TaskStatus.RUNNING:
                self._active[row.name] = row
                continue
            self._seen.pop(row.name, None)
            if row.status in (TaskStatus.ERROR, TaskStatus.CANCELLED):
                self._failed[row.name] = row
            if row.status == TaskStatus.HANDED_OFF and has_findings(row):
                self._found[row.name] = row
            if row.status != TaskStatus.PENDING:
                self._behind.clear()
                self._has_ends = True

    def _untold(self, items: Iterable[Attention], moves: Iterable[Move]) -> list[Attention]:
        """Lines that say more than the rows that ended badly, or fell silent, in the same moment."""
        told = [move for move in moves if _tells_itself(move)]
        return [item for item in items if not any(_repeats(item.message, move) for move in told)]

    def _behind_of(self, row: TaskRow) -> int:
        if row.name not in self._behind:
            self._behind[row.name] = len(self.held_by(row.name))
        return self._behind[row.name]

    def _as_active(self, row: TaskRow, now: float) -> Active:
        seen = self._seen.get(row.name)
        started = epoch_seconds(row.started_at) if row.started_at else None
        task = (self._plan if self._state is None else self._state.plan).tasks_by_name.get(row.name)
        most = None if task is None else task.max_attempts or (task.retry.attempts if task.retry else None)
        return Active(
            row,
            seconds=None if started is None else now - started,
            seen_seconds=None if seen is None else self._clock.monotonic() - seen[0],
            doing=None if seen is None else seen[1],
            tries=str(row.attempts) if most is None else f"{row.attempts} of {most}",
        )

    def _upcoming(self, state: State) -> list[Upcoming]:
        """The tasks that are nearest to their start: those behind what runs, and those that wait for a slot only."""
        assert state.blueprint is not None
        names: dict[TaskName, None] = {}
        for active in self._active:
            names.update(dict.fromkeys(state.blueprint.dependants.get(active, ())))
            if len(names) >= _CANDIDATES:
                break
        if len(names) < _UPCOMING:
            names.update(dict.fromkeys(_first_waiting(state)))
        open_names = [name for name in names if name in state.waiting]
        open_names.sort(key=lambda name: (state.waiting[name], state.blueprint.rank(name) if state.blueprint else ()))
        return [Upcoming(state.rows[name], _waits_for(state, name)) for name in open_names[:_UPCOMING]]

    def _time_left(self, state: State, now: float) -> Chain | None:
        if len(state.rows) > _ESTIMATED_TASKS:
            return None
        pause = _ESTIMATE_SECONDS_PER_THOUSAND * len(state.rows) / 1000
        if self._has_ends and (self._left_at is None or now - self._left_at >= pause):
            self._left, self._left_at = time_left(state.rows, now=to_timestamp(now)), now
        return self._left


def _tells_itself(move: Move) -> bool:
    """True where the row's own line, or its place on the screen, says what an attention line says too."""
    row, before = move.row, move.before
    if before is not None and row.starting_ref != before.starting_ref:
        return True
    if before is None or before.status != row.status:
        return row.status in (TaskStatus.ERROR, TaskStatus.CANCELLED)
    return row.stalled_since is not None and before.stalled_since is None


def _repeats(message: str, move: Move) -> bool:
    row, before = move.row, move.before
    if not message.startswith(row.name):
        return False
    if before is not None and row.starting_ref != before.starting_ref:
        return row.starting_ref in message
    if row.stalled_since is not None:
        return row.stalled_since in message
    return bool(row.note) and (row.note or "")[:_NOTE_BEGINNING] in message


def _start_of(row: TaskRow) -> str:
    return row.started_at or ""


def _waits_for(state: State, name: TaskName) -> tuple[str, ...]:
    row = state.rows[name]
    return tuple(
        each for each in row.depends_on if each not in state.rows or not releases(state.rows[each], state.plan)
    )


def _first_waiting(state: State) -> list[TaskName]:
    """Waiting tasks as the map has them; enough for a few lines."""
    found: list[TaskName] = []
    for name in state.waiting:
        found.append(name)
        if len(found) >= _CANDIDATES:
            break
    return found


def _in_plan_order(state: State) -> list[TaskRow]:
    planned = [state.rows[task.name] for task in state.plan.tasks if task.name in state.rows]
    tasks = state.plan.tasks_by_name
    others = [row for row in state.rows.values() if row.name not in tasks and counts_without_plan(row)]
    return [*planned, *others]
