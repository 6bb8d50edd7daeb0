"""Limits that a server was told to keep: buckets of tokens for each class of calls, and places for agents."""

import math
from collections.abc import Callable, Mapping
from email.utils import formatdate

from orchestrate.model.call_classes import CallClass
from orchestrate.ports import Clock
from orchestrate.server.fault_plan import Capacity, Limit, RetryAfter


class Buckets:
    """A bucket for each class that has a limit."""

    def __init__(self, limits: Mapping[CallClass, Limit], *, clock: Clock) -> None:
        self._limits = limits
        self._clock = clock
        now = clock.monotonic()
        self._tokens = {its_class: (float(limit.burst), now) for its_class, limit in limits.items()}

    def take(self, its_class: CallClass) -> dict[str, str] | None:
        """None where the call may pass; else the headers of the answer that refuses it."""
        limit = self._limits.get(its_class)
        if limit is None:
            return None
        tokens, then = self._tokens[its_class]
        now, rate = self._clock.monotonic(), limit.per_minute / 60
        tokens = min(tokens + (now - then) * rate, float(limit.burst))
        if tokens >= 1:
            self._tokens[its_class] = (tokens - 1, now)
            return None
        self._tokens[its_class] = (tokens, now)
        return self._headers(limit, seconds=(1 - tokens) / rate)

    def _headers(self, limit: Limit, *, seconds: float) -> dict[str, str]:
        match limit.retry_after:
            case RetryAfter.SECONDS:
                return {"Retry-After": str(math.ceil(seconds))}
            case RetryAfter.DATE:
                return {"Retry-After": formatdate(math.ceil(self._clock.now() + seconds), usegmt=True)}
            case RetryAfter.NONE:
                return {}


class Places:
    """Places for agents; one that is being made has its place already."""

    def __init__(self, capacity: Capacity, *, taken: Callable[[], int]) -> None:
        self._capacity = capacity
        self._taken = taken
        self._promised = 0

    def take(self) -> bool:
        """True where there is a place, which is to be given back once the agent is made or refused."""
        if self._taken() + self._promised >= self._capacity.agents:
            return False
        self._promised += 1
        return True

    def give_back(self) -> None:
        """From now on the agent counts by itself, or there is none."""
        self._promised -= 1
