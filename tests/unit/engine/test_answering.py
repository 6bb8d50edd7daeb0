import pytest

from orchestrate.core.effects import AnswerRequest, WriteAcceptance
from orchestrate.core.request_events import AcceptanceWritten, RequestAnswered, RequestUnmet
from orchestrate.engine.answering import Clerk
from orchestrate.errors import InputRefused, StorageFailed
from orchestrate.model.inbox_requests import InboxAnswer
from tests.support.builders import a_row, moment
from tests.support.memory_store import MemoryArchive, MemoryRequests

WRITE = WriteAcceptance(request="r", row=a_row(), branch="ana/a", by="ana", at=moment(), note="by hand")
ANSWER = AnswerRequest(answer=InboxAnswer("r", is_done=True))


class Failing(MemoryRequests):
    def __init__(self, error):
        super().__init__(MemoryArchive())
        self.error = error

    async def save_acceptance(self, task, acceptance, *, handoff):
        raise self.error

    async def answer_request(self, answer):
        raise self.error


async def test_the_handoff_is_on_disk_before_it_is_reported():
    archive = MemoryArchive()
    event = await Clerk(MemoryRequests(archive)).write_acceptance(WRITE)
    assert event == AcceptanceWritten(
        request="r", task="a", branch="ana/a", by="ana", path="handoffs/a.md", note="by hand"
    )
    assert "> by hand" in archive.handoffs["a"]


async def test_the_answer_is_written():
    requests = MemoryRequests(MemoryArchive())
    assert await Clerk(requests).answer(ANSWER) == RequestAnswered(request="r")
    assert requests.answers == [ANSWER.answer]


async def test_a_place_that_cannot_be_written_is_an_answer():
    clerk = Clerk(Failing(InputRefused("handoffs is a symlink", hint="move it away")))
    assert await clerk.write_acceptance(WRITE) == RequestUnmet(
        request="r", code="not_writable", message="handoffs is a symlink", hint="move it away"
    )
    assert await clerk.answer(ANSWER) == RequestAnswered(request="r", message="handoffs is a symlink")


async def test_a_disk_that_fails_ends_the_engine():
    clerk = Clerk(Failing(StorageFailed("no space left")))
    for call in (clerk.write_acceptance(WRITE), clerk.answer(ANSWER)):
        with pytest.raises(StorageFailed):
            await call
