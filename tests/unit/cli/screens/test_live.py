from dataclasses import replace

import pytest

from orchestrate.cli.screens.estimate import Chain
from orchestrate.cli.screens.layout import Look, rendered, width_of
from orchestrate.cli.screens.live import Active, Failed, LiveView, Upcoming, live_block
from orchestrate.cli.screens.tally import Tally
from orchestrate.model.rows import Finding
from orchestrate.model.vocabulary import FailureMode, FindingKind, TaskStatus, TaskType
from tests.support.builders import START, a_handed_off_row, a_launching_row, a_row, a_running_row, moment

NOW = START + 1080


def active(name: str, seconds: float, seen: float, doing: str, **fields) -> Active:
    row = a_running_row(name, starting_ref="cursor/csv-export-77d0", **fields)
    return Active(row, seconds, seen, doing, "1 of 2")


def failed(name: str, behind: int) -> Failed:
    row = a_running_row(name, status=TaskStatus.ERROR, failure_mode=FailureMode.TOOL_ERROR, handoff_path="x.md")
    return Failed(row, behind)


SIX = LiveView(
    slug="checkout-export",
    tally=Tally(handed_off=3, running=2, waiting=1),
    elapsed_seconds=1084,
    now=NOW,
    slots=8,
    active=[
        active("merge-export", 252, 3, "editing src/export/csv.py"),
        active("docs", 170, 41, "running npm run docs"),
    ],
    upcoming=[Upcoming(a_row("verify-export", type=TaskType.VERIFIER), ("merge-export",))],
    left=Chain(1260, ("merge-export", "verify-export")),
)

LARGE = replace(
    SIX,
    slug="platform-migration",
    tally=Tally(handed_off=54, running=12, waiting=51, error=3),
    slots=12,
    failed=[failed("webhook-ui-42", 9), failed("queue-docs-43", 6)],
    active=[
        active("export-core-54", 2000, 1860, "running pytest tests/export", stalled_since=moment(1080 - 1860)),
        *(active(f"mailer-ui-{place}", 700 - place, place, "editing mailer/views.py") for place in range(30)),
    ],
    upcoming=[Upcoming(a_row("merge-w3-1"), ("a", "b")), Upcoming(a_row("merge-w3-0"), ())],
)


def shown(view: LiveView, **look) -> list[str]:
    screen = Look(**look)
    return rendered(live_block(view, screen), screen)


def test_six_tasks_in_the_short_form():
    assert shown(SIX) == [
        "checkout-export   3 of 6 handed off · 2 running · 1 waiting              18m 04s",
        "  slots 2 of 8 · longest path left ~21m: merge-export, verify-export",
        "  running                 for   seen  doing",
        "● merge-export         4m 12s     3s  editing src/export/csv.py",
        "● docs                 2m 50s    41s  running npm run docs",
        "· verify-export                       waiting for merge-export",
        "Ctrl-C leaves the agents running; the same command goes on with them.",
    ]


def test_six_tasks_in_the_long_form():
    assert shown(SIX, columns=120, rows=40)[2:5] == [
        "  task                type        try         for   seen  doing                               starts from",
        "● merge-export        worker      1 of 2   4m 12s     3s  editing src/export/csv.py           "
        "cursor/csv-export-77d0",
        "● docs                worker      1 of 2   2m 50s    41s  running npm run docs                "
        "cursor/csv-export-77d0",
    ]


def test_a_large_plan_shows_trouble_first_and_counts_the_rest():
    lines = shown(LARGE)
    assert lines[:8] == [
        "platform-migration   54 of 120 handed off · 12 running · 51 waiting · 3 error",
        "  [#########...........] 45 %   18m 04s   ~21m left",
        "✗ webhook-ui-42       error after 1 try: tool-error   9 behind it",
        "✗ queue-docs-43       error after 1 try: tool-error   6 behind it",
        "  do: orchestrate handoff . webhook-ui-42",
        "! export-core-54      stalled 31m, last: running pytest tests/export",
        "  do: orchestrate story . export-core-54",
        "  running (12 of 12)      for   seen  doing",
    ]
    assert lines[-3:] == [
        "  + 19 more running",
        "  next: merge-w3-1 waits for 2 · merge-w3-0 is ready · + 49 more waiting",
        "Ctrl-C leaves the agents running; the same command goes on with them.",
    ]


@pytest.mark.parametrize("rows", [1, 3, 6, 10, 15, 16, 24, 60])
@pytest.mark.parametrize("columns", [20, 79, 80, 100, 200])
@pytest.mark.parametrize(
    "view",
    [
        SIX,
        LARGE,
        replace(LARGE, failed=LARGE.failed * 20),
        replace(SIX, found=[a_handed_off_row("a", findings=(Finding(FindingKind.VERDICT, "it failed."),))] * 9),
    ],
)
def test_the_block_is_never_higher_than_the_screen_less_two_rows(view, columns, rows):
    lines = shown(view, columns=columns, rows=rows)
    assert len(lines) <= max(1, rows - 2)
    assert all(width_of(line) <= columns for line in lines if "do: " not in line and "orchestrate " not in line)


def test_findings_stand_between_trouble_and_what_runs():
    lies = Finding(FindingKind.MEASUREMENT, "lines: value-mismatch: claimed 7, measured 1.")
    found = [a_handed_off_row(f"liar-{place}", findings=(lies,)) for place in range(6)]
    assert shown(replace(SIX, found=found[:1]))[2:5] == [
        "✓ liar-0              finding: lines: value-mismatch: claimed 7, measured 1.",
        "  look: orchestrate status . -v",
        "  running                 for   seen  doing",
    ]
    large = shown(replace(LARGE, found=found))
    assert large[7:10] == [
        "✓ liar-0              finding: lines: value-mismatch: claimed 7, measured 1.",
        "✓ liar-1              finding: lines: value-mismatch: claimed 7, measured 1.",
        "  + 4 more findings: orchestrate status . -v",
    ]
    assert large[-1].startswith("Ctrl-C")
    assert not any("finding" in line for line in shown(replace(LARGE, found=found), rows=15))


def test_why_nothing_starts_is_said():
    assert "nothing new starts: the andon is raised" in "\n".join(shown(replace(SIX, hold="the andon is raised")))
    assert "nothing new starts: the andon is raised" in "\n".join(
        shown(replace(LARGE, hold="the andon is raised"), columns=120)
    )


def test_leaving_is_said():
    assert shown(replace(SIX, is_leaving=True))[-1].startswith("Leaving:")


def test_what_is_not_known_is_left_out():
    launching = Active(a_launching_row("docs"), tries="1")
    lines = shown(replace(SIX, active=[launching], upcoming=[], left=None))
    assert lines[1] == "  slots 2 of 8"
    assert lines[3] == "◌ docs                                launching"


def test_a_ready_task_says_what_holds_it():
    lines = shown(replace(SIX, upcoming=[Upcoming(a_row("docs"))]))
    assert "ready, held by the slots: all taken" in lines[-2]


def test_before_anything_runs_there_are_counts_only():
    empty = LiveView(slug="shop", tally=Tally(waiting=200), elapsed_seconds=0, now=NOW, slots=8)
    assert shown(empty)[0] == "shop   0 of 200 handed off · 200 waiting"


def test_what_an_agent_does_cannot_move_the_columns():
    lines = shown(replace(SIX, active=[active("docs", 1, 1, "grep \x1b[31mfoo")]), columns=120)
    assert lines[3].endswith("grep \\x1b[31mfoo                    cursor/csv-export-77d0")


def test_whoever_only_watches_is_shown_what_the_files_say():
    watched = replace(SIX, slots=None, active=[Active(a_running_row("docs"), 170)])
    assert shown(watched) == [
        "checkout-export   3 of 6 handed off · 2 running · 1 waiting              18m 04s",
        "  longest path left ~21m: merge-export, verify-export",
        "  running                 for   seen  doing",
        "● docs                 2m 50s         running",
        "· verify-export                       waiting for merge-export",
        "Ctrl-C ends the watching; the run goes on.",
    ]
    assert shown(replace(watched, left=None))[1] == "  running                 for   seen  doing"
    assert shown(replace(watched, left=None, hold="the andon is raised"))[1] == (
        "  nothing new starts: the andon is raised"
    )
    assert "  running (12)            for   seen  doing" in shown(replace(LARGE, slots=None))
    ready = replace(watched, upcoming=[Upcoming(a_row("notes"))])
    assert shown(ready)[-2].endswith("ready, held by its turn")
