from datetime import UTC, timedelta, timezone

import pytest

from orchestrate.cli.screens.time_axis import time_axis

#: 2026-03-04T14:00:00Z
T = 1_772_632_800.0
MINUTE, HOUR = 60.0, 3600.0


def axis(*busy, end=HOUR, columns=60, start=0.0):
    return time_axis([(T + first, T + last) for first, last in busy], start=T + start, end=T + end, columns=columns)


def test_a_busy_hour_is_cut_nowhere():
    made = axis((0, HOUR))
    assert made.cuts == []
    assert [made.column(T + minute * MINUTE) for minute in (0, 1, 30, 59, 60)] == [0, 1, 30, 59, 59]
    assert made.labels(tz=UTC) == "14:00     14:10     14:20     14:30     14:40     14:50"


def test_a_night_is_cut_out():
    made = axis((0, 30 * MINUTE), (10 * HOUR, 10.5 * HOUR), end=10.5 * HOUR, columns=62)
    assert made.cuts == [30]
    assert made.column(T + 5 * HOUR) == 30
    assert made.column(T + 10 * HOUR) == 32
    assert made.column(T + 10.5 * HOUR) == 61
    assert made.labels(tz=UTC) == "14:00     14:10     14:20     //00:00     00:10     00:20"


def test_short_pauses_stay():
    assert axis((0, 25 * MINUTE), (30 * MINUTE, HOUR)).cuts == []


def test_only_the_longest_gaps_are_cut():
    spans = [(hour * HOUR, hour * HOUR + MINUTE) for hour in range(20)]
    made = axis(*spans, end=20 * HOUR, columns=80)
    assert len(made.cuts) == 6


def test_times_are_those_of_the_readers_clock():
    made = axis((0, 50 * MINUTE), end=50 * MINUTE, columns=50)
    assert made.labels(tz=timezone(timedelta(hours=5, minutes=30))).startswith("19:30     19:40")


def test_a_short_run_shows_seconds_and_a_long_one_days():
    assert axis((0, 20), end=20, columns=60).labels(tz=UTC).startswith("14:00:00")
    assert axis((0, 50 * HOUR), end=50 * HOUR).labels(tz=UTC).startswith("Wed 14:00")


def test_a_thousand_years_have_few_labels():
    made = axis((0, 1000 * 365 * 24 * HOUR), end=1000 * 365 * 24 * HOUR, columns=60)
    assert len(made.labels(tz=UTC).split()) <= 2 * 6


@pytest.mark.parametrize("columns", [1, 3, 10, 200])
@pytest.mark.parametrize("end", [0.0, 0.001, 1.0, 90 * 24 * HOUR])
def test_every_moment_has_a_column(columns, end):
    made = axis((0, end / 3), (end / 2, end), end=end, columns=columns)
    found = [made.column(T + end * part / 7) for part in range(8)]
    assert all(0 <= column < columns for column in found)
    assert found == sorted(found)
    assert len(made.labels(tz=UTC)) <= columns + 2


def test_what_lies_before_and_behind_stands_at_the_edges():
    made = axis((0, HOUR))
    assert (made.column(T - HOUR), made.column(T + 9 * HOUR)) == (0, 59)
