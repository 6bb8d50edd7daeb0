"""Launches whose answers are lost, late, odd or refused: one agent for an attempt, whatever happens."""

from dataclasses import replace

import anyio
import orjson
import pytest

from orchestrate.core.effects import LaunchAgent, LookUpAgent
from orchestrate.core.events import AgentNotFound, LaunchOutcomeUnknown, LaunchRefused
from orchestrate.engine.gate import QUOTA_CODE
from orchestrate.engine.launch import Launcher
from orchestrate.engine.requests import RequestOptions, RequestWriter
from orchestrate.errors import CapacityReached, OutcomeUnknown, ProtocolBroken, RateLimited, Refused, Unavailable
from orchestrate.model.rows import Launch
from orchestrate.model.vocabulary import LaunchDelay, TaskStatus
from orchestrate.model.wire import METADATA_WORKSPACE
from tests.support.builders import WORKSPACE, a_launching_row, a_plan, a_task, agent_of
from tests.support.engine_room import (
    SECRET,
    EngineRoom,
    TroubledService,
    ends_after,
    never_ends,
    request_body,
    templates,
)
from tests.support.memory_store import MemoryArchive
from tests.support.virtual_time import LoopClock, virtually

NOT_FOUND = Refused("no such agent", code="agent_not_found", status=404)
CONFLICT = Refused("that agent exists", code="agent_id_conflict", status=409)
LOST = OutcomeUnknown("the connection broke")


def a_room(*tasks, **options):
    return EngineRoom(a_plan(*tasks or ("a",)), **options)


def row_of(room, task="a"):
    return room.state.rows[task]


def adopted(room):
    return [line for line in room.attention if "No second agent was made" in line]


@pytest.mark.parametrize("done", [True, False])
def test_a_lost_answer_leads_to_a_look_up_and_one_agent(done):
    room = a_room()
    room.service.fail_next("create_agent", LOST, done=done)
    assert room.run() == 0
    assert list(room.service.agents) == [agent_of("a")]
    assert room.service.count("create_agent") == (1 if done else 2)
    assert room.service.count("get_agent") >= 1
    assert len(adopted(room)) == (1 if done else 0)
    assert row_of(room).attempts == 1


def test_an_answer_that_does_not_fit_the_contract_is_looked_up_as_well():
    room = a_room()
    room.service.fail_next("create_agent", ProtocolBroken("no JSON"), done=True)
    assert room.run() == 0
    assert room.service.count("create_agent") == 1
    assert len(adopted(room)) == 1


def test_an_agent_that_is_unknown_for_some_seconds_is_found():
    room = a_room()
    room.service.fail_next("create_agent", LOST, done=True)
    room.service.fail_next("get_agent", NOT_FOUND, times=3)
    assert room.run() == 0
    assert room.service.count("create_agent") == 1


def test_not_there_is_believed_after_ten_seconds_and_no_sooner():
    room = a_room()
    room.service.fail_next("create_agent", LOST)
    assert room.run() == 0
    first, second = [moment for call, moment in room.service.moments if call == "create_agent"]
    assert 10 <= second - first < 11
    assert room.service.count("get_agent") <= 6


def test_a_look_up_without_an_answer_is_repeated_until_there_is_one():
    room = a_room()
    room.service.fail_next("create_agent", LOST, done=True)
    room.service.fail_next("get_agent", Unavailable("503"), times=5)
    room.service.fail_next("first_run", OutcomeUnknown("timeout"))
    assert room.run() == 0
    assert room.service.count("create_agent") == 1


def test_an_agent_without_a_run_yet_is_looked_up_until_it_has_one():
    room = a_room()
    room.service.fail_next("create_agent", LOST, done=True)
    original, late = room.service.first_run, iter([None, None])

    async def first_run(agent_id):
        run = await original(agent_id)
        return next(late, run)

    room.service.first_run = first_run
    assert room.run() == 0
    assert room.service.count("create_agent") == 1


def test_a_found_agent_is_adopted_with_its_first_run():
    room = a_room()
    room.agents["a"] = never_ends
    room.service.fail_next("create_agent", LOST, done=True)
    room.service.fail_next("get_agent", NOT_FOUND)

    @room.meanwhile
    async def _():
        await anyio.sleep(0.5)
        first = room.service.latest_run(agent_of("a"))
        room.service.end_run(agent_of("a"), result="## Status\nsuccess\n")
        room.service.add_run(agent_of("a"))
        runs.append(first.id)

    runs = []
    assert room.run() == 0
    assert row_of(room).run_id == runs[0]


@pytest.mark.parametrize("metadata", [{METADATA_WORKSPACE: WORKSPACE}, None, {}])
def test_an_agent_that_exists_already_is_adopted_if_it_is_ours(metadata):
    """Our metadata, or none at all and our name."""
    room = a_room()
    created = room.service._create(request_body(name="shop/a", metadata=metadata), "another key")
    room.service.end_run(created.agent.id, result="## Status\nsuccess\n")
    assert room.run() == 0
    assert row_of(room).run_id == created.run.id
    assert room.service.count("create_agent") == 1


@pytest.mark.parametrize(
    "fields",
    [
        {"name": "shop/a", "metadata": {METADATA_WORKSPACE: "another"}},
        {"name": "shop/a", "metadata": {"team": "another"}},
        {"name": "other/a"},
    ],
)
def test_a_foreign_agent_is_never_adopted(fields):
    room = a_room()
    room.service._create(request_body(**fields), "another key")
    assert room.run() == 1
    row = row_of(room)
    assert (row.status, row.agent_id, row.run_id) == (TaskStatus.ERROR, None, None)
    assert "is not of this workspace" in row.note


def test_a_service_that_contradicts_itself_is_left_to_a_person():
    room = a_room()
    room.service.fail_next("create_agent", CONFLICT, times=100)
    assert room.run() == 1
    assert "an agent may exist" in row_of(room).note
    assert room.service.count("create_agent") == 1


def test_an_idempotency_conflict_is_looked_up_and_makes_no_new_key():
    room = a_room()
    room.service.fail_next("create_agent", Refused("other body", code="idempotency_conflict", status=409), done=True)
    assert room.run() == 0
    assert len({key for key, _ in room.service.sent}) == 1
    assert room.service.count("create_agent") == 1


def test_an_answer_with_another_id_is_taken_and_told():
    room = a_room()
    original = room.service._create

    def another(body, key):
        document = {**orjson.loads(body), "agentId": agent_of("b")}
        return original(orjson.dumps(document), key)

    room.service._create = another
    assert room.run() == 0
    row = row_of(room)
    assert row.agent_id == agent_of("b")
    assert agent_of("a") in row.launch.note
    assert any(agent_of("b") in line for line in room.attention)


def test_a_refusal_is_final():
    room = a_room()
    room.service.fail_next("create_agent", Refused("unknown model", code="invalid_model", status=400, hint="use x"))
    assert room.run() == 1
    assert (row_of(room).status, row_of(room).attempts) == (TaskStatus.ERROR, 1)
    assert "unknown model (use x)" in row_of(room).note
    assert room.service.count("create_agent") == 1
    assert room.service.agents == {}


def test_a_rate_limit_is_waited_for_and_counts_no_attempt():
    room = a_room("a", "b")
    room.service.fail_next("create_agent", RateLimited("slower", retry_after_seconds=30))
    assert room.run() == 0
    moments = [moment for name, moment in room.service.moments if name == "create_agent"]
    assert 30 <= moments[-1] - moments[0] <= 40
    assert len(moments) == 3
    assert {row.attempts for row in room.state.rows.values()} == {1}


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (CapacityReached("too many concurrent runs"), "takes no more agents now"),
        (Unavailable("limit", code=QUOTA_CODE), "quota is used up"),
    ],
)
def test_an_answer_that_says_later_is_told_once_and_counts_no_attempt(error, words):
    room = a_room()
    room.service.fail_next("create_agent", error, times=4)
    assert room.run() == 0
    assert row_of(room).attempts == 1
    assert len({body for _, body in room.service.sent}) == 1
    assert len([line for line in room.attention if words in line]) == 1


def test_a_used_up_quota_is_not_hammered():
    room = a_room()
    room.service.fail_next("create_agent", Unavailable("limit", code=QUOTA_CODE), times=10)
    assert room.run() == 0
    moments = [moment for call, moment in room.service.moments if call == "create_agent"]
    assert moments[-1] - moments[0] > 3600


def test_a_service_down_for_an_hour_is_no_error_of_the_task():
    room = a_room()
    began = []

    def trouble(call, about):
        now = room.service.moments[-1][1]
        began.append(now)
        return Unavailable("503") if now - began[0] < 3600 else None

    room.service.trouble = trouble
    assert room.run() == 0
    assert row_of(room).attempts == 1
    assert len([line for line in room.attention if "no useful answer" in line]) <= 60


def test_a_key_that_is_refused_stops_launching_and_gives_the_intents_back():
    room = a_room("a", "b", "c", max_concurrent=3)
    room.agents["a"] = never_ends
    refused = Refused("the service refused the key.", code="unauthorized", status=401, hint="check the key")
    room.service.trouble = lambda call, about: (
        refused if call == "create_agent" and len(room.service.sent) > 1 else None
    )

    @room.meanwhile
    async def _():
        await anyio.sleep(60)
        room.service.trouble = lambda call, about: None
        room.service.end_run(agent_of("a"), result="## Status\nsuccess\n")

    assert room.run() == 1
    statuses = {name: row.status for name, row in room.state.rows.items()}
    assert statuses == {"a": TaskStatus.HANDED_OFF, "b": TaskStatus.PENDING, "c": TaskStatus.PENDING}
    assert [row_of(room, name).launch for name in "bc"] == [None, None]
    assert len([line for line in room.attention if "check the key" in line]) == 1
    assert room.run() == 0


@pytest.mark.parametrize("status", [401, 403])
def test_a_key_that_is_refused_in_a_look_up_leaves_the_doubt_to_the_next_engine(status):
    room = a_room()
    room.service.fail_next("create_agent", LOST, done=True)
    room.service.fail_next("get_agent", Refused("the key is refused.", status=status))
    assert room.lives(2) == [1, 0]
    assert room.service.count("create_agent") == 1


def test_another_refusal_of_a_look_up_is_no_refusal_of_the_launch():
    room = a_room()
    room.service.fail_next("create_agent", LOST, done=True)
    room.service.fail_next("get_agent", Refused("odd", status=400), times=2)
    assert room.run() == 0
    assert room.service.count("create_agent") == 1


def test_a_prompt_that_cannot_be_rendered_is_a_refusal_and_no_request_leaves():
    room = a_room()
    room.templates = {**room.templates, "worker.md.j2": "{{ nobody_knows_this }}"}
    assert room.run() == 1
    assert "worker.md.j2" in row_of(room).note
    assert room.service.calls == []
    assert room.archive.requests == {}


def test_the_request_is_on_disk_before_it_is_sent():
    room = a_room("a", a_task("b", depends_on=("a",)))
    original = room.service.create_agent

    async def create_agent(body, *, key):
        assert body in room.archive.requests.values()
        return await original(body, key=key)

    room.service.create_agent = create_agent
    assert room.run() == 0


def test_every_resend_sends_the_same_bytes_with_the_same_key():
    room = a_room()
    room.service.fail_next("create_agent", Unavailable("503"), times=2)
    room.service.fail_next("create_agent", LOST)
    room.service.fail_next("create_agent", RateLimited("slower"))
    assert room.run() == 0
    assert len(room.service.sent) == 5
    assert len(set(room.service.sent)) == 1


def test_the_next_engine_sends_the_same_bytes_even_if_it_would_render_others():
    room = a_room()
    room.service.fail_next("create_agent", Unavailable("503"), times=3)

    @room.meanwhile
    async def _():
        await anyio.sleep(2)
        room.crash()
        room.templates = {**room.templates, "worker.md.j2": "another prompt"}

    assert room.lives(2) == [None, 0]
    assert len(room.service.sent) >= 3
    assert len(set(room.service.sent)) == 1


@pytest.mark.parametrize("done", [True, False])
def test_a_launch_that_a_crash_cut_off_is_looked_up_by_the_next_engine(done):
    room = a_room()
    original, cut_off = room.service.create_agent, []

    async def create_agent(body, *, key):
        if cut_off:
            return await original(body, key=key)
        cut_off.append(key)
        if done:
            await original(body, key=key)
        room.crash()
        return await anyio.sleep_forever()

    room.service.create_agent = create_agent
    assert room.lives(2) == [None, 0]
    assert list(room.service.agents) == [agent_of("a")]
    assert room.service.count("create_agent") == 1
    assert row_of(room).attempts == 1


def test_an_intent_whose_request_was_never_written_is_sent_by_the_next_engine_without_a_look_up():
    room = a_room()
    original = room.archive.write_request

    async def write_request(task, attempt, body):
        room.archive.write_request = original
        room.crash()
        await anyio.sleep_forever()

    room.archive.write_request = write_request
    assert room.lives(2) == [None, 0]
    assert room.service.count("get_agent") == 0
    assert room.service.count("create_agent") == 1


def test_an_interrupt_waits_for_an_answer_that_comes_in_time():
    room = a_room()
    room.agents["a"] = never_ends
    _answer_after(room, seconds=3)

    @room.meanwhile
    async def _():
        await anyio.sleep(1)
        room.interrupt()

    assert room.run() == 130
    assert (row_of(room).agent_id, row_of(room).status) == (agent_of("a"), TaskStatus.RUNNING)
    assert row_of(room).run_id == room.service.latest_run(agent_of("a")).id


@pytest.mark.parametrize("interrupts", [1, 2])
def test_an_answer_that_does_not_come_in_time_is_looked_up_by_the_next_engine(interrupts):
    room = a_room()
    room.agents["a"] = ends_after(100)
    _answer_after(room, seconds=60)

    @room.meanwhile
    async def _():
        for _ in range(interrupts):
            await anyio.sleep(1)
            room.interrupt()

    assert room.lives(2) == [130, 0]
    assert room.seconds[0] == pytest.approx(1 + 5 if interrupts == 1 else 2)
    assert list(room.service.agents) == [agent_of("a")]
    assert room.service.count("create_agent") == 1
    assert len(adopted(room)) == 1


def _answer_after(room, *, seconds):
    """The service does what it is told and answers the create late."""
    original = room.service.create_agent

    async def create_agent(body, *, key):
        created = await original(body, key=key)
        await anyio.sleep(seconds)
        return created

    room.service.create_agent = create_agent


def test_a_secret_in_a_refusal_reaches_no_record():
    room = a_room()
    room.service.fail_next("create_agent", Refused(f"no {SECRET}", status=400, hint=f"take {SECRET} out"))
    assert room.run() == 1
    assert SECRET not in repr(room.ledger.records)
    assert "[redacted]" in row_of(room).note


class Launching:
    """A launcher alone."""

    def __init__(self):
        self.service, self.archive = TroubledService(), MemoryArchive()
        plan = a_plan("a")
        writer = RequestWriter(
            plan,
            workspace_id=WORKSPACE,
            templates=templates(),
            archive=self.archive,
            options=RequestOptions(repo_url=plan.repo_url),
        )
        self.launcher = Launcher(
            self.service,
            clock=LoopClock(),
            archive=self.archive,
            requests=writer,
            workspace_id=WORKSPACE,
            root_slug="shop",
        )

    async def launch(self, *, row=None, may_have_been_sent=False):
        """The launch of an intent that is on the disk."""
        durable = anyio.Event()
        durable.set()
        effect = LaunchAgent(row=row or a_launching_row(), may_have_been_sent=may_have_been_sent)
        return await self.launcher.launch(effect, durable=durable)


@virtually
async def test_a_request_is_written_before_its_intent_is_durable_and_sent_only_then():
    launching, durable = Launching(), anyio.Event()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(lambda: launching.launcher.launch(LaunchAgent(row=a_launching_row()), durable=durable))
        await anyio.sleep(60)
        assert list(launching.archive.requests) == [("a", 1)]
        assert launching.service.sent == []
        durable.set()
    assert [body for _, body in launching.service.sent] == list(launching.archive.requests.values())


@virtually
async def test_without_a_request_on_disk_there_is_no_agent():
    launching = Launching()
    event = await launching.launcher.look_up(LookUpAgent(row=a_launching_row(), code="x"))
    assert event == AgentNotFound(task="a", agent_id=agent_of("a"), code="x")
    assert launching.service.calls == []


@virtually
@pytest.mark.parametrize("body", [b"torn", b"[]", b'{"agentId": "another"}'])
async def test_a_request_file_that_is_not_ours_is_never_sent_and_never_replaced(body):
    launching = Launching()
    launching.archive.requests["a", 1] = body
    for may_have_been_sent in (False, True):
        event = await launching.launch(may_have_been_sent=may_have_been_sent)
        assert isinstance(event, LaunchRefused)
        assert "is there with another request" in event.message
    assert launching.archive.requests == {("a", 1): body}
    assert launching.service.calls == []


@virtually
async def test_a_damaged_request_file_is_no_proof_that_nothing_was_sent():
    launching = Launching()
    launching.archive.requests["a", 1] = b"torn"
    launching.service._create(request_body(metadata={METADATA_WORKSPACE: WORKSPACE}), "key")
    event = await launching.launcher.look_up(LookUpAgent(row=a_launching_row()))
    assert event.adopted


@virtually
async def test_a_request_of_the_same_intent_on_disk_is_sent_instead_of_a_new_one():
    launching = Launching()
    body = request_body(name="as it was")
    launching.archive.requests["a", 1] = body
    await launching.launch()
    assert [sent for _, sent in launching.service.sent] == [body]


@virtually
async def test_an_unreachable_service_is_told_as_such():
    launching = Launching()
    launching.service.fail_next("create_agent", Unavailable("nothing listens there", retry_after_seconds=7))
    event = await launching.launch()
    assert (event.delay, event.retry_after_seconds) == (LaunchDelay.UNREACHABLE, 7)


@virtually
async def test_an_unknown_outcome_carries_the_code_of_a_conflict():
    launching = Launching()
    launching.service.fail_next("create_agent", CONFLICT)
    event = await launching.launch()
    assert event == LaunchOutcomeUnknown(
        task="a", agent_id=agent_of("a"), message="that agent exists", code="agent_id_conflict"
    )


def test_a_row_without_an_intent_is_a_bug():
    row = a_launching_row()
    assert isinstance(row.launch, Launch)

    @virtually
    async def launch():
        with pytest.raises(AssertionError):
            await Launching().launch(row=replace(row, launch=None))

    launch()
