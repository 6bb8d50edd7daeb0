from orchestrate.repo.signatures import Signature, signature_in

OURS = Signature("w", "e1", "2026-01-02T00:00:00.000Z")


def test_a_message_says_whose_state_it_is():
    assert signature_in(OURS.message("shop")) == OURS


def test_a_commit_of_somebody_else_is_of_no_engine():
    assert signature_in("Mend it\n\nOrchestrate-Engine: e1\n") is None


def test_only_a_later_engine_of_the_same_workspace_is_newer():
    later = Signature("w", "e2", "2026-01-03T00:00:00.000Z")
    assert OURS.is_older_than(later)
    assert not later.is_older_than(OURS)
    assert not OURS.is_older_than(None)
    assert not OURS.is_older_than(Signature("other", "e2", later.started))
    assert not OURS.is_older_than(Signature("w", "e1", later.started))
