"""Messages on their way: what each answer of the service means."""

import hashlib
from dataclasses import replace

import pytest

from orchestrate.core.effects import LookUpRuns, SendFollowUp
from orchestrate.core.events import AccessLost
from orchestrate.core.follow_up_events import (
    FollowUpDelayed,
    FollowUpOutcomeUnknown,
    FollowUpRefused,
    FollowUpSent,
    RunsSeen,
)
from orchestrate.engine.follow_ups import Messenger
from orchestrate.errors import OutcomeUnknown, RateLimited, Refused, Unavailable
from orchestrate.model.vocabulary import MessageDelay, RunStatus
from tests.support.builders import agent_of, moment
from tests.support.engine_room import TroubledService, request_body
from tests.support.memory_store import MemoryArchive, MemoryRequests
from tests.support.messages import M1, a_between_row
from tests.support.virtual_time import LoopClock, virtually

TEXT = b"Keep the flag."
AGENT = agent_of("a")


class Sending:
    def __init__(self):
        self.service, self.requests = TroubledService(), MemoryRequests(MemoryArchive())
        self.requests.messages[M1] = TEXT
        self.messenger = Messenger(self.service, clock=LoopClock(), requests=self.requests)

    async def begin(self, **fields):
        """An agent whose first run is over, and the row whose message has its turn."""
        created = await self.service.create_agent(request_body(), key="k")
        self.service.end_run(AGENT, RunStatus.FINISHED, result="done")
        row = {"run_id": created.run.id, **fields.pop("row", {})}
        return a_between_row(digest=hashlib.sha256(TEXT).hexdigest(), row=row, **fields)


@virtually
async def test_the_text_goes_out_as_it_is_and_the_same_key_makes_no_second_run():
    sending = Sending()
    row = await sending.begin()
    one = await sending.messenger.send(SendFollowUp(row=row))
    two = await sending.messenger.send(SendFollowUp(row=row))
    assert isinstance(one, FollowUpSent)
    assert one == two
    texts = [live.request.prompt.text for live in sending.service._live_runs[AGENT] if live.request]
    assert texts == [TEXT.decode()]


@virtually
async def test_an_archived_agent_is_made_to_take_it():
    for row in ({}, {"archived_at": moment()}):
        sending = Sending()
        between = await sending.begin(row=row)
        await sending.service.archive_agent(AGENT)
        assert isinstance(await sending.messenger.send(SendFollowUp(row=between)), FollowUpSent)


@virtually
async def test_where_it_cannot_be_unarchived_it_waits_or_is_refused():
    for error, kind in ((OutcomeUnknown("no"), FollowUpDelayed), (Refused("no", code="x"), FollowUpRefused)):
        sending = Sending()
        row = await sending.begin(row={"archived_at": moment()})
        sending.service.trouble = lambda call, about, error=error: error if call == "unarchive_agent" else None
        assert isinstance(await sending.messenger.send(SendFollowUp(row=row)), kind)


@pytest.mark.parametrize(
    ("error", "kind", "delay"),
    [
        (Refused("b", code="agent_busy", status=409), FollowUpDelayed, MessageDelay.BUSY),
        (Refused("c", code="idempotency_conflict", status=409), FollowUpOutcomeUnknown, None),
        (Refused("k", status=401), AccessLost, None),
        (Refused("n", code="not_found", status=404), FollowUpRefused, None),
        (RateLimited("r", retry_after_seconds=5.0), FollowUpDelayed, MessageDelay.RATE_LIMIT),
        (Unavailable("u"), FollowUpDelayed, MessageDelay.UNREACHABLE),
        (OutcomeUnknown("o"), FollowUpOutcomeUnknown, None),
    ],
)
def test_each_answer_says_whose_move_is_next(error, kind, delay):
    @virtually
    async def sent():
        sending = Sending()
        row = await sending.begin()
        sending.service.trouble = lambda call, about: error if call == "create_run" else None
        event = await sending.messenger.send(SendFollowUp(row=row))
        assert isinstance(event, kind)
        assert delay is None or event.delay == delay

    sent()


@virtually
async def test_a_text_that_is_not_what_it_was_is_never_sent():
    sending = Sending()
    row = await sending.begin()
    for text in (None, b"Drop the flag."):
        sending.requests.messages[M1] = text
        event = await sending.messenger.send(SendFollowUp(row=row))
        assert (type(event), event.code) == (FollowUpRefused, "message_lost")
    assert sending.service.count("create_run") == 0


@virtually
async def test_a_look_tells_the_newest_run():
    sending = Sending()
    row = await sending.begin()
    assert await sending.messenger.look_up(LookUpRuns(row=row)) == RunsSeen(
        task="a", message_id=M1, step=1, newest=row.run_id
    )


@virtually
async def test_after_silence_a_run_that_nobody_knew_is_the_message_s():
    sending = Sending()
    row = await sending.begin(sent_at=moment())
    row = replace(row, queue=(replace(row.queue[0], base_run_id=row.run_id),))
    nothing = await sending.messenger.look_up(LookUpRuns(row=row))
    assert nothing.found is None
    assert LoopClock().monotonic() >= 10
    sent = await sending.messenger.send(SendFollowUp(row=row))
    assert (await sending.messenger.look_up(LookUpRuns(row=row))).found == sent.run_id


@pytest.mark.parametrize(
    ("error", "sent_at", "kind"),
    [
        (Refused("k", status=403), None, AccessLost),
        (Refused("n", code="not_found", status=404), moment(), FollowUpRefused),
        (OutcomeUnknown("o"), moment(), FollowUpOutcomeUnknown),
        (Unavailable("u"), None, FollowUpDelayed),
        (OutcomeUnknown("o"), None, FollowUpDelayed),
    ],
)
def test_a_look_without_an_answer_says_nothing_of_the_message(error, sent_at, kind):
    @virtually
    async def looked():
        sending = Sending()
        row = await sending.begin(sent_at=sent_at)
        sending.service.trouble = lambda call, about: error if call == "list_runs" else None
        assert isinstance(await sending.messenger.look_up(LookUpRuns(row=row)), kind)

    looked()
