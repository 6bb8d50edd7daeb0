"""Whole engines under virtual time whose one task's run is watched through all kinds of trouble."""

from contextlib import asynccontextmanager

import anyio
import pytest

from orchestrate.errors import OutcomeUnknown, ProtocolBroken, Refused, Unavailable
from orchestrate.model.vocabulary import RunStatus, TaskStatus
from orchestrate.model.wire import Frame
from tests.support.builders import a_plan, a_task, agent_of
from tests.support.engine_room import SECRET, EngineRoom, ends_after, handoff, never_ends

CALL = {"callId": "1", "name": "shell", "args": {"command": "make"}}


def a_room(behave=None, *tasks, **options):
    room = EngineRoom(a_plan(*tasks or ("a",)), **options)
    if behave is not None:
        room.agents["a"] = behave
    return room


def row_of(room, task="a"):
    return room.state.rows[task]


def test_activity_is_shown_once_over_reconnects():
    async def behave(service, agent_id):
        await anyio.sleep(1)
        service.emit(agent_id, "tool_call", CALL)
        service.emit(agent_id, "interaction_update")
        service.emit(agent_id, "thinking", {"text": "hm"})
        service.cut_streams(agent_id)
        await anyio.sleep(1)
        service.emit(agent_id, "assistant", {"text": "done"})
        service.end_run(agent_id, result=handoff())

    room = a_room(behave)
    assert room.run() == 0
    assert room.surface.activities == [("a", "shell make"), ("a", "thinking"), ("a", "writing its reply")]


def test_a_stream_that_is_cut_says_nothing_of_the_run():
    async def behave(service, agent_id):
        for _ in range(20):
            await anyio.sleep(100)
            service.cut_streams(agent_id)
        service.end_run(agent_id, result=handoff())

    room = a_room(behave)
    assert room.run() == 0
    assert row_of(room).status is TaskStatus.HANDED_OFF
    assert room.service.count("create_agent") == 1


@pytest.mark.parametrize("word", ["status", "error", "heartbeat", "something-new"])
def test_a_stream_that_never_holds_is_not_hammered(word):
    """Each connection brings one new frame and ends, while the run goes on."""

    @asynccontextmanager
    async def one_frame(agent_id, run_id, *, last_event_id=None):
        room.service.calls.append(("stream_run", run_id))

        async def frames():
            yield Frame(None, word, {"code": "stream_unavailable"})

        yield frames()

    room = a_room(ends_after(3600))
    room.service.stream_run = one_frame
    assert room.run() == 0
    assert room.service.count("stream_run") < 3600 / 8 + 10
    assert room.surface.activities == []


def test_a_stream_that_held_is_opened_again_at_once():
    async def behave(service, agent_id):
        for _ in range(5):
            await anyio.sleep(120)
            service.cut_streams(agent_id)
            await anyio.sleep(1)
        service.end_run(agent_id, result=handoff())

    room = a_room(behave)
    assert room.run() == 0
    opened = [moment for call, moment in room.service.moments if call == "stream_run"]
    assert [round(moment - opened[0]) for moment in opened] == [0, 120, 241, 362, 483, 604]


def test_many_runs_without_a_stream_keep_the_rate_of_the_poll():
    tasks = [f"t-{number}" for number in range(50)]
    room = a_room(None, *tasks, max_concurrent=50)
    room.agents = {name: ends_after(3600) for name in tasks}
    room.service.trouble = lambda call, about: Unavailable("503") if call == "stream_run" else None
    assert room.run() == 0
    assert room.service.count("get_run") / 60 < 20


def test_a_stream_of_nothing_but_heartbeats_is_silence():
    async def behave(service, agent_id):
        for _ in range(200):
            await anyio.sleep(15)
            service.emit(agent_id, "heartbeat", id=None)
        service.end_run(agent_id, result=handoff())

    room = a_room(behave)
    assert room.run() == 0
    assert len([line for line in room.attention if "has been silent since" in line]) == 1


def test_a_silence_that_ends_is_told_and_leaves_the_row():
    async def behave(service, agent_id):
        service.emit(agent_id, "tool_call", CALL)
        await anyio.sleep(31 * 60)
        stalled = room.state.rows["a"].stalled_since
        service.emit(agent_id, "thinking")
        await anyio.sleep(1)
        seen.extend([stalled, room.state.rows["a"].stalled_since])
        service.end_run(agent_id, result=handoff())

    seen = []
    room = a_room(behave)
    assert room.run() == 0
    assert seen[0] is not None
    assert seen[1] is None
    told = [line for line in room.attention if "silent" in line]
    assert len(told) == 2
    assert "Last: shell make" in told[0]
    assert told[1].endswith("and went on.")


def test_the_next_engine_keeps_a_silence_and_ends_it_with_new_activity():
    async def behave(service, agent_id):
        service.emit(agent_id, "tool_call", CALL)
        await anyio.sleep(32 * 60)
        room.crash()
        await anyio.sleep(60)
        assert room.state.rows["a"].stalled_since is not None
        service.emit(agent_id, "thinking")
        await anyio.sleep(1)
        assert room.state.rows["a"].stalled_since is None
        service.end_run(agent_id, result=handoff())

    room = a_room(behave)
    assert room.lives(2) == [None, 0]
    assert len([line for line in room.attention if "silent" in line]) == 2


def test_an_end_whose_frame_was_lost_is_found_by_the_poll():
    @asynccontextmanager
    async def deaf(agent_id, run_id, *, last_event_id=None):
        async def frames():
            await anyio.sleep_forever()
            yield Frame(None, "heartbeat")

        yield frames()

    room = a_room(ends_after(100))
    room.service.stream_run = deaf
    assert room.run() == 0
    assert room.service.count("get_run") == 10


def test_an_expired_stream_is_not_asked_for_again():
    room = a_room(ends_after(600))
    room.service.fail_next("stream_run", Refused("gone", code="stream_expired", status=410))
    assert room.run() == 0
    assert room.service.count("stream_run") == 1


def test_a_stream_that_does_not_know_our_last_frame_is_read_from_the_start():
    async def behave(service, agent_id):
        service.emit(agent_id, "thinking")
        await anyio.sleep(1)
        service._live_runs[agent_id][-1].frames.clear()
        service.emit(agent_id, "tool_call", CALL, id="new-1")
        service.cut_streams(agent_id)
        await anyio.sleep(5)
        service.end_run(agent_id, result=handoff())

    room = a_room(behave)
    assert room.run() == 0
    assert room.surface.activities == [("a", "thinking"), ("a", "shell make")]


@pytest.mark.parametrize("error", [Unavailable("503"), OutcomeUnknown("timeout"), ProtocolBroken("no JSON")])
def test_a_service_in_trouble_for_an_hour_is_no_error_of_the_task(error):
    room = a_room(ends_after(60))
    begins = []

    def trouble(call, about):
        now = room.service.moments[-1][1]
        begins.append(now)
        return error if 30 <= now - begins[0] < 3600 and call != "create_agent" else None

    room.service.trouble = trouble

    async def cuts():
        await anyio.sleep(30)
        room.service.cut_streams(agent_of("a"))

    room.meanwhile(cuts)
    assert room.run() == 0
    assert row_of(room).status is TaskStatus.HANDED_OFF
    told = [line for line in room.attention if "no useful answer" in line]
    assert 30 < len(told) <= 60


def test_a_run_that_is_unknown_for_a_while_is_new():
    room = a_room(ends_after(600))
    room.service.fail_next("stream_run", Refused("no run", code="run_not_found", status=404), times=5)
    room.service.fail_next("get_run", Refused("no run", code="run_not_found", status=404), times=5)
    assert room.run() == 0


@pytest.mark.parametrize(
    ("status", "words"), [(404, "does not know run"), (400, "tells nothing of run"), (None, "tells")]
)
def test_a_run_that_the_service_refuses_to_tell_of_for_good_is_an_error_of_the_task(status, words):
    room = a_room(never_ends)

    def trouble(call, about):
        return Refused("no run here", status=status) if call in ("get_run", "stream_run") else None

    room.service.trouble = trouble
    assert room.run() == 1
    row = row_of(room)
    assert row.status is TaskStatus.ERROR
    assert words in row.note
    asked = [moment for call, moment in room.service.moments if call == "get_run"]
    assert 300 <= asked[-1] - asked[0] < 400


def test_a_refusal_between_good_looks_begins_anew():
    room = a_room(ends_after(3600))
    count = iter(range(1_000_000))

    def trouble(call, about):
        if call == "stream_run":
            return Unavailable("no streams today")
        return Refused("no run", status=404) if call == "get_run" and next(count) % 2 else None

    room.service.trouble = trouble
    assert room.run() == 0


@pytest.mark.parametrize("status", [401, 403])
def test_a_key_that_is_refused_in_mid_run_stops_launching_and_leaves_the_agent(status):
    room = a_room(never_ends, "a", a_task("b", depends_on=("a",)))
    lost = []

    def trouble(call, about):
        refused = Refused("the key is refused.", code="unauthorized", status=status, hint="check the key")
        return refused if lost and call != "create_agent" else None

    room.service.trouble = trouble

    @room.meanwhile
    async def _():
        await anyio.sleep(60)
        lost.append(True)
        room.service.cut_streams(agent_of("a"))

    assert room.run() == 1
    row = row_of(room)
    assert (row.status, row.agent_id) == (TaskStatus.RUNNING, agent_of("a"))
    assert row_of(room, "b").status is TaskStatus.PENDING
    assert [line for line in room.attention if "the key is refused. Nothing more is launched: check the key" in line]
    assert room.service.count("cancel_run") == 0

    lost.clear()
    room.agents["b"] = ends_after(1)

    @room.meanwhile
    async def _():
        await anyio.sleep(1)
        room.service.end_run(agent_of("a"), result=handoff())

    assert room.run() == 0


def test_a_secret_in_what_an_agent_does_reaches_neither_screen_nor_attention():
    async def behave(service, agent_id):
        service.emit(agent_id, "tool_call", {"name": "shell", "args": {"command": f"deploy {SECRET}"}})
        await anyio.sleep(32 * 60)
        service.end_run(agent_id, result=handoff())

    room = a_room(behave)
    assert room.run() == 0
    assert SECRET not in repr(room.surface.activities)
    assert SECRET not in repr(room.ledger.records)


def test_a_secret_in_an_error_of_the_service_reaches_no_record():
    room = a_room(never_ends, drain=True)
    room.service.trouble = lambda call, about: (
        Refused(f"who is {SECRET}?", status=404) if call in ("get_run", "stream_run") else None
    )
    assert room.run() == 1
    assert SECRET not in repr(room.ledger.records)


@pytest.mark.parametrize("status", [RunStatus.CANCELLED, RunStatus.ERROR, RunStatus.EXPIRED])
def test_a_run_that_ends_otherwise_ends_its_task_so(status):
    room = a_room(ends_after(10, status=status))
    assert room.run() == 1
    expected = TaskStatus.CANCELLED if status is RunStatus.CANCELLED else TaskStatus.ERROR
    assert row_of(room).status is expected


@pytest.mark.parametrize("told", [handoff("cursor/true-1"), handoff("cursor/false-1"), 5, None])
def test_the_end_costs_one_look_and_leaves_what_the_run_says(told):
    """What the stream tells is read while that look is on its way."""

    async def behave(service, agent_id):
        await anyio.sleep(1)
        service.emit(agent_id, "result", {"status": "FINISHED", "text": told})
        service.emit(agent_id, "result", {"status": "FINISHED", "text": told})
        service.end_run(agent_id, result=handoff("cursor/true-1"), silently=True)

    room = a_room(behave)
    assert room.run() == 0
    assert row_of(room).branch == "cursor/true-1"
    assert room.archive.handoffs["a"].endswith(handoff("cursor/true-1"))
    assert room.service.count("get_run") == 1


def test_a_result_that_comes_too_early_ends_nothing():
    async def behave(service, agent_id):
        await anyio.sleep(1)
        service.emit(agent_id, "result", {"status": "FINISHED", "result": handoff("cursor/false-1")})
        service.cut_streams(agent_id)
        await anyio.sleep(60)
        service.end_run(agent_id, result=handoff("cursor/true-1"))

    room = a_room(behave)
    assert room.run() == 0
    assert row_of(room).branch == "cursor/true-1"


def test_a_look_at_the_end_that_fails_is_made_again():
    room = a_room(ends_after(10))
    room.service.fail_next("get_run", Unavailable("503"))
    assert room.run() == 0
    assert room.service.count("get_run") == 2


@pytest.mark.parametrize("nothing", [None, "", " \n"])
def test_a_reply_that_the_service_tells_late_is_waited_for(nothing):
    async def behave(service, agent_id):
        await anyio.sleep(1)
        service.end_run(agent_id, result=nothing, silently=True)
        await anyio.sleep(3)
        live = service._live_runs[agent_id][-1]
        live.run = live.run.model_copy(update={"result": handoff("cursor/late-1")})

    room = a_room(behave)
    assert room.run() == 0
    assert row_of(room).branch == "cursor/late-1"


def test_the_reply_of_the_stream_stands_in_for_one_that_the_service_does_not_tell():
    async def behave(service, agent_id):
        await anyio.sleep(1)
        service.emit(agent_id, "result", {"status": "FINISHED", "text": handoff("cursor/told-1")})
        service.end_run(agent_id, result=None, silently=True)

    room = a_room(behave)
    assert room.run() == 0
    assert row_of(room).branch == "cursor/told-1"
    assert room.service.count("get_run") == 1


@pytest.mark.parametrize("is_asked_in_vain", [True, False])
def test_a_reply_that_never_comes_is_asked_for_a_few_times_only(is_asked_in_vain):
    async def behave(service, agent_id):
        await anyio.sleep(1)
        service.end_run(agent_id, result="")
        await anyio.sleep(0.3)
        if is_asked_in_vain:
            service.trouble = lambda call, about: Unavailable("503")

    room = a_room(behave)
    assert room.run() == 1
    assert row_of(room).note == "the agent finished and wrote nothing"
    asked = [moment for call, moment in room.service.moments if call == "get_run"]
    assert len(asked) == 4
    assert asked[-1] - asked[0] == pytest.approx(5, abs=1)
