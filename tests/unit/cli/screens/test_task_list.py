from datetime import UTC

import pytest

from orchestrate.cli.screens.layout import Look, drawn_width, rendered
from orchestrate.cli.screens.tally import tally_of_rows
from orchestrate.cli.screens.task_list import ListView, known_words, list_screen, matches, row_words, spent
from orchestrate.cli.screens.vocabulary import Circumstances, standing
from orchestrate.model.vocabulary import FailureMode, HandoffStatus, TaskStatus
from tests.support.builders import START, a_handed_off_row, a_row, a_running_row, moment

DONE = a_handed_off_row("docs", finished_at=moment(370))
FAILED = a_running_row("merge", status=TaskStatus.ERROR, failure_mode=FailureMode.OOM, note="killed")
RUNNING = a_running_row("build")
WAITS = a_row("verify", depends_on=("merge",))
ROWS = (DONE, FAILED, RUNNING, WAITS)


def how(row):
    return standing(row, Circumstances(waits_for=row.depends_on, now=START + 60))


def view(*rows, asked=""):
    return ListView(
        "shop", tally_of_rows(ROWS), rows, how, now=START + 60, no_branches=frozenset({"main"}), asked=asked
    )


def shown(made: ListView, **look) -> list[str]:
    screen = Look(tz=UTC, **look)
    return rendered(list_screen(made, screen), screen)


def test_every_task_has_a_line():
    assert shown(view(*ROWS)) == [
        "shop   1 of 4 handed off · 1 running · 1 waiting · 1 error",
        "  task                try      for  status",
        "✓ docs                  1   6m 10s  handed off, not verified",
        "✗ merge                 1           error after 1 try: oom: killed",
        "● build                 1   1m 00s  running",
        "· verify                            waiting for merge",
    ]


def test_the_long_form_has_type_and_branch():
    lines = shown(view(DONE, WAITS), columns=120)
    assert lines[1] == "  task                type        try      for  status                    branch"
    assert lines[2] == "✓ docs                worker        1   6m 10s  handed off, not verified  cursor/docs-1f2a"
    assert lines[3] == "· verify              worker                    waiting for merge"


def test_what_was_asked_for_is_counted():
    assert shown(view(FAILED, asked="error"))[1] == "  1 of them error"
    assert shown(view(asked="stalled")) == [shown(view())[0], "  0 of them stalled"]


@pytest.mark.parametrize("columns", [20, 80, 100, 120])
def test_no_line_is_wider_than_the_screen(columns):
    screen = Look(columns=columns)
    many = (*ROWS, a_row("x" * 64, depends_on=tuple(f"dependency-{place}" for place in range(9))))
    assert all(drawn_width(line, screen) <= columns for line in list_screen(view(*many), screen))


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (DONE, {"handed-off", "done"}),
        (FAILED, {"error"}),
        (RUNNING, {"running"}),
        (a_running_row(stalled_since=moment()), {"running", "stalled"}),
        (WAITS, {"pending", "waiting"}),
        (a_row("a"), {"pending", "ready"}),
        (a_handed_off_row(handoff_status=HandoffStatus.BLOCKED), {"handed-off", "partial", "blocked"}),
        (a_row(status=TaskStatus.PRUNED), {"pruned", "error"}),
    ],
)
def test_a_task_matches_the_words_of_file_and_screen(row, words):
    assert {word for word in known_words() if matches(row, how(row), [word])} == words


def test_the_words_of_a_row_say_who_vouches_and_what_went_wrong():
    assert row_words(DONE, how(DONE), Look()) == "handed off, not verified"
    assert row_words(FAILED, how(FAILED), Look()) == "error after 1 try: oom: killed"


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (DONE, "6m 10s"),
        (RUNNING, "1m 00s"),
        (WAITS, ""),
        (a_row(status=TaskStatus.ERROR, started_at=moment(), finished_at=moment(9)), ""),
        (a_running_row(status=TaskStatus.CANCELLED), ""),
        (a_running_row(started_at="long ago"), ""),
    ],
)
def test_time_is_told_where_it_is_known(row, told):
    assert spent(row, now=START + 60) == told
