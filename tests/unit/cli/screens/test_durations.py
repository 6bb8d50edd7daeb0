from datetime import UTC, timedelta, timezone

import pytest

from orchestrate.cli.screens.durations import clock_minute, clock_time, with_local_times

EAST = timezone(timedelta(hours=2))


def test_moments_are_shown_on_the_readers_clock():
    assert clock_time("2026-03-04T12:09:12.500Z", tz=EAST) == "14:09:12"
    assert clock_minute(0.0, tz=UTC) == "00:00"


def test_another_day_is_said():
    assert clock_minute(0.0, tz=UTC, now=86_400.0) == "1970-01-01 00:00"
    assert clock_minute(0.0, tz=UTC, now=3_600.0) == "00:00"


@pytest.mark.parametrize("moment", [None, "yesterday", "", 1e30, float("nan")])
def test_what_is_no_moment_is_nothing(moment):
    assert clock_time(moment, tz=UTC) == ""
    assert clock_minute(moment, tz=UTC, now=0.0) == ""


def test_moments_inside_a_text_are_shown_on_the_readers_clock():
    text = "silent since 2026-03-04T12:09:12.500Z; 2026-99-04T12:09:12Z is none"
    assert with_local_times(text, tz=EAST) == "silent since 14:09:12; 2026-99-04T12:09:12Z is none"
