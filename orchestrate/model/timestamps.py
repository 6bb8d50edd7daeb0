"""Moments as they stand in files, and the arithmetic that the core needs of them."""

from datetime import UTC, datetime

from orchestrate.model.names import Timestamp

#: Calendars end; what is reckoned from moments beyond this would leave them.
_YEAR_3000 = 32_503_680_000


def to_timestamp(epoch_seconds: float) -> Timestamp:
    """The moment as text, in UTC with milliseconds."""
    moment = datetime.fromtimestamp(epoch_seconds, UTC)
    return Timestamp(moment.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z")


def epoch_seconds(moment: str) -> float | None:
    """The moment as seconds since 1970, or None if the text (of a foreign state, say) is no moment of a run's."""
    try:
        parsed = datetime.fromisoformat(moment)
    except ValueError:
        return None
    seconds = (parsed if parsed.tzinfo is not None else parsed.replace(tzinfo=UTC)).timestamp()
    return seconds if 0 <= seconds < _YEAR_3000 else None


def seconds_between(earlier: str | None, later: str | None) -> float | None:
    """Seconds from one moment to the other; None when one of them is unknown."""
    start = epoch_seconds(earlier) if earlier else None
    end = epoch_seconds(later) if later else None
    return None if start is None or end is None else end - start


def later_by(moment: Timestamp, seconds: float) -> Timestamp:
    """The moment so many seconds later."""
    start = epoch_seconds(moment)
    assert start is not None, moment
    return to_timestamp(start + seconds)
