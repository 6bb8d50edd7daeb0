"""The referee of the seeded world: judges by what the service and the disk know, never by what the machine counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrate.core.blueprint import planned_ref
from orchestrate.core.operating import EXIT_BLOCKED
from orchestrate.core.state import State
from orchestrate.model.names import TaskName, is_valid_ref, placeholder_branch
from orchestrate.model.plan import Plan
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import (
    FailureMode,
    FindingKind,
    HandoffStatus,
    MeasurementOutcome,
    OnBlocked,
    RunStatus,
    TaskStatus,
    TaskType,
)
from tests.support.builders import SLUG, WORKSPACE
from tests.support.world_disk import Request
from tests.support.world_money import holds
from tests.support.world_service import SimulatedAgent

if TYPE_CHECKING:
    from tests.support.world import World


class Referee:
    """Raises AssertionError at the first rule that is broken."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._refused: set[tuple[TaskName, int]] = set()
        self._made: set[tuple[TaskName, int]] = set()

    def refused(self, request: Request) -> None:
        """The service refused this launch for good."""
        self._refused.add((request.task, request.attempt))

    def refused_here(self, task: TaskName, attempt: int) -> None:
        """Our own rendering refused this launch for good."""
        self._refused.add((task, attempt))

    def made(self, agent: SimulatedAgent) -> None:
        """The service made an agent: it must be due, the only one of its attempt, and within the limits."""
        request, plan, orders = agent.request, self._world.whole_plan, self._world.orders
        intent = (request.task, request.attempt)
        assert request.workspace_id == WORKSPACE
        assert intent not in self._made, f"a second agent for {intent}"
        assert intent not in self._refused, f"launched again after a refusal: {intent}"
        assert not orders.is_barred(*intent), f"cancelled, and launched by itself: {intent}"
        self._made.add(intent)
        self._world.planners.made(self._world, agent)
        active, allowed = self._world.service.active(self._world.timeline.now), self._slots()
        assert active <= allowed, f"{active} runs in {allowed} slots"
        planners = sum(
            each.request.grant is not None and not each.is_over(self._world.timeline.now)
            for each in self._world.service.agents.values()
        )
        assert request.grant is None or planners <= max(1, allowed // 2), f"{planners} planners in {allowed} slots"
        task = plan.tasks_by_name.get(request.task)
        if task is None:
            return  # it left the plan while its request was on its way
        for name in task.depends_on:
            if orders.was_reset(name, since=request.intended_at):
                return  # it was tried anew after this launch was decided
            if self._world.messages.had_turn(name, since=request.intended_at):
                return  # it went on with a message after that
            assert self._releases(plan, name), f"{request.task} was launched before {name} released it"
        if request.starting_ref == placeholder_branch(SLUG, request.task, task_type=TaskType.WORKER):
            self._check_goes_on(request)
            return
        assert request.starting_ref in self._refs(plan, request.task), f"{request} starts from a wrong ref"
        self._check_former(plan, agent)

    def went_on(self, agent: SimulatedAgent) -> None:
        """A message began another run: no other has begun it, those before it came first, and the limits are kept."""
        task, written = agent.request.task, self._world.messages.written
        begun = [run.message for each in self._world.service.of_task(task).values() for run in each.runs]
        places = [written.index((task, message)) for message in begun if message is not None]
        assert len(set(places)) == len(places), f"a message began two runs: {begun}"
        of_this = [written.index((task, run.message)) for run in agent.runs if run.message is not None]
        assert of_this == sorted(of_this), f"messages overtook each other: {of_this}"
        self._world.planners.check(self._world)
        active, allowed = self._world.service.active(self._world.timeline.now), self._slots()
        assert active <= allowed, f"{active} runs in {allowed} slots"

    def _check_goes_on(self, request: Request) -> None:
        """A try that goes on from the task's own branch: a former one failed, and the branch was there."""
        head = self._world.remote.head(request.starting_ref, now=self._world.timeline.now)
        assert request.attempt > 1, f"{request} goes on from nothing"
        assert head is not None, f"{request} goes on from a branch that is not there"

    def archived(self, agent: SimulatedAgent) -> None:
        """The engine archived an agent: its run must be over, and it is asked for once while nobody has died."""
        assert agent.is_over(self._world.timeline.now), f"archived while it works: {agent}"

    def ended(self, exit_code: int, *, state: State, was_stopped: bool) -> None:
        """An engine left: its exit code says what is true."""
        rows = [state.rows[task.name] for task in state.plan.tasks]
        is_done = all(row.status == TaskStatus.HANDED_OFF and not row.is_called for row in rows)
        if exit_code == EXIT_BLOCKED:
            assert state.session.settings.own_agent_id is not None, "an engine that holds no slot gave it up"
            assert state.running == state.held, f"{state.running - state.held} agents of a planner that gave up"
        elif exit_code in (100, 130):
            assert was_stopped, f"exit {exit_code} and nobody asked for it"
        else:
            assert exit_code == (0 if is_done else 1), f"exit {exit_code}: {[(row.name, row.status) for row in rows]}"

    def finished(self, state: State) -> None:
        """Nothing will change any more: every row says what became of its agent."""
        self._world.purse.check_end(state, self._world.service.agents.values())
        ready = [row for row in state.rows.values() if self._is_ready(state, row)]
        assert not ready or holds(state, ready), f"idle: {ready}"
        called = [row for row in state.rows.values() if row.is_called]
        assert not called or holds(state, called), f"nobody sends: {called}"
        forgotten = self._world.orders.added - set(state.plan.tasks_by_name)
        assert not forgotten, f"added, and forgotten: {forgotten}"
        for row in state.rows.values():
            agents = self._world.service.of_task(row.name)
            if row.status == TaskStatus.RUNNING and row.name not in state.plan.tasks_by_name:
                continue  # nobody wants it any more, and after a fault nobody could watch it
            assert all(agent.is_over(self._world.timeline.now) for agent in agents.values()), f"{row.name} goes on"
            self._check_row(state, row, agents)

    def _check_row(self, state: State, row: TaskRow, agents: dict[int, SimulatedAgent]) -> None:
        last = agents.get(row.attempts)
        match row.status:
            case TaskStatus.HANDED_OFF:
                assert last is not None, row
                assert last.hands_off, (row, last)
                assert row.handoff_status == last.handoff.status
                pushed = _pushed_branch(last)
                assert row.branch == (pushed or placeholder_branch(SLUG, row.name, task_type=row.type)), (row, last)
                assert row.verification == self._expected_verification(state, row, last), row
                self._check_branch(row)
                self._check_measured(state.plan, row)
            case TaskStatus.ERROR if self._world.orders.is_barred(row.name, row.attempts + 1):
                pass  # it failed while it was being cancelled
            case TaskStatus.ERROR:
                assert last is None or not last.hands_off, f"a handoff was lost: {row} {last}"
                assert last is not None or (row.name, row.attempts) in self._refused, f"error without reason: {row}"
                assert last is None or last.is_gone or not self._is_retry_due(state.plan, last), f"no retry: {row}"
            case TaskStatus.CANCELLED if last is None:
                assert self._world.orders.is_barred(row.name, row.attempts + 1), row
            case TaskStatus.CANCELLED if self._world.messages.had_turn(row.name, since=0.0):
                was_cancelled = self._world.orders.is_barred(row.name, row.attempts + 1)  # between two runs
                assert was_cancelled or last.status == RunStatus.CANCELLED, (row, last)
            case TaskStatus.CANCELLED:
                assert last.status == RunStatus.CANCELLED, (row, last)
            case TaskStatus.PENDING:
                assert all(attempt <= row.attempts for attempt in agents), f"an agent that nobody knows: {row}"
            case TaskStatus.PRUNED if row.cancel is not None:
                assert self._world.orders.is_barred(row.name, row.attempts + 1), row
            case TaskStatus.PRUNED:
                assert row.name not in state.plan.tasks_by_name or row.attempts, row
                is_tried_anew = self._world.orders.is_granted(row.name, row.attempts + 1)  # its last try made no agent
                assert is_tried_anew or row.attempts in (0, *agents), row
            case TaskStatus.RUNNING:
                raise AssertionError(f"still running: {row}")

    def _is_ready(self, state: State, row: TaskRow) -> bool:
        task = state.plan.tasks_by_name.get(row.name)
        if row.status != TaskStatus.PENDING or task is None:
            return False
        # one that was cancelled between two runs holds its dependants; _check_row knows that it was
        cancelled = {name for name in task.depends_on if state.rows[name].status == TaskStatus.CANCELLED}
        is_free = not cancelled and all(self._releases(state.plan, name) for name in task.depends_on)
        return is_free and not self._lacks_its_start(state.plan, row)

    def _check_measured(self, plan: Plan, row: TaskRow) -> None:
        """What the plan declares was measured, unless a fault of the program kept it from that; each outcome is true."""
        task = plan.tasks_by_name.get(row.name)
        is_there = row.on_remote is not None and row.on_remote.is_there is True
        if task is not None and is_there and not self._world.luck.program_fault:
            assert {each.name for each in task.measurements} <= {each.name for each in row.measured}, row
        told = [finding.message for finding in row.findings if finding.kind == FindingKind.MEASUREMENT]
        for each in row.measured:
            truth = self._world.remote.bench.truths.get((each.sha or "", each.name), MeasurementOutcome.NOT_RUN)
            assert each.outcome == truth, f"{each} is {truth} in truth"
            assert each.sha in (None, row.head_sha), f"{each} is of a former commit of {row}"
            is_fine = truth in (MeasurementOutcome.MATCH, MeasurementOutcome.NOT_RUN)
            words = f"{each.name}: {truth}: "
            assert is_fine != any(message.startswith(words) for message in told), f"{each} beside {told}"

    def _check_branch(self, row: TaskRow) -> None:
        head = self._world.remote.head(row.branch, now=self._world.timeline.now)
        if row.on_remote is not None and row.on_remote.is_there is not None:
            assert row.on_remote.is_there == (head is not None), row
            assert row.head_sha == head, row

    def _lacks_its_start(self, plan: Plan, row: TaskRow) -> bool:
        """True for a task that starts from the branch of one before it, which nobody has pushed."""
        agents = [last for name in plan.task(row.name).depends_on if (last := self._last(name)) is not None]
        now = self._world.timeline.now
        lacking = [agent for agent in agents if self._world.remote.head(_branch_of(plan, agent), now=now) is None]
        planned = (placeholder_branch(SLUG, each.request.task, task_type=TaskType.WORKER) for each in lacking)
        former = [each for agent in lacking for each in self._world.service.of_task(agent.request.task).values()]
        return row.starting_ref in {*planned, *(_branch_of(plan, each) for each in former)}

    def _expected_verification(self, state: State, row: TaskRow, agent: SimulatedAgent) -> object:
        checkers = [task.name for task in state.plan.tasks if task.verifies == row.name]
        went_on = any(
            agent.past for name in (row.name, *checkers) for agent in self._world.service.of_task(name).values()
        )
        if self._world.orders.was_reset(row.name) or went_on:
            return row.verification  # who checked it may have checked its former work
        if not checkers:
            return agent.handoff.verification
        order = ["verifier-failed", "verifier-blocked", "live-ui-verified", "unit-test-verified", "type-check-only"]
        said = {
            self._world.service.of_task(name)[state.rows[name].attempts].handoff.verification
            for name in checkers
            if state.rows[name].status == TaskStatus.HANDED_OFF
        }
        return next((word for word in (*order, "not-verified") if word in said), None)

    def _slots(self) -> int:
        limit = self._world.plan.limits.max_concurrent_per_repo
        most = self._world.settings.max_concurrent
        return most if limit is None else min(most, limit)

    def _releases(self, plan: Plan, name: TaskName) -> bool:
        last = self._last(name)
        if last is None or not last.hands_off or not last.is_over(self._world.timeline.now):
            return False
        if self._world.orders.is_granted(name, last.request.attempt + 1):
            return False  # it is tried anew
        return last.handoff.status != HandoffStatus.BLOCKED or plan.task(name).on_blocked == OnBlocked.RELEASE

    def _last(self, name: TaskName) -> SimulatedAgent | None:
        agents = self._world.service.of_task(name)
        return agents[max(agents)] if agents else None

    def _refs(self, plan: Plan, name: TaskName) -> set[str]:
        """Where a task may start: what the plan says or, for a placeholder, the branch of its owner."""
        task = plan.task(name)
        planned = planned_ref(plan, task)
        names = {agent.request.task for agent in self._world.service.agents.values()}
        owner = next(
            (name for name in sorted(names) if placeholder_branch(SLUG, name, task_type=TaskType.WORKER) == planned),
            None,
        )
        last = None if owner is None else self._last(owner)
        if owner is None or last is None or not any(run.hands_off for run in last.runs):
            return {planned}
        real = _pushed_branch(last) or planned
        agents = self._world.service.of_task(owner).values()
        former = {_named_branch(run) for agent in agents for run in agent.runs} - {None}
        return {real} if owner in task.depends_on else {real, planned, *former}

    def _check_former(self, plan: Plan, agent: SimulatedAgent) -> None:
        """A second attempt needs a first one that failed, and a policy that wants it."""
        attempt = agent.request.attempt
        if attempt == 1:
            return
        former = self._world.service.of_task(agent.request.task).get(attempt - 1)
        if self._world.orders.is_granted(agent.request.task, attempt):
            assert former is None or former.is_over(self._world.timeline.now), f"{agent.request} beside {former}"
            return
        assert former is not None, agent.request
        assert former.is_over(self._world.timeline.now), f"{agent.request} while the former attempt goes on"
        assert self._is_retry_due(plan, former), f"{agent.request} repeats {former}"

    @staticmethod
    def _is_retry_due(plan: Plan, former: SimulatedAgent) -> bool:
        task = plan.tasks_by_name.get(former.request.task)
        if task is None or task.retry is None or former.hands_off or former.status == RunStatus.CANCELLED:
            return False
        if former.past:
            return False  # a message's run is not tried again
        most = min(task.retry.attempts, task.max_attempts or task.retry.attempts)
        return former.request.attempt < most and (former.failure_mode or FailureMode.UNKNOWN) in task.retry.on


def _pushed_branch(agent: SimulatedAgent) -> str | None:
    """The branch that its last handoff which named one has told."""
    runs = [run for run in reversed(agent.runs) if run.hands_off] if agent.past else [agent]
    return next((branch for run in runs if (branch := _named_branch(run)) is not None), None)


def _named_branch(run: SimulatedAgent) -> str | None:
    branch = run.handoff.branch
    return None if branch in (None, "main") or not is_valid_ref(branch or "") else branch


def _branch_of(plan: Plan, agent: SimulatedAgent) -> str:
    task = plan.tasks_by_name.get(agent.request.task)
    task_type = TaskType.WORKER if task is None else task.type
    return _pushed_branch(agent) or placeholder_branch(SLUG, agent.request.task, task_type=task_type)
