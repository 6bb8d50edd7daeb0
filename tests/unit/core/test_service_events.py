"""What the service as a whole is heard to say."""

from orchestrate.core.service_events import CallsSlowed
from tests.unit.core.test_operating import running


def test_a_service_that_asks_for_fewer_calls_is_told_and_changes_nothing_else():
    book = running("a").tell(CallsSlowed(message="slower; agents go on.")).asks()
    assert book.attention() == ["slower; agents go on."]
    assert len(book.changed()) == 1
