"""The machine: ``decide(state, event)`` answers with changes and effects, ``apply`` makes the changes true.

Rules that hold for every handler:

1. It is pure. All it knows is the state and the event; all it does is answer.
2. Changes are whole rows. Replaying them gives the same state; replay never decides again.
3. An answer that is not for the row's present launch or run changes nothing. It came late.
4. No handler starts a task: after it, tasks that became ready are started, and then the end is looked for.
5. A row only takes the steps of the transition table (``core.transitions``); anything else is a bug, and is raised.
6. While the engine leaves, facts are still taken in, but nothing new is started: launches and look-ups that a
   handler asks for are left to the next engine, whose recovery derives them from the rows.
"""

from dataclasses import replace
from typing import assert_never

from orchestrate.core import (
    accepting,
    ad_hoc,
    andon,
    cancelling,
    capacity,
    finishing,
    follow_ups,
    grants,
    launching,
    measuring,
    namesakes,
    operating,
    path_checks,
    plan_edits,
    publishing,
    recovery,
    requesting,
    respawning,
    retrying,
    returning,
    scheduling,
    sightings,
    spending,
    starving,
    steering,
    stopping,
    transitions,
    turns,
    watching,
)
from orchestrate.core.andon_events import AndonClearRequested, AndonKnown, AndonRaiseRequested, AndonSeen, AndonUnknown
from orchestrate.core.changes import NOTHING, Decision, Phase, RowChanged, change
from orchestrate.core.effects import (
    AskUsage,
    CheckPaths,
    CountSubtree,
    LaunchAgent,
    LookForNamesakes,
    LookUpAgent,
    LookUpRefs,
    LookUpRuns,
    ReadGrant,
    SendFollowUp,
    TakeMeasurements,
)
from orchestrate.core.events import (
    AccessLost,
    AgentLaunched,
    AgentNotFound,
    CancelAnswered,
    EffectFailed,
    EngineStarted,
    Event,
    LaunchDelayed,
    LaunchOutcomeUnknown,
    LaunchRefused,
    PathsChecked,
    PlanRead,
    RunEnded,
    RunMissing,
    RunStalled,
    RunStirred,
    ServiceUnreachable,
    StopReason,
    StopRequested,
    TimerFired,
    TimerKind,
)
from orchestrate.core.follow_up_events import (
    DropRequested,
    FollowUpDelayed,
    FollowUpOutcomeUnknown,
    FollowUpRefused,
    FollowUpSent,
    RunsSeen,
    SteerRequested,
)
from orchestrate.core.grant_events import GrantRead, GrantUnread, SubtreeCounted
from orchestrate.core.measurement_events import MeasurementsTaken
from orchestrate.core.plan_events import PlanNotTaken
from orchestrate.core.publishing_events import EngineSuperseded, StateNotPublished, StatePublished
from orchestrate.core.ref_events import RefsSeen
from orchestrate.core.request_events import (
    AcceptanceWritten,
    AcceptRequested,
    CancelRequested,
    FileSetAside,
    RequestAnswered,
    RequestUnmet,
    RespawnRequested,
    SpawnRequested,
    StopFound,
)
from orchestrate.core.service_events import ArchiveAnswered, CallsSlowed, NamesakesSeen
from orchestrate.core.state import State, apply
from orchestrate.core.usage_events import UsageAnswered

_STARTS = (LaunchAgent, LookUpAgent, LookUpRuns, SendFollowUp)


class MachineError(Exception):
    """A bug of the machine: a row took a step that is not in the transition table."""


def decide(state: State, event: Event) -> Decision:
    """What follows from this event: rows as they are from now on, and orders to the outside."""
    return step(state, event)[1]


def step(state: State, event: Event) -> tuple[State, Decision]:
    """The decision, and the state after it."""
    decision = _handled(state, event)
    after = apply(state, decision.changes)
    dropped = turns.left_over(state, after, decision)
    after, decision = apply(after, dropped.changes), decision + dropped
    if state.session.phase != Phase.RUNNING:
        decision = _without_starts(decision)
    _check_steps(state, decision, event)
    learned = capacity.learned(after, event)
    after = apply(after, learned.changes)
    learned += starving.noticed(after, event)
    after = apply(after, learned.changes)
    started = scheduling.start_ready_tasks(after, event)
    after = apply(after, started.changes)
    ended = operating.end_if_over(after)
    whole = decision + learned + started + ended
    caused = tuple(replace(effect, cause=event.id) for effect in whole.effects)
    return apply(after, ended.changes), replace(whole, effects=caused)


def _without_starts(decision: Decision) -> Decision:
    """The decision without launches, messages and look-ups."""
    kept = tuple(effect for effect in decision.effects if not isinstance(effect, _STARTS))
    return replace(decision, effects=kept)


def _check_steps(state: State, decision: Decision, event: Event) -> None:
    for item in decision.changes:
        if isinstance(item, RowChanged):
            before = state.rows.get(item.row.name)
            if before is not None and not transitions.is_legal(before.status, item.row.status):
                raise MachineError(f"{item.row.name}: {before.status} -> {item.row.status} after {event!r}")


def _handled(state: State, event: Event) -> Decision:  # noqa: C901, PLR0912, PLR0915  one arm an event is the clearest table
    match event:
        case EngineStarted():
            return operating.on_engine_started(state, event)
        case PlanRead():
            return recovery.on_plan_read(state, event)
        case PlanNotTaken():
            return plan_edits.on_plan_not_taken(event)
        case AgentLaunched():
            return launching.on_agent_launched(state, event)
        case LaunchRefused():
            return launching.on_launch_refused(state, event)
        case LaunchDelayed():
            return launching.on_launch_delayed(state, event)
        case LaunchOutcomeUnknown():
            return launching.on_launch_outcome_unknown(state, event)
        case AgentNotFound():
            return launching.on_agent_not_found(state, event)
        case AccessLost():
            lost = launching.on_launch_access_lost(state, event) + watching.on_watch_access_lost(state, event)
            lost += follow_ups.on_access_lost(state, event)
            return lost + operating.on_access_lost(apply(state, lost.changes), event)
        case RunStalled():
            return watching.on_run_stalled(state, event)
        case RunStirred():
            return watching.on_run_stirred(state, event)
        case RunEnded():
            return _with_question(state, finishing.on_run_ended(state, event), event)
        case RunMissing():
            return _with_question(state, watching.on_run_missing(state, event), event)
        case RunsSeen():
            return follow_ups.on_runs_seen(state, event)
        case FollowUpSent():
            return follow_ups.on_follow_up_sent(state, event)
        case FollowUpDelayed():
            return follow_ups.on_follow_up_delayed(state, event)
        case FollowUpRefused():
            return follow_ups.on_follow_up_refused(state, event)
        case FollowUpOutcomeUnknown():
            return follow_ups.on_follow_up_unknown(state, event)
        case SteerRequested():
            return steering.on_steer_requested(state, event)
        case DropRequested():
            return steering.on_drop_requested(state, event)
        case UsageAnswered():
            return spending.on_usage_answered(state, event)
        case GrantRead():
            return _with_bounds(state, grants.on_grant_read(state, event), event)
        case GrantUnread():
            return grants.on_grant_unread(state, event)
        case SubtreeCounted():
            return returning.on_subtree_counted(state, event)
        case CancelAnswered():
            return watching.on_cancel_answered(state, event)
        case ServiceUnreachable():
            return operating.on_service_unreachable(event)
        case ArchiveAnswered():
            return capacity.on_archive_answered(state, event)
        case NamesakesSeen():
            return namesakes.on_namesakes_seen(state, event)
        case CallsSlowed():
            return operating.on_calls_slowed(event)
        case AcceptRequested():
            return accepting.on_accept_requested(state, event)
        case AcceptanceWritten():
            return accepting.on_acceptance_written(state, event)
        case CancelRequested():
            return cancelling.on_cancel_requested(state, event)
        case RespawnRequested():
            return respawning.on_respawn_requested(state, event)
        case SpawnRequested():
            return ad_hoc.on_spawn_requested(state, event)
        case StopFound():
            return stopping.on_stop_found(state, event)
        case RequestUnmet():
            return requesting.on_request_unmet(state, event)
        case FileSetAside():
            return requesting.on_file_set_aside(state, event)
        case RequestAnswered():
            return requesting.on_request_answered(state, event)
        case PathsChecked():
            return path_checks.on_paths_checked(state, event)
        case RefsSeen():
            return sightings.on_refs_seen(state, event)
        case MeasurementsTaken():
            return measuring.on_measurements_taken(state, event)
        case AndonRaiseRequested():
            return andon.on_raise_requested(state, event)
        case AndonClearRequested():
            return andon.on_clear_requested(state, event)
        case AndonSeen():
            return andon.on_andon_seen(state, event)
        case AndonUnknown():
            return andon.on_andon_unknown(state, event)
        case AndonKnown():
            return andon.on_andon_known(state)
        case StateNotPublished():
            return publishing.on_state_not_published(state, event)
        case StatePublished():
            return publishing.on_state_published(state, event)
        case EngineSuperseded():
            return publishing.on_engine_superseded(state, event)
        case TimerFired():
            return _on_timer(state, event)
        case StopRequested():
            return operating.on_stop_requested(state, event)
        case EffectFailed():
            return _on_effect_failed(state, event)
        case _:
            raise MachineError(f"no handler for {event!r}")


def _with_question(state: State, ended: Decision, event: RunEnded | RunMissing) -> Decision:
    """The end of a run with the questions what it cost, and what its agents came to; none after a late answer."""
    if not ended.changes:
        return ended
    after = apply(state, ended.changes)
    ended += spending.asked(after, after.rows[event.task], at=event.at)
    after = apply(state, ended.changes)
    return ended + returning.asked(after, [after.rows[event.task]], at=event.at)


def _with_bounds(state: State, read: Decision, event: GrantRead) -> Decision:
    """What a grant was read to be, with the questions that only bounded workspaces ask."""
    if not read.changes:
        return read
    after = apply(state, read.changes)
    read += spending.taken_up(after, at=event.at)
    after = apply(state, read.changes)
    return read + returning.asked(after, after.rows_in_order(), at=event.at)


def _on_effect_failed(state: State, event: EffectFailed) -> Decision:
    """A bug of ours; nothing waits for what it kept from happening."""
    if event.request is not None:
        return watching.on_effect_failed(state, event) + change(requesting.closed(state, event.request))
    if event.effect == CheckPaths.__name__ and event.task is not None:
        return watching.on_effect_failed(state, event) + change(path_checks.no_longer_checked(state, event.task))
    if event.effect == AskUsage.__name__ and event.task is not None:
        return watching.on_effect_failed(state, event) + change(spending.no_longer_asked(state, event.task))
    if event.effect == CountSubtree.__name__ and event.task is not None:
        return watching.on_effect_failed(state, event) + change(returning.no_longer_counted(state, event.task))
    if event.effect == ReadGrant.__name__:
        return grants.on_effect_failed(state, event.message)
    if event.effect == TakeMeasurements.__name__ and event.task is not None:
        return watching.on_effect_failed(state, event) + change(measuring.no_longer_measured(state, event.task))
    if event.effect == LookForNamesakes.__name__:
        return watching.on_effect_failed(state, event) + change(namesakes.no_longer_looked_for(state))
    if event.effect == LookUpRefs.__name__:
        return watching.on_effect_failed(state, event) + sightings.on_look_up_failed(state, event)
    return watching.on_effect_failed(state, event) + follow_ups.on_effect_failed(state, event)


def _on_timer(state: State, event: TimerFired) -> Decision:  # noqa: C901, PLR0912  one arm a kind is the clearest table
    match event.timer.kind:
        case TimerKind.RELAUNCH:
            return launching.on_relaunch_due(state, event)
        case TimerKind.TURN:
            return NOTHING  # ``capacity.learned`` says what it means
        case TimerKind.DEADLINE:
            return watching.on_deadline(state, event)
        case TimerKind.RETRY:
            return retrying.on_retry_due(state, event)
        case TimerKind.CANCEL:
            return watching.on_cancel_due(state, event)
        case TimerKind.GRACE:
            return operating.on_grace_over(state)
        case TimerKind.CHECKPOINT:
            return operating.on_stop_requested(state, StopRequested(at=event.at, reason=StopReason.CHECKPOINT))
        case TimerKind.LINGER:
            return operating.on_linger_over(state, event)
        case TimerKind.LOOK_UP:
            return sightings.on_look_up_late(state, event)
        case TimerKind.MESSAGE:
            return follow_ups.on_message_due(state, event)
        case TimerKind.STARVED:
            return starving.on_starved(state, event)
        case TimerKind.GRANT:
            return grants.on_grant_due(state, event)
        case TimerKind.SUBTREE:
            return returning.on_count_due(state, event)
        case TimerKind.USAGE:
            return spending.on_usage_due(state, event)
        case _:
            assert_never(event.timer.kind)
