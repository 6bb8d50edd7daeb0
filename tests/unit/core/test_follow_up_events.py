from orchestrate.core.facts import facts_of
from orchestrate.core.follow_up_events import RunsSeen
from tests.support.messages import M1


def test_the_journal_tells_what_a_look_said():
    event = RunsSeen(task="a", message_id=M1, step=2, newest="run-1")
    assert facts_of(event) == {"type": "RunsSeen", "task": "a", "message_id": M1, "step": 2, "newest": "run-1"}
