from datetime import UTC

import pytest

from orchestrate.cli.screens.layout import Look, drawn_width, rendered
from orchestrate.cli.screens.story import StoryView, story_screen
from orchestrate.cli.screens.vocabulary import standing
from orchestrate.core.story import Line as Sentence
from orchestrate.model.vocabulary import FailureMode, TaskStatus
from tests.support.builders import START, a_handed_off_row, a_row, a_running_row, moment

FAILED = a_running_row(
    "merge", status=TaskStatus.ERROR, failure_mode=FailureMode.CAP_HIT, note="usage limit", handoff_path="x-failure.md"
)
SENTENCES = (
    Sentence(moment(), "ready: api-schema and docs had handed off"),
    Sentence(
        moment(90), f"silent since {moment(30)}; it was not stopped, and nobody has said anything about it for long"
    ),
)


def shown(row, *sentences, is_verbose=False, ids=(), **look):
    screen = Look(tz=UTC, **look)
    view = StoryView(row, standing(row), sentences, ids=ids, now=START)
    return rendered(story_screen(view, screen, is_verbose=is_verbose), screen)


def test_sentences_stand_behind_their_times_and_what_to_do_stands_last():
    assert shown(FAILED, *SENTENCES) == [
        "✗ merge  error after 1 try: cap-hit",
        "04:53:20 ready: api-schema and docs had handed off",
        "04:54:50 silent since 04:53:50; it was not stopped, and nobody has said anything",
        "         about it for long",
        "  do: orchestrate handoff . merge",
    ]


def test_ids_are_for_those_who_ask():
    ids = [("agent", "bc-1"), ("run", "run-1")]
    assert shown(a_handed_off_row("a"), ids=ids, is_verbose=True)[1:] == [
        "  it was never launched",
        "         agent   bc-1",
        "         run     run-1",
    ]
    assert shown(a_handed_off_row("a"), ids=ids)[0] == "✓ a  handed off, not verified"


def test_a_story_over_days_names_the_days():
    sentences = [Sentence(moment(), "one"), Sentence(moment(86400), "two"), Sentence(moment(86401), "three")]
    assert shown(a_row("a"), *sentences)[1:] == [
        "04:53:20 one",
        "2026-03-05",
        "04:53:20 two",
        "04:53:21 three",
    ]


def test_a_moment_that_is_none_is_left_blank():
    assert shown(a_row("a"), Sentence("?", "odd"))[1] == "         odd"


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_no_line_is_wider_than_the_screen_except_commands(columns):
    screen = Look(columns=columns)
    lines = story_screen(StoryView(a_row("a"), standing(a_row("a")), SENTENCES), screen)
    assert all(drawn_width(line, screen) <= columns for line in lines)


def test_foreign_text_cannot_steer_the_terminal():
    assert "\x1b" not in "".join(shown(a_row("a"), Sentence(moment(), "\x1b[31mred")))
