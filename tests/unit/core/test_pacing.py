"""How long is waited before something is tried again."""

import pytest

from orchestrate.core.pacing import delay_seconds
from orchestrate.model.vocabulary import LaunchDelay


@pytest.mark.parametrize(
    ("kind", "delays", "shortest"),
    [
        (LaunchDelay.UNREACHABLE, 1, 1.0),
        (LaunchDelay.UNKNOWN_OUTCOME, 1, 1.0),
        (LaunchDelay.RATE_LIMIT, 1, 3.0),
        (LaunchDelay.CAPACITY, 1, 2.0),
        (LaunchDelay.CAPACITY, 2, 4.0),  # it doubles
        (LaunchDelay.CAPACITY, 9, 60.0),  # and stops at a minute
        (LaunchDelay.QUOTA, 1, 60.0),
        (LaunchDelay.QUOTA, 99, 900.0),  # a quota is not hammered
    ],
)
def test_waits_double_and_spread_by_up_to_a_quarter(kind, delays, shortest):
    seconds = [delay_seconds(kind, delays=delays, seed=f"bc-{place}") for place in range(50)]
    assert all(shortest <= each <= shortest * 1.25 for each in seconds)
    assert len(set(seconds)) > 40


def test_a_wait_is_the_same_in_every_replay():
    one, other = (delay_seconds(LaunchDelay.CAPACITY, delays=3, seed="bc-1") for _ in range(2))
    assert one == other


@pytest.mark.parametrize(("asked", "seconds"), [(30.0, 30.0), (1e9, 3600.0)])
def test_a_service_is_given_what_it_asks_for_up_to_an_hour(asked, seconds):
    assert delay_seconds(LaunchDelay.RATE_LIMIT, delays=1, seed="x", asked_seconds=asked) == seconds


def test_a_service_that_asks_for_less_gets_our_own_pace():
    assert delay_seconds(LaunchDelay.CAPACITY, delays=1, seed="x", asked_seconds=0.1) >= 2.0
