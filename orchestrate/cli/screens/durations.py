"""Times as people read them: how long, and when on their own clock."""

import re
from datetime import datetime, tzinfo

from orchestrate.model.durations import duration, rough_duration
from orchestrate.model.timestamps import epoch_seconds

__all__ = ["clock_minute", "clock_time", "duration", "rough_duration", "with_local_times"]

#: Moments as files and messages have them.
_MOMENT = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")


def clock_time(moment: float | str | None, *, tz: tzinfo | None) -> str:
    """``14:09:12`` on the reader's clock (None: the machine's); empty for what is no moment."""
    local = _local(moment, tz=tz)
    return "" if local is None else f"{local:%H:%M:%S}"


def clock_minute(moment: float | str | None, *, tz: tzinfo | None, now: float | None = None) -> str:
    """``14:09``; with the day where that is not today's."""
    local = _local(moment, tz=tz)
    if local is None:
        return ""
    today = None if now is None else _local(now, tz=tz)
    is_today = today is None or today.date() == local.date()
    return f"{local:%H:%M}" if is_today else f"{local:%Y-%m-%d %H:%M}"


def with_local_times(text: str, *, tz: tzinfo | None) -> str:
    """The text with its moments as the reader's clock shows them."""
    return _MOMENT.sub(lambda match: clock_time(match.group(), tz=tz) or match.group(), text)


def _local(moment: float | str | None, *, tz: tzinfo | None) -> datetime | None:
    seconds = epoch_seconds(moment) if isinstance(moment, str) else moment
    if seconds is None:
        return None
    try:
        return datetime.fromtimestamp(seconds, tz).astimezone(tz)
    except (OverflowError, OSError, ValueError):
        return None
