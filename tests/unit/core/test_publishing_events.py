from orchestrate.core.facts import facts_of
from orchestrate.core.publishing_events import EngineSuperseded, StateNotPublished, StatePublished


def test_the_journal_tells_them():
    failed = StateNotPublished(ref="orch-state/shop", reason="timed out", is_refused=True)
    assert facts_of(failed) == {
        "type": "StateNotPublished",
        "ref": "orch-state/shop",
        "reason": "timed out",
        "is_refused": True,
    }
    assert facts_of(StatePublished(ref="r")) == {"type": "StatePublished", "ref": "r"}
    assert facts_of(EngineSuperseded(ref="r")) == {"type": "EngineSuperseded", "ref": "r"}
