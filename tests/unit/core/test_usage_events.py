from orchestrate.core.facts import facts_of
from orchestrate.core.usage_events import UsageAnswered


def test_what_is_not_known_is_left_out_of_the_journal():
    event = UsageAnswered(task="a", attempt=1, cents=1.5)
    assert facts_of(event) == {"type": "UsageAnswered", "task": "a", "attempt": 1, "cents": 1.5}
