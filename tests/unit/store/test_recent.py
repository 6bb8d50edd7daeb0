from orchestrate.store.recent import RecentHandoffs


def test_the_latest_handoff_of_a_task_is_kept():
    recent = RecentHandoffs()
    recent.put("a", b"first")
    recent.put("a", b"second")
    assert recent.get("a") == b"second"
    assert recent.get("b") is None


def test_the_oldest_are_given_up_when_there_are_too_many_bytes():
    recent = RecentHandoffs(kept_bytes=10)
    recent.put("a", b"12345")
    recent.put("b", b"12345")
    recent.put("a", b"123456")
    assert (recent.get("a"), recent.get("b")) == (b"123456", None)


def test_one_that_is_too_large_is_not_kept():
    recent = RecentHandoffs(kept_bytes=10)
    recent.put("a", b"12345678901")
    assert recent.get("a") is None
    recent.put("a", b"1")
    assert recent.get("a") == b"1"
