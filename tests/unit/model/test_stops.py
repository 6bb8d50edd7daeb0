"""``stop.json``."""

import pytest

from orchestrate.model.stops import Stop, StopScope, decode_stop, encode_stop


@pytest.mark.parametrize("scope", StopScope)
def test_a_tombstone_comes_back_as_it_was(scope):
    stop = Stop("s1", by="ana", at="2026-03-04T14:31:36.123Z", scope=scope)
    assert decode_stop(encode_stop(stop)) == stop


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"null", b'{"id": 3, "scope": "moon"}'])
def test_a_file_that_says_nothing_stops_all_the_same(data):
    assert decode_stop(data) == Stop("unnamed", by="somebody", at="", scope=StopScope.TREE)


def test_what_others_wrote_has_its_bounds():
    stop = decode_stop(b'{"id": "%s", "by": "%s"}' % (b"x" * 999, b"y" * 999))
    assert (len(stop.id), len(stop.by)) == (200, 200)


def test_it_may_mean_one_workspace_of_several():
    stop = Stop("s1", by="ana", at="2026-03-04T14:31:36.123Z", workspace="w1")
    assert decode_stop(encode_stop(stop)) == stop
    assert (stop.is_for("w1"), stop.is_for("w2")) == (True, False)
    assert decode_stop(b"{}").is_for("w2")
