import pytest

from orchestrate.model.call_classes import CallClass
from orchestrate.server.fault_plan import Capacity, Limit, RetryAfter
from orchestrate.server.injected_limits import Buckets, Places


class SetClock:
    """A clock that stands where a test puts it."""

    def __init__(self):
        self.seconds = 1000.0

    def now(self):
        return self.seconds

    def monotonic(self):
        return self.seconds


def buckets(clock, **limit):
    return Buckets({CallClass.GET: Limit(per_minute=20, burst=2, **limit)}, clock=clock)


def test_a_bucket_holds_its_burst_and_fills_again():
    clock = SetClock()
    kept = buckets(clock)
    assert [kept.take(CallClass.GET) for _ in range(3)] == [None, None, {"Retry-After": "3"}]
    clock.seconds += 3
    assert [kept.take(CallClass.GET) for _ in range(2)] == [None, {"Retry-After": "3"}]
    clock.seconds += 3600
    assert [kept.take(CallClass.GET) is None for _ in range(3)] == [True, True, False]


def test_what_has_no_limit_passes():
    assert buckets(SetClock()).take(CallClass.CREATE) is None


@pytest.mark.parametrize(
    ("said", "headers"), [(RetryAfter.DATE, {"Retry-After": "Thu, 01 Jan 1970 00:16:43 GMT"}), (RetryAfter.NONE, {})]
)
def test_when_to_come_again_is_said_as_asked(said, headers):
    kept = buckets(SetClock(), retry_after=said)
    assert [kept.take(CallClass.GET) for _ in range(3)][2] == headers


def test_an_agent_that_is_being_made_has_its_place():
    taken = [1]
    places = Places(Capacity(agents=2), taken=lambda: taken[0])
    assert [places.take(), places.take()] == [True, False]
    places.give_back()
    assert places.take()
