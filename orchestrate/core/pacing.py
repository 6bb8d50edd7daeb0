"""How long a launch waits before it is tried again, and why, in words for people."""

import zlib
from collections.abc import Mapping
from types import MappingProxyType

from orchestrate.model.vocabulary import LaunchDelay

#: Seconds that a task waits for the look at the branch that it starts from.
LOOK_UP_PATIENCE_SECONDS = 5.0

#: Why a launch waits; an unknown outcome has a story of its own.
REASONS: Mapping[LaunchDelay, str] = MappingProxyType(
    {
        LaunchDelay.CAPACITY: "the service takes no more agents now",
        LaunchDelay.QUOTA: "the account's quota is used up",
        LaunchDelay.RATE_LIMIT: "the service asks for fewer calls",
        LaunchDelay.UNREACHABLE: "the service cannot be reached",
    }
)

#: First waits in seconds; they double with each answer that says "later".
_FIRST = {
    LaunchDelay.UNREACHABLE: 1.0,
    LaunchDelay.UNKNOWN_OUTCOME: 1.0,
    LaunchDelay.RATE_LIMIT: 3.0,
    LaunchDelay.CAPACITY: 2.0,
    LaunchDelay.QUOTA: 60.0,
}
_LONGEST = 60.0
_LONGEST_QUOTA = 900.0
#: Longest wait that a service may ask for.
LONGEST_ASKED_SECONDS = 3600.0


def delay_seconds(kind: LaunchDelay, *, delays: int, seed: str, asked_seconds: float | None = None) -> float:
    """Seconds until the next try: doubling, spread by up to a quarter, never less than the service asked for."""
    longest = _LONGEST_QUOTA if kind == LaunchDelay.QUOTA else _LONGEST
    doubled = min(longest, _FIRST[kind] * 2.0 ** min(delays - 1, 10))
    own = spread(doubled, seed=f"{seed}/{delays}")
    return max(own, min(asked_seconds or 0.0, LONGEST_ASKED_SECONDS))


def spread(seconds: float, *, seed: str) -> float:
    """Up to a quarter longer, so that those who wait for the same thing do not come at once."""
    return seconds * (1 + _fraction(seed) / 4)


def _fraction(seed: str) -> float:
    """A number from 0 to 1 that looks drawn and is the same in every replay."""
    return zlib.crc32(seed.encode()) / 0xFFFFFFFF
