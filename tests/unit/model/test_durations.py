import pytest

from orchestrate.model.durations import duration, rough_duration


@pytest.mark.parametrize(
    ("seconds", "long", "rough"),
    [
        (-3, "0s", "0s"),
        (0.9, "0s", "0s"),
        (41, "41s", "41s"),
        (60, "1m 00s", "1m"),
        (370, "6m 10s", "6m"),
        (3599, "59m 59s", "59m"),
        (3840, "1h 04m", "1h"),
        (183_600, "2d 03h", "2d"),
    ],
)
def test_durations_have_two_units_and_rough_ones_one(seconds, long, rough):
    assert duration(seconds) == long
    assert rough_duration(seconds) == rough
