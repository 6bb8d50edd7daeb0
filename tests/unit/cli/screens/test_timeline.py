from dataclasses import replace
from datetime import UTC

import pytest

from orchestrate.cli.screens.estimate import longest_chain
from orchestrate.cli.screens.layout import Look, drawn_width, rendered
from orchestrate.cli.screens.tally import tally_of_rows
from orchestrate.cli.screens.timeline import TimelineView, timeline_screen
from orchestrate.cli.screens.tracks import Doing, History, Stretch, Track, Try
from orchestrate.cli.screens.vocabulary import Circumstances, standing
from orchestrate.model.vocabulary import TaskStatus
from tests.support.builders import START, a_handed_off_row, a_row, a_running_row, moment

HOUR = 3600.0


def ran(*spans, waited=(), silent=(), ended=TaskStatus.HANDED_OFF):
    """A track whose tries are these spans, all but the last of them failed."""
    stretches = [Stretch(Doing.WAITED, START + start, START + end) for start, end in waited]
    stretches += [Stretch(Doing.RAN, START + start, START + end) for start, end in spans]
    stretches += [Stretch(Doing.SILENT, START + start, START + end) for start, end in silent]
    ends = [*(TaskStatus.PENDING for _ in spans[1:]), ended]
    tries = [
        Try(n, START + start, START + end, how) for n, ((start, end), how) in enumerate(zip(spans, ends, strict=True))
    ]
    return Track(stretches, tries)


def row(name, start, end, **fields):
    return a_handed_off_row(name, started_at=moment(start), finished_at=moment(end), **fields)


ROWS = (
    row("api-schema", 0, 360),
    row("fix-date-parsing", 480, 1080),
    row("merge-export", 1140, 6300, attempt=2, depends_on=("api-schema",)),
    a_running_row("verify-export", started_at=moment(6480), depends_on=("merge-export",)),
    a_row("notes", depends_on=("verify-export",)),
)
TRACKS = {
    "api-schema": ran((0, 360)),
    "fix-date-parsing": ran((480, 1080), waited=[(420, 480)]),
    "merge-export": ran((1140, 1380), (1500, 6300), silent=[(1620, 1800)]),
    "verify-export": ran((6480, 6660), waited=[(6300, 6480)], ended=None),
    "notes": Track(),
}
LIVES = [(START, START + 1920), (START + 6000, START + 6660)]


def view(rows=ROWS, tracks=TRACKS, lives=LIVES):
    return TimelineView(
        "checkout-export",
        tally_of_rows(rows),
        rows,
        lambda each: standing(each, Circumstances(waits_for=each.depends_on)),
        History(tracks, lives),
        longest=longest_chain({each.name: each for each in rows}),
        elapsed_seconds=6660,
    )


def shown(made=None, *, is_whole=False, **look):
    screen = Look(tz=UTC, **look)
    return rendered(timeline_screen(made or view(), screen, is_whole=is_whole), screen)


def test_each_task_has_a_lane_and_the_night_is_cut_out():
    assert shown() == [
        "checkout-export   3 of 5 handed off · 1 running · 1 waiting               1h 51m",
        "                  04:53    05:00        05:10         05:20  //06:33    06:40",
        "api-schema       *████████✓                                  //",
        "fix-date-parsing           ░██████████████✓                  //",
        "merge-export     *                          █████×  ███▓▓▓▓██//██████✓",
        "verify-export                                                //      ░░░░█████●",
        "  + 1 not launched yet",
        "  ░ waited for a slot  █ ran  ▓ silent  × failed try  // idle, cut out",
        "  * longest path 1h 32m",
    ]


def test_ascii_has_the_same_shape():
    lines = shown(has_unicode=False)
    assert all(line.isascii() for line in lines)
    assert len(lines) == len(shown())


def test_a_task_of_a_moment_is_still_seen():
    rows = (row("long", 0, 36000), row("short", 100, 101))
    lines = shown(view(rows, {"long": ran((0, 36000)), "short": ran((100, 101))}, lives=()))
    assert "█✓" in lines[3]


def test_a_failed_last_try_has_the_sign_of_its_end_and_one_that_waits_again_that_of_a_try():
    rows = (a_running_row("a", status=TaskStatus.ERROR), a_row("b", attempts=1))
    track = ran((0, 100), ended=TaskStatus.ERROR)
    lines = shown(view(rows, {"a": track, "b": track}, lives=()))
    assert lines[2].endswith("✗")
    assert lines[3].endswith("×")


def test_what_was_never_launched_is_no_timeline():
    rows = (a_row("a"),)
    assert shown(view(rows, {"a": Track()}, lives=()))[1:] == ["  nothing was launched yet"]


def test_of_very_many_the_most_telling_are_shown():
    rows = [row(f"t{place}", 0, 10 + place) for place in range(500)]
    rows.append(replace(row("failed", 0, 1), status=TaskStatus.ERROR))
    made = view(rows, {each.name: ran((0, 10)) for each in rows}, lives=())
    lines = shown(made)
    assert len(lines) == 2 + 200 + 2
    assert any(line.startswith("failed") for line in lines)
    assert lines[-2] == "  + 301 shorter ones: orchestrate timeline . --all"
    assert len(shown(made, is_whole=True)) == 2 + 501 + 1


@pytest.mark.parametrize("columns", [40, 80, 100, 120])
def test_no_line_is_wider_than_the_screen(columns):
    screen = Look(columns=columns)
    assert all(drawn_width(line, screen) <= columns for line in timeline_screen(view(), screen))
