from dataclasses import replace

import pytest

from orchestrate.cli.screens.plain import attention_line, end_line, plain_line, progress_line, row_line
from orchestrate.cli.screens.tally import Tally
from orchestrate.model.rows import Acceptance, Attention, Verdict
from orchestrate.model.vocabulary import FailureMode, HandoffStatus, LaunchDelay, TaskStatus, Verification
from tests.support.builders import (
    START,
    a_handed_off_row,
    a_launching_row,
    a_row,
    a_running_row,
    agent_of,
    an_intent,
    moment,
)

TIME = "2026-03-04T04:53:20Z"
AGENT = agent_of("a")


def error(**fields):
    return a_running_row(status=TaskStatus.ERROR, failure_mode=FailureMode.CAP_HIT, note="usage limit", **fields)


CASES = [
    (a_launching_row(), f"{TIME} launching a attempt=1 agent={AGENT}"),
    (
        replace(a_launching_row(), launch=an_intent("a", delay=LaunchDelay.CAPACITY)),
        f"{TIME} launching a attempt=1 agent={AGENT} held=capacity",
    ),
    (a_running_row(url="https://example.org/a"), f"{TIME} running a attempt=1 agent={AGENT} url=https://example.org/a"),
    (a_running_row(stalled_since=moment()), f"{TIME} stalled a attempt=1 agent={AGENT} since={moment()}"),
    (
        a_handed_off_row(finished_at=moment(370)),
        f'{TIME} handed-off a seconds=370 evidence="not verified" branch=cursor/a-1f2a do="x y"',
    ),
    (
        a_handed_off_row(handoff_status=HandoffStatus.BLOCKED, finished_at=None, branch=""),
        f'{TIME} blocked a evidence="not verified" do="x y"',
    ),
    (error(), f'{TIME} error a mode=cap-hit attempt=1 note="usage limit" do="x y"'),
    (a_row(status=TaskStatus.PRUNED, note=None), f'{TIME} pruned a do="x y"'),
]


@pytest.mark.parametrize(("row", "expected"), CASES)
def test_a_change_is_one_line(row, expected):
    assert row_line(row, a_row(), do="x y") == expected


def test_what_stands_as_it_stood_is_no_news():
    assert row_line(a_row(), None) is None
    assert row_line(a_running_row(note="x"), a_running_row()) is None
    assert row_line(a_handed_off_row(note="x"), a_handed_off_row()) is None


def test_a_retry_says_which_try_comes_and_when():
    waits = a_row(attempts=1, not_before=moment(60))
    assert row_line(waits, a_running_row()) == f"{TIME} pending a attempt=2 until={moment(60)}"


def test_another_try_and_another_delay_are_news():
    assert row_line(a_running_row(attempt=2), a_running_row()) is not None
    held = replace(a_launching_row(), launch=an_intent("a", delay=LaunchDelay.QUOTA))
    assert row_line(held, a_launching_row()) is not None


def test_a_late_verdict_has_its_own_word():
    verdict = Verdict("v", Verification.LIVE_UI_VERIFIED, None, moment())
    row = a_handed_off_row(verdicts=(verdict,), verification=Verification.LIVE_UI_VERIFIED)
    assert row_line(row, a_handed_off_row()) == f'{TIME} verdict a evidence="verified: live UI"'


def test_what_a_person_accepted_took_no_agent_any_time():
    row = a_handed_off_row(accepted=Acceptance("ana", moment()), branch="ana/a", started_at=moment(-60))
    blocked = a_handed_off_row(handoff_status=HandoffStatus.BLOCKED)
    for before in (a_row(status=TaskStatus.ERROR), blocked):
        assert row_line(row, before) == f'{TIME} handed-off a evidence="accepted by ana" branch=ana/a'


def test_foreign_text_stays_on_its_line():
    line = attention_line(Attention(moment(), 'a\n"b" \x1b[31m'))
    assert line == f'{TIME} attention message="a\\n\\"b\\" \\u001b[31m"'
    assert "\n" not in plain_line(None, "note", "a\nb")


def test_counts_are_told_in_one_order():
    tally = Tally(handed_off=4, running=2, error=1)
    assert progress_line(START, tally) == f"{TIME} progress handed-off=4 running=2 waiting=0 error=1"
    cancelled = replace(tally, cancelled=1)
    assert progress_line(START, cancelled).endswith("error=1 cancelled=1")


@pytest.mark.parametrize(
    ("code", "word"), [(0, "finished"), (1, "needs-you"), (100, "checkpoint"), (130, "interrupted")]
)
def test_the_end_says_its_exit_code(code, word):
    assert (
        end_line(START, Tally(), exit_code=code)
        == f"{TIME} {word} handed-off=0 running=0 waiting=0 error=0 exit={code}"
    )
