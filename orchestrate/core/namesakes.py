"""Rows that say "running" and not whose: a foreign or damaged state, of which nobody can tell which agent it means.

Nothing is adopted, cancelled or launched for them. The task is in error, and the service is asked which agents it has of
that name, so that whoever reads the note knows which one to end or whose branch to take.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from orchestrate.core.changes import NOTHING, AttentionRaised, Change, Decision, RowChanged, SessionChanged, change
from orchestrate.core.effects import LookForNamesakes
from orchestrate.core.launching import look_for_agent
from orchestrate.core.service_events import Namesake, NamesakesSeen
from orchestrate.core.state import State
from orchestrate.model.names import Timestamp
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import TaskStatus

#: Agents that a note names.
_NAMED = 5


def left_in_error(row: TaskRow, *, at: Timestamp) -> Decision:
    """The task is in error: nobody can watch it, and it is never launched again by itself."""
    note = f"{_lead(row)} {look_for_agent(row.name)}"
    row = replace(row, status=TaskStatus.ERROR, note=note, finished_at=at, last_update=at, launch=None)
    return change(RowChanged(row), AttentionRaised(f"{row.name}: {note}."))


def look_for(state: State, rows: Iterable[TaskRow]) -> Decision:
    """The order to look for the agents of those rows, one for all of them."""
    rows = tuple(row for row in rows if _is_nobody_s(row))
    if not rows:
        return NOTHING
    session = replace(state.session, namesakes=state.session.namesakes | {row.name for row in rows})
    order = LookForNamesakes(root_slug=state.workspace.root_slug, rows=rows)
    return change(SessionChanged(session), effects=[order])


def on_namesakes_seen(state: State, event: NamesakesSeen) -> Decision:
    """The notes say which agents there are; where nobody could be asked they say what a person has to do, as before."""
    changes: list[Change] = [no_longer_looked_for(state)]
    for name in sorted(state.session.namesakes):
        row = state.rows[name]
        if event.unknown is not None:
            changes.append(AttentionRaised(f"{name}: the agents of that name could not be listed: {event.unknown}"))
        elif _is_nobody_s(row):
            words = _words(row, [each for each in event.agents if each.task == name])
            note = f"{_lead(row)} {words}"
            changes += [RowChanged(replace(row, note=note, last_update=event.at)), AttentionRaised(f"{name}: {words}.")]
    return change(*changes)


def no_longer_looked_for(state: State) -> SessionChanged:
    """The session in which nobody looks for agents by their names."""
    return SessionChanged(replace(state.session, namesakes=frozenset()))


def _is_nobody_s(row: TaskRow) -> bool:
    """True for a row that was left in error here, and that nobody has touched since."""
    is_half_known = row.agent_id is None or row.run_id is None
    return row.status == TaskStatus.ERROR and is_half_known and row.launch is None


def _lead(row: TaskRow) -> str:
    ids = f"agent {row.agent_id or 'unknown'}, run {row.run_id or 'unknown'}"
    return f"the state said running without both ids ({ids}); an agent may exist."


def _words(row: TaskRow, agents: Sequence[Namesake]) -> str:
    again = f"orchestrate respawn . {row.name}"
    if not agents:
        return f"The service lists none of that name; to have it done, type {again}"
    shown = ", ".join(_described(each) for each in agents[:_NAMED])
    more = f" and {len(agents) - _NAMED} more" if len(agents) > _NAMED else ""
    return (
        f"The service has {shown}{more}. End one with orchestrate cancel-run --agent-id A --run-id R, or take over what"
        f" it pushed with orchestrate accept . {row.name} --branch B; to have it done anew, type {again}"
    )


def _described(agent: Namesake) -> str:
    """``bc-1 (active, run run-1)``."""
    return f"{agent.agent_id} ({agent.status.value.lower()}, {f'run {agent.run_id}' if agent.run_id else 'no run'})"
