"""How fast calls of one class may leave, learned from answers; it is told the time and waits for nothing.

A class begins free. The first 429 sets a rate from what the service took in the last second; every further one cuts it
(multiplicative decrease), every call that waited and was taken raises it by a fixed step (additive increase). Nothing is
saved up while a class is idle, so calls never leave in a burst after a wait. Pauses and gaps are spread by a seed of
the engine's own, because processes that share a key know nothing of each other.

Source: D.-M. Chiu, R. Jain, "Analysis of the increase and decrease algorithms for congestion avoidance in computer
networks", 1989.
"""

import math
from collections import deque
from itertools import count

from orchestrate.core.pacing import LONGEST_ASKED_SECONDS, spread

#: Calls a second from which on a class counts as free.
_FREE_FROM = 500.0
#: Calls a second that are always tried, and the smallest step up: a limit that others use up comes back some day.
_SLOWEST, _LEAST_STEP = 1 / 12, 1 / 120
#: Pauses after a 429 that names none, in seconds: the first, which doubles, and the longest.
_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 60.0
#: What the first 429 makes of the rate that was seen, and the step up from there.
_FIRST_CUT, _FIRST_STEP = 0.5, 0.05
_STEP = 0.02
#: So many calls taken since the last cut tell the service's own rate; a little less than that is asked from then on.
_TELLING, _BELOW_MEASURED = 5, 0.85
_DEEPEST_CUT, _USUAL_CUT, _SMALLEST_CUT = 1 / 8, 1 / 2, 0.9


class Rate:
    """The rate of one class."""

    def __init__(self, *, seed: str) -> None:
        self._seed = seed
        self._draws = count()
        self._per_second = math.inf
        self._step = 0.0
        self._next_at = -math.inf
        #: When the rate was last cut; a 429 to a call that left before tells nothing new.
        self._cut_at = -math.inf
        self._refused_in_a_row = 0
        #: When the latest calls were taken.
        self._taken_at: deque[float] = deque(maxlen=256)

    @property
    def per_second(self) -> float:
        """Calls a second; infinite while the class is free."""
        return self._per_second

    def seconds_to_wait(self, now: float) -> float:
        """Until the next call may leave; 0 for at once."""
        return max(0.0, self._next_at - now)

    def left(self, now: float) -> None:
        """A call leaves."""
        if self._per_second < math.inf:
            self._next_at = now + self._spread(1 / self._per_second)

    def taken(self, now: float, *, waited: bool) -> None:
        """The service took a call, whatever else it said to it."""
        self._refused_in_a_row = 0
        self._taken_at.append(now)
        if waited and self._per_second < math.inf:
            self._per_second += self._step
            if self._per_second >= _FREE_FROM:
                self._per_second = math.inf

    def refused(self, now: float, *, left_at: float, asked_seconds: float | None) -> None:
        """The service asks for fewer calls."""
        if left_at > self._cut_at:
            self._cut(now)
            self._refused_in_a_row += 1
        own = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0 ** (max(self._refused_in_a_row, 1) - 1))
        pause = min(own if asked_seconds is None else asked_seconds, LONGEST_ASKED_SECONDS)
        self._next_at = max(self._next_at, now + self._spread(pause))

    def _cut(self, now: float) -> None:
        if self._per_second == math.inf:
            seen = max(1, sum(moment > now - 1 for moment in self._taken_at))
            self._per_second = _FIRST_CUT * seen
            self._step = _FIRST_STEP * self._per_second
        else:
            self._per_second = max(_SLOWEST, self._cut_rate(now))
            self._step = max(_LEAST_STEP, _STEP * self._per_second)
        self._cut_at = now

    def _cut_rate(self, now: float) -> float:
        taken = sum(moment >= self._cut_at for moment in self._taken_at)
        measured, present = taken / max(now - self._cut_at, 1e-3), self._per_second
        if taken >= _TELLING:
            return min(max(_BELOW_MEASURED * measured, _USUAL_CUT * present), _SMALLEST_CUT * present)
        return min(max(measured, _DEEPEST_CUT * present), _USUAL_CUT * present)

    def _spread(self, seconds: float) -> float:
        return spread(seconds, seed=f"{self._seed}/{next(self._draws)}")
