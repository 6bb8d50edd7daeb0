"""Asking what attempts cost: at the end of a run, and again after longer and longer pauses, because cost lags.

The answer settles the attempt's charge. A cost that was told once may grow, and never becomes less. A message begins
another run of the same agent, whose cost is told as one sum: each question is for the sum up to one run, and only the
answer that covers the last one settles what was set aside for follow-ups.

A budget needs every cost: each is asked for until it is told, and the end of the run waits a moment for it. Without a
budget a cost is only for people to read: nothing waits for it, it is asked for a few times and then left, and as long
as the service has told none at all only a few attempts are asked for at a time. The first cost that is told has the
others asked for too.
"""

from collections.abc import Iterable
from dataclasses import replace

from orchestrate.core.accounts import units
from orchestrate.core.budgets import Bound, bound_ahead, has_bounds, has_budget, reserve_cents
from orchestrate.core.changes import (
    NOTHING,
    Change,
    Decision,
    Inquiry,
    RowChanged,
    SessionChanged,
    WorkspaceChanged,
    change,
)
from orchestrate.core.effects import AskUsage, SetTimer
from orchestrate.core.events import Timer, TimerFired, TimerKind
from orchestrate.core.state import State, apply
from orchestrate.core.turns import is_between_runs
from orchestrate.core.usage_events import UsageAnswered
from orchestrate.model.names import RunId, TaskName, Timestamp
from orchestrate.model.rows import Charge, TaskRow
from orchestrate.model.timestamps import seconds_between
from orchestrate.model.vocabulary import TaskStatus

#: Seconds between two questions; the last pause repeats.
_PAUSES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 300.0)
#: The same where no budget needs the answer; behind the last nobody asks again.
_PAUSES_WITHOUT_BUDGET = (60.0, 300.0)
#: Attempts without a budget that are asked for at a time while no cost was ever told.
_PROBES = 8


def asked(state: State, row: TaskRow, *, at: Timestamp) -> Decision:
    """The question what the row's present attempt cost, once its run has ended and where the answer is wanted."""
    charge = _charge(row, row.attempts)
    if charge is None or state.session.settings.answers_only:
        return NOTHING
    if not has_budget(state) and not _tells_costs(state) and len(state.session.inquiries) >= _PROBES:
        return NOTHING
    return _asked(state, [(row.name, charge, Inquiry(row.run_id, since=at, lingers=has_budget(state)))])


def taken_up(state: State, *, at: Timestamp) -> Decision:
    """Charges for agents of before there were any; under a budget also the questions that nobody had an answer to."""
    if not has_bounds(state):
        return NOTHING
    adopted = [RowChanged(row) for each in state.rows_in_order() if (row := _adopted(state, each)) is not None]
    decision = Decision(tuple(adopted))
    return decision + _asked_for_rest(apply(state, adopted), at=at) if has_budget(state) else decision


def _known_since(row: TaskRow) -> Timestamp | None:
    """A moment at or after the end of the row's last run; one that is tried anew has forgotten that end."""
    return row.finished_at or row.started_at or row.last_update


def on_usage_answered(state: State, event: UsageAnswered) -> Decision:
    """The cost, or that it is not known yet; then it is asked for again."""
    row = state.rows.get(event.task)
    charge = None if row is None else _charge(row, event.attempt)
    if row is None or charge is None:
        return NOTHING
    if event.cents is None:
        return _not_yet(state, row, event) if charge.is_open else change(*_answered(state, event))
    grown = units(event.cents) - units(charge.cents or 0.0)
    changes: list[Change] = [*_answered(state, event)]
    settled = _settled(row, charge, event)
    if settled != charge:
        changes.append(RowChanged(_with_charge(row, settled)))
    if charge.cents is None or grown > 0:
        spent = round(state.workspace.spent + max(0, grown) / units(1), 3)
        changes.append(WorkspaceChanged(replace(state.workspace, spent=spent)))
    decision = change(*changes)
    return decision if _tells_costs(state) else decision + _asked_for_rest(apply(state, changes), at=event.at)


def on_usage_due(state: State, event: TimerFired) -> Decision:
    """The pause is over: the attempt's cost is asked for again."""
    row = state.rows.get(event.timer.task) if event.timer.task else None
    charge = None if row is None else _charge(row, event.timer.attempt)
    if row is None or charge is None:
        return NOTHING
    key = (row.name, charge.attempt)
    inquiry = state.session.inquiries.get(key)
    if inquiry is None or inquiry.is_asked:
        return NOTHING
    asked_again = _with_inquiry(state, key, replace(inquiry, is_asked=True))
    return change(asked_again, effects=[_question(row.name, charge, inquiry)])


def no_longer_asked(state: State, task: TaskName) -> SessionChanged:
    """The session in which nobody waits for what this task cost."""
    left = state.session.inquiries
    for name, attempt in [key for key in left if key[0] == task]:
        left = left.delete((name, attempt))
    return SessionChanged(replace(state.session, inquiries=left))


def awaits_first_answer(state: State) -> bool:
    """True while a run that has just ended was not told what it cost."""
    return any(inquiry.lingers for inquiry in state.session.inquiries.values())


def awaits_costs(state: State) -> bool:
    """True while only the budget holds the next task, and a cost that is asked for may still make room."""
    if bound_ahead(state) != Bound.BUDGET:
        return False
    return any(not inquiry.is_given_up for inquiry in state.session.inquiries.values())


def _tells_costs(state: State) -> bool:
    """True once a cost was told, to this engine or to a former one."""
    return bool(state.accounts.dearest)


def _asked_for_rest(state: State, *, at: Timestamp) -> Decision:
    """The question for every attempt that is over, has no known cost and is not asked for."""
    lingers = has_budget(state)
    return _asked(
        state,
        [
            (
                row.name,
                charge,
                Inquiry(_last_run(row, charge.attempt), since=_known_since(row) or at, lingers=lingers),
            )
            for row in state.rows_in_order()
            for charge in row.charges
            if charge.is_open and _is_over(row, charge) and (row.name, charge.attempt) not in state.session.inquiries
        ],
    )


def _asked(state: State, questions: Iterable[tuple[TaskName, Charge, Inquiry]]) -> Decision:
    inquiries, effects = state.session.inquiries, list[AskUsage]()
    for name, charge, inquiry in questions:
        inquiries = inquiries.set((name, charge.attempt), inquiry)
        effects.append(_question(name, charge, inquiry))
    if not effects:
        return NOTHING
    return change(SessionChanged(replace(state.session, inquiries=inquiries)), effects=effects)


def _not_yet(state: State, row: TaskRow, event: UsageAnswered) -> Decision:
    """Asked again: without end under a budget, else for as long as costs usually take."""
    key = (row.name, event.attempt)
    inquiry = state.session.inquiries.get(key)
    if inquiry is None or not inquiry.is_asked or inquiry.run_id != event.run_id:
        return NOTHING
    pause = _pause_after(state, inquiry.answers)
    if pause is None:
        return change(*_answered(state, event))
    passed = seconds_between(inquiry.since, event.at) or 0.0
    is_given_up = inquiry.is_given_up or passed >= state.session.settings.cost_patience_seconds
    timer = SetTimer(timer=Timer(TimerKind.USAGE, row.name, event.attempt), delay_seconds=pause)
    inquiry = Inquiry(inquiry.run_id, inquiry.since, inquiry.answers + 1, is_asked=False, is_given_up=is_given_up)
    return change(_with_inquiry(state, key, inquiry), effects=[timer])


def _pause_after(state: State, answers: int) -> float | None:
    """Seconds to the next question after so many answers before this one; None where there is no next one."""
    if has_budget(state):
        return _PAUSES[min(answers, len(_PAUSES) - 1)]
    return _PAUSES_WITHOUT_BUDGET[answers] if answers < len(_PAUSES_WITHOUT_BUDGET) else None


def _with_inquiry(state: State, key: tuple[TaskName, int], inquiry: Inquiry) -> SessionChanged:
    return SessionChanged(replace(state.session, inquiries=state.session.inquiries.set(key, inquiry)))


def _question(name: TaskName, charge: Charge, inquiry: Inquiry) -> AskUsage:
    return AskUsage(task=name, attempt=charge.attempt, agent_id=charge.agent_id, run_id=inquiry.run_id)


def _answered(state: State, event: UsageAnswered) -> tuple[SessionChanged, ...]:
    """The session without the question; another run's is open still."""
    key = (event.task, event.attempt)
    inquiries = state.session.inquiries
    if key not in inquiries or inquiries[key].run_id != event.run_id:
        return ()
    return (SessionChanged(replace(state.session, inquiries=inquiries.delete(key))),)


def _settled(row: TaskRow, charge: Charge, event: UsageAnswered) -> Charge:
    """The charge after this cost was told; where it covers the last run, only messages on their way set aside."""
    assert event.cents is not None
    is_current = charge.attempt == row.attempts
    if event.run_id == _last_run(row, charge.attempt) and (is_between_runs(row) or _is_over(row, charge)):
        on_their_way = sum(message.reserved for message in row.queue) if is_current else 0.0
        charge = replace(charge, follow_ups=round(on_their_way, 3))
    if charge.cents is not None and units(event.cents) <= units(charge.cents):
        return charge
    return replace(charge, cents=event.cents, tokens=event.tokens or charge.tokens)


def _last_run(row: TaskRow, attempt: int) -> RunId | None:
    """The newest run of the attempt's agent, as far as the row tells."""
    if attempt == row.attempts and row.run_id is not None:
        return row.run_id
    return next((run.id for run in reversed(row.runs) if run.attempt == attempt), None)


def _adopted(state: State, row: TaskRow) -> TaskRow | None:
    """The row with a charge for its agent, which was made before charges were kept; None for any other row."""
    if row.agent_id is None or row.charges:
        return None
    charge = Charge(row.attempts, row.agent_id, row.type, reserve_cents(state, row.type))
    return replace(row, charges=(charge,))


def _is_over(row: TaskRow, charge: Charge) -> bool:
    """True for the charge of a run that does not go on; an intent in doubt is no run yet."""
    return row.status != TaskStatus.RUNNING or charge.attempt != row.attempts


def _charge(row: TaskRow, attempt: int) -> Charge | None:
    return next((charge for charge in row.charges if charge.attempt == attempt), None)


def _with_charge(row: TaskRow, charge: Charge) -> TaskRow:
    charges = tuple(charge if each.attempt == charge.attempt else each for each in row.charges)
    return replace(row, charges=charges)
