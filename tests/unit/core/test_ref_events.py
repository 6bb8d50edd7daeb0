"""What the remote said, as the journal tells it."""

from orchestrate.core.facts import facts_of
from orchestrate.core.ref_events import RefsSeen, SeenRef


def test_the_journal_tells_each_ref():
    event = RefsSeen(refs=(SeenRef("a", 1, "cursor/a", "5ea"), SeenRef("b", 2, "cursor/b")))
    assert facts_of(event) == {
        "type": "RefsSeen",
        "refs": [
            {"task": "a", "attempt": 1, "branch": "cursor/a", "sha": "5ea"},
            {"task": "b", "attempt": 2, "branch": "cursor/b"},
        ],
    }
