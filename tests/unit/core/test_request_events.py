"""Events about requests of other processes."""

from orchestrate.core.facts import facts_of
from orchestrate.core.request_events import RequestAnswered, RequestUnmet

_REQUEST = "7f0d0c8e-4f6b-4d0e-9f39-0b8f4f1f2a11"


def test_a_request_that_is_not_met_says_why():
    facts = facts_of(RequestUnmet(request=_REQUEST, code="unknown_kind", message="No such kind."))
    assert facts == {"type": "RequestUnmet", "request": _REQUEST, "code": "unknown_kind", "message": "No such kind."}


def test_an_answer_that_is_on_disk_needs_no_words():
    assert facts_of(RequestAnswered(request=_REQUEST)) == {"type": "RequestAnswered", "request": _REQUEST}
