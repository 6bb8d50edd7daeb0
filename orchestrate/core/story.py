"""The story of one task: sentences from the journal, for people. Nothing is ever decided on them.

A record says what happened (its event) and what is true since then (its rows). A sentence is made of both: the event
gives the words, the row before and the row after give what came of it. Events of a version that we do not know tell
at least the step that the row took.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from orchestrate.core import message_story
from orchestrate.core.pacing import LOOK_UP_PATIENCE_SECONDS, REASONS
from orchestrate.core.scenes import Scene
from orchestrate.model.durations import duration
from orchestrate.model.money import dollars
from orchestrate.model.names import TaskName, Timestamp
from orchestrate.model.records import Record
from orchestrate.model.rows import TaskRow
from orchestrate.model.timestamps import seconds_between
from orchestrate.model.vocabulary import LaunchDelay, TaskStatus

#: Events that are about every task that waits; their lines of attention tell what they mean.
OF_ALL_THAT_WAIT = ("AndonRaiseRequested", "AndonClearRequested", "AndonSeen", "AndonUnknown", "AndonKnown")

#: Where the time of day stands in a moment.
_TIME_OF_DAY = slice(11, 19)
#: So many characters of a commit are enough for people.
_SHORT_SHA = 12


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence and its moment."""

    at: Timestamp
    text: str


def story_of(records: Iterable[Record], task: TaskName) -> tuple[Line, ...]:
    """All that the journal tells of this task, in order."""
    lines: list[Line] = []
    before: TaskRow | None = None
    for record in records:
        row = next((row for row in record.rows if row.name == task), None)
        if row is not None:
            scene = Scene(record.at, record.event, before, row)
            lines += (Line(record.at, text) for text in _sentences(scene))
            before = row
        elif record.event.get("task") == task or (record.event.get("type") in OF_ALL_THAT_WAIT and _waits(before)):
            lines += (Line(record.at, item.message) for item in record.attention)
    return tuple(lines)


def _sentences(scene: Scene) -> list[str]:
    own = scene.event.get("task") in (None, scene.row.name)
    tell = _TELLERS.get(scene.said("type")) if own else None
    texts = [] if tell is None else tell(scene)
    texts += _new_ref(scene) + _new_verdicts(scene) + _new_attempt(scene) + message_story.new_turn(scene)
    return texts or _step(scene)


def _waits(row: TaskRow | None) -> bool:
    """True for a task that could be launched, or run again with a message, if nothing held launches."""
    if row is None:
        return False
    is_delayed = row.run_id is None and row.launch is not None and row.launch.delay is not None
    return row.status == TaskStatus.PENDING or row.is_called or (row.status == TaskStatus.RUNNING and is_delayed)


def _plan_read(scene: Scene) -> list[str]:
    before, row = scene.before, scene.row
    if row.status == TaskStatus.PRUNED:
        return ["left the plan before it was launched"]
    if before is None or before.status == TaskStatus.PRUNED:
        came = "in the plan" if before is None else "in the plan again"
        return [came if not row.depends_on else f"{came}; waits for {_listed(row.depends_on)}"]
    if row.status == TaskStatus.PENDING and before.depends_on != row.depends_on:
        return [f"the plan changed: waits for {_listed(row.depends_on) or 'nothing'}"]
    if row.status == TaskStatus.RUNNING and row.run_id is None and row.attempts == before.attempts:
        return ["a new engine looks the agent up by its id"]
    return []


def _agent_launched(scene: Scene) -> list[str]:
    if scene.said("answered_id") != scene.said("agent_id"):
        return [f"running, as another agent than the one asked for: {scene.said('answered_id')}"]
    return ["looked up by its id: it is there; running" if scene.event.get("adopted") else "running"]


def _launch_refused(scene: Scene) -> list[str]:
    return [f"error before launch: {scene.said('message')} No agent was made"]


def _launch_delayed(scene: Scene) -> list[str]:
    words = REASONS.get(LaunchDelay(scene.said("delay")), "later")
    return [f"{words}; no try was counted, asked again {_in_a_while(scene)}"]


def _outcome_unknown(scene: Scene) -> list[str]:
    code, launch = scene.said("code"), scene.row.launch
    silence = seconds_between(scene.row.started_at, scene.at)
    found = f"the service answered {code}" if code else f"no answer for {_span(silence)}"
    if launch is not None and launch.delay is not None:
        return [f"{found}; the agent is looked up by its id {_in_a_while(scene)}"]
    return [f"{found}; looking the agent up by its id"]


def _not_found(scene: Scene) -> list[str]:
    row = scene.row
    if row.status != TaskStatus.RUNNING:
        return []
    later = row.launch is not None and row.launch.delay is not None
    return [f"there is no agent of that id; the same request goes out again{f' {_in_a_while(scene)}' if later else ''}"]


def _access_lost(scene: Scene) -> list[str]:
    if scene.row.status == TaskStatus.PENDING:
        return ["the key was refused: nothing was launched"]
    return ["the key was refused: the next engine with a good key looks the agent up"]


def _stalled(scene: Scene) -> list[str]:
    last = scene.said("last_activity")
    return [f"silent since {scene.said('since')[_TIME_OF_DAY]}{f', last: {last}' if last else ''}; it was not stopped"]


def _stirred(scene: Scene) -> list[str]:
    since = None if scene.before is None else scene.before.stalled_since
    return [f"went on after {_span(seconds_between(since, scene.at))} of silence"]


def _run_ended(scene: Scene) -> list[str]:
    row = scene.row
    if row.status == TaskStatus.RUNNING:
        return ["its run ended"]
    if row.status == TaskStatus.HANDED_OFF:
        status = row.handoff_status or "without a status"
        where = f"on {row.branch}" if row.pushed else "with nothing pushed"
        return [f"handed off, {status}, {where}; verification: {row.verification or 'none'}"]
    if row.status == TaskStatus.CANCELLED:
        return [f"cancelled: {row.note}"]
    mode = scene.said("failure_mode") or "unknown"
    words = scene.said("message") or (
        "it wrote nothing" if scene.said("status") == "FINISHED" else "no reason was given"
    )
    return [f"ended in error: {words} ({mode}). {_what_follows(scene)}"]


def _what_follows(scene: Scene) -> str:
    if scene.row.status == TaskStatus.ERROR:
        return "Not tried again"
    if (seconds_between(scene.at, scene.row.not_before) or 0.0) <= LOOK_UP_PATIENCE_SECONDS:
        return "Tried again at once"
    return f"Tried again {_in_a_while(scene)}"


def _run_missing(scene: Scene) -> list[str]:
    return [f"error: {scene.row.note}"]


def _timer_fired(scene: Scene) -> list[str]:
    timer = scene.event.get("timer")
    kind = timer.get("kind") if isinstance(timer, Mapping) else None
    if kind == "deadline":
        return [scene.row.note or "its deadline was reached"]
    if kind in ("relaunch", "turn") and scene.row.status == TaskStatus.RUNNING:
        former = None if scene.before is None or scene.before.launch is None else scene.before.launch.delay
        unknown = former == LaunchDelay.UNKNOWN_OUTCOME
        return ["looking the agent up by its id again" if unknown else "the same request goes out again"]
    return []


def _effect_failed(scene: Scene) -> list[str]:
    return [f"a fault of this program in {scene.said('effect')}: {scene.said('message')}; the next engine takes it up"]


def _acceptance_written(scene: Scene) -> list[str]:
    note = scene.said("note")
    return [f"accepted by {scene.said('by')} on {scene.row.branch}{f': {note}' if note else ''}"]


def _cancel_requested(scene: Scene) -> list[str]:
    who = scene.said("by") or "somebody"
    match scene.row.status:
        case TaskStatus.PRUNED:
            return [f"stopped by {who} before its launch"]
        case TaskStatus.CANCELLED:
            return [f"cancelled: {scene.row.note}"]
        case _:
            return [f"{who} asked for its cancel"]


def _respawn_requested(scene: Scene) -> list[str]:
    return [f"{scene.said('by') or 'somebody'} has it tried anew"] if scene.row.status == TaskStatus.PENDING else []


def _spawn_requested(scene: Scene) -> list[str]:
    return [f"added to the run by {scene.said('by') or 'somebody'}"] if scene.before is None else []


def _stop_found(scene: Scene) -> list[str]:
    return [f"{scene.said('by') or 'somebody'} stopped the run: {scene.row.note or 'its cancel is asked for'}"]


def _paths_checked(scene: Scene) -> list[str]:
    check = scene.row.paths_check
    if check is None or check.unknown is not None or not check.findings:
        return []
    files = "a file" if check.total == 1 else f"{check.total} files"
    return [f"changed {files} that the plan does not give it, first of all {check.findings[0]}"]


def _usage_answered(scene: Scene) -> list[str]:
    attempt, cents = scene.event.get("attempt"), scene.event.get("cents")
    return [f"try {attempt} cost {dollars(cents)}"] if isinstance(cents, int | float) else []


def _refs_seen(scene: Scene) -> list[str]:
    row, seen = scene.row, scene.row.on_remote
    if seen is None or (scene.before is not None and scene.before.on_remote == seen):
        return []
    if seen.is_there is None:
        return [f"its branch could not be looked up: {seen.unknown}"]
    if not seen.is_there:
        return ["its branch is not on the remote"]
    return [f"the remote has {row.branch}, at {(row.head_sha or '')[:_SHORT_SHA]}"]


def _new_ref(scene: Scene) -> list[str]:
    before, row = scene.before, scene.row
    if before is None or before.starting_ref == row.starting_ref:
        return []
    whose = f", the branch of {row.ref_from}" if row.ref_from else ""
    return [f"starts from {row.starting_ref} now{whose}"]


def _new_verdicts(scene: Scene) -> list[str]:
    known = () if scene.before is None else scene.before.verdicts
    new = (verdict for verdict in scene.row.verdicts if verdict not in known)
    return [f"verdict of {each.by}: {each.value or 'unreadable, it does not count'}" for each in new]


def _new_attempt(scene: Scene) -> list[str]:
    before, row = scene.before, scene.row
    if row.launch is None or row.attempts <= (0 if before is None else before.attempts):
        return []
    asked = f"launch {row.attempts} asked for, starting from {row.starting_ref}"
    if row.attempts > 1 or not row.depends_on:
        return [asked]
    return [f"ready: {_listed(row.depends_on)} had handed off", asked]


def _step(scene: Scene) -> list[str]:
    """At least the step that the row took."""
    if scene.before is not None and scene.before.status == scene.row.status:
        return []
    return [f"is {scene.row.status} now"]


def _in_a_while(scene: Scene) -> str:
    return f"after {_span(seconds_between(scene.at, scene.row.not_before))}"


def _listed(names: Iterable[str]) -> str:
    *first, last = names or ("",)
    return f"{', '.join(first)} and {last}" if first else last


def _span(seconds: float | None) -> str:
    """Rounded: moments have thousandths, and what took half a minute is not to look like 29 seconds."""
    return duration(round(seconds or 0.0))


_TELLERS: Mapping[str, Callable[[Scene], list[str]]] = MappingProxyType(
    {
        "PlanRead": _plan_read,
        "AgentLaunched": _agent_launched,
        "LaunchRefused": _launch_refused,
        "LaunchDelayed": _launch_delayed,
        "LaunchOutcomeUnknown": _outcome_unknown,
        "AgentNotFound": _not_found,
        "AccessLost": _access_lost,
        "RunStalled": _stalled,
        "RunStirred": _stirred,
        "RunEnded": _run_ended,
        "RunMissing": _run_missing,
        "TimerFired": _timer_fired,
        "AcceptanceWritten": _acceptance_written,
        "CancelRequested": _cancel_requested,
        "RespawnRequested": _respawn_requested,
        "SpawnRequested": _spawn_requested,
        "StopFound": _stop_found,
        "PathsChecked": _paths_checked,
        "UsageAnswered": _usage_answered,
        "RefsSeen": _refs_seen,
        "EffectFailed": _effect_failed,
        **message_story.TELLERS,
    }
)
