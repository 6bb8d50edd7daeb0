from orchestrate.core.andon_events import AndonRaiseRequested, AndonSeen
from orchestrate.core.facts import facts_of
from orchestrate.model.rows import Andon


def test_the_journal_tells_them():
    asked = AndonRaiseRequested(request="r", by="ana", reason="broken")
    assert facts_of(asked) == {"type": "AndonRaiseRequested", "request": "r", "by": "ana", "reason": "broken"}
    assert facts_of(AndonSeen(andon=Andon(reason="x"))) == {"type": "AndonSeen", "andon": {"reason": "x"}}
