"""What is learned from answers, told in seconds; nothing waits here."""

from math import inf

import pytest

from orchestrate.engine.rate import Rate


class Bucket:
    """A service that takes so many calls a second, and a burst."""

    def __init__(self, per_second, burst, *, retry_after=None):
        self.per_second, self.burst, self.retry_after = per_second, burst, retry_after
        self.tokens, self.then = burst, 0.0
        self.taken, self.refused = [], []

    def takes(self, now):
        self.tokens = min(self.burst, self.tokens + (now - self.then) * self.per_second)
        self.then = now
        if self.tokens < 1:
            self.refused.append(now)
            return False
        self.tokens -= 1
        self.taken.append(now)
        return True


def call(rate, bucket, count, *, now=0.0, answered_after=0.01):
    """So many calls one after the other, each as soon as it may leave; answers when the last was taken."""
    done = 0
    while done < count:
        pause = rate.seconds_to_wait(now)
        now += pause
        rate.left(now)
        left_at, now = now, now + answered_after
        if bucket.takes(left_at):
            rate.taken(now, waited=pause > 0)
            done += 1
        else:
            rate.refused(now, left_at=left_at, asked_seconds=bucket.retry_after)
    return now


def test_a_service_without_a_limit_is_never_waited_for():
    rate = Rate(seed="x")
    assert call(rate, Bucket(1e9, 1e9), 1000, answered_after=0) == 0
    assert rate.per_second == inf


@pytest.mark.parametrize("retry_after", [None, 3])
def test_twenty_calls_a_minute_are_learned_from_a_few_refusals(retry_after):
    rate, bucket = Rate(seed="x"), Bucket(20 / 60, 20, retry_after=retry_after)
    seconds = call(rate, bucket, 200)
    assert seconds < 1.25 * 180 / bucket.per_second
    assert len(bucket.refused) < 25


def test_the_same_limit_sixty_times_faster_is_learned_as_well():
    rate, bucket = Rate(seed="x"), Bucket(20, 20, retry_after=1)
    assert call(rate, bucket, 400) < 1.5 * 380 / 20
    assert len(bucket.refused) < 25


def test_a_limit_that_goes_away_is_forgotten():
    rate, bucket = Rate(seed="x"), Bucket(20, 20)
    now = call(rate, bucket, 100)
    bucket.per_second = bucket.burst = 1e9
    now = call(rate, bucket, 30_000, now=now, answered_after=0)
    assert rate.per_second == inf


def test_nothing_is_saved_up_while_nobody_calls():
    rate, bucket = Rate(seed="x"), Bucket(20, 20)
    now = call(rate, bucket, 100) + 3600
    bucket.tokens, bucket.then = 1e9, now
    gap = 1 / rate.per_second
    assert call(rate, bucket, 11, now=now, answered_after=0) - now >= 10 * gap * 0.8


def test_calls_that_left_together_are_refused_once():
    rate = Rate(seed="x")
    for _ in range(20):
        rate.taken(1.0, waited=False)
    for _ in range(12):
        rate.refused(1.1, left_at=0.9 if rate.per_second < inf else 1.0, asked_seconds=None)
    assert rate.per_second == 10
    assert rate.seconds_to_wait(1.1) < 1


def test_a_rate_is_raised_only_by_calls_that_waited_for_it():
    rate = Rate(seed="x")
    rate.refused(1.0, left_at=0.9, asked_seconds=None)
    before = rate.per_second
    rate.taken(9.0, waited=False)
    assert rate.per_second == before
    rate.taken(10.0, waited=True)
    assert rate.per_second > before


@pytest.mark.parametrize(("asked", "shortest"), [(40.0, 40.0), (1e9, 3600.0), (None, 0.5), (0.0, 0.0)])
def test_a_pause_is_what_the_service_asks_for_up_to_an_hour_and_a_little_more(asked, shortest):
    rate = Rate(seed="x")
    rate.refused(5.0, left_at=4.0, asked_seconds=asked)
    assert shortest <= rate.seconds_to_wait(5.0) <= shortest * 1.25


def test_two_processes_on_one_key_do_not_come_back_at_once():
    pauses = []
    for seed in ("one", "other"):
        rate = Rate(seed=seed)
        rate.refused(5.0, left_at=4.0, asked_seconds=40.0)
        pauses.append(rate.seconds_to_wait(5.0))
    assert len(set(pauses)) == 2
