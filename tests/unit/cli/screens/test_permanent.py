from dataclasses import replace
from datetime import UTC

from orchestrate.cli.screens.layout import Look, rendered
from orchestrate.cli.screens.permanent import (
    attention_lines,
    ended_badly_lines,
    handed_off_lines,
    note_lines,
    stalled_lines,
    verified_lines,
)
from orchestrate.model.rows import Acceptance, Attention, Verdict
from orchestrate.model.vocabulary import FailureMode, HandoffStatus, TaskStatus, Verification
from tests.support.builders import START, a_handed_off_row, a_row, a_running_row, moment

LOOK = Look(tz=UTC)
UNIT_TESTS = {"verification": Verification.UNIT_TEST_VERIFIED, "self_report": Verification.UNIT_TEST_VERIFIED}


def shown(lines) -> list[str]:
    return rendered(lines, LOOK)


def test_a_handoff_is_one_line():
    row = a_handed_off_row("api-schema", finished_at=moment(370), **UNIT_TESTS)
    assert shown(handed_off_lines(row, LOOK)) == [
        "04:59:30 ✓ api-schema handed off in 6m 10s, self-reported: unit tests"
    ]


def test_a_blocked_one_says_what_it_holds_and_what_to_read():
    row = a_handed_off_row("api-schema", finished_at=moment(370), handoff_status=HandoffStatus.BLOCKED)
    assert shown(handed_off_lines(row, LOOK, held=["a", "b"])) == [
        "04:59:30 ~ api-schema blocked in 6m 10s, not verified",
        "           held   a, b",
        "           do     orchestrate handoff . api-schema",
    ]


def test_an_error_says_why_what_it_holds_and_what_to_type():
    note = "error before launch: branch feature/docs, which the plan names, is not on the remote. No agent was made."
    row = a_row("merge-export", status=TaskStatus.ERROR, attempts=1, finished_at=moment(60), note=note)
    assert shown(ended_badly_lines(row, LOOK, held=["verify-export", "release-notes"])) == [
        "04:54:20 ✗ merge-export error before launch: branch feature/docs, which the plan",
        "           names, is not on the remote. No agent was made.",
        "           held   verify-export, release-notes",
        "           look   orchestrate story . merge-export",
        "           do     orchestrate respawn . merge-export",
    ]


def test_an_error_of_an_agent_says_what_the_agent_left():
    row = a_running_row(
        "a",
        status=TaskStatus.ERROR,
        failure_mode=FailureMode.CAP_HIT,
        note="usage limit",
        finished_at=moment(60),
        handoff_path="handoffs/a-failure.md",
        url="https://example.org/a",
    )
    assert shown(ended_badly_lines(row, LOOK)) == [
        "04:54:20 ✗ a error after 1 try: cap-hit: usage limit",
        "           where  https://example.org/a",
        "           look   orchestrate handoff . a",
        "           do     orchestrate respawn . a",
    ]


def test_a_cancelled_task_repeats_nothing():
    row = a_row(status=TaskStatus.CANCELLED, note="cancelled by ada", finished_at=moment())
    assert shown(ended_badly_lines(row, LOOK))[0] == "04:53:20 ✗ a cancelled: cancelled by ada"
    bare = replace(row, note=None, finished_at=None)
    assert shown(ended_badly_lines(bare, LOOK))[0] == "         ✗ a cancelled"


def test_silence_is_told_with_the_last_activity():
    row = a_running_row("export-core", stalled_since=moment(), last_update=moment(1800), url="https://example.org/a")
    assert shown(stalled_lines(row, LOOK, now=START + 1800, doing="running pytest")) == [
        "05:23:20 ! export-core stalled: no activity for 30m; it was not stopped",
        "           last   running pytest (since 04:53:20)",
        "           look   https://example.org/a",
    ]
    unknown = shown(stalled_lines(replace(row, last_update=None, url=None), LOOK, now=START, doing=None))
    assert unknown == [
        "04:53:20 ! export-core stalled: no activity; it was not stopped",
        "           look   orchestrate story . export-core",
    ]


def test_a_late_verdict_is_a_line_of_its_own():
    verdict = Verdict("verify", Verification.LIVE_UI_VERIFIED, None, moment())
    row = a_handed_off_row(verdicts=(verdict,), verification=Verification.LIVE_UI_VERIFIED)
    assert shown(verified_lines(row, LOOK)) == ["04:53:20 ✓ a verified: live UI"]


def test_what_a_person_accepted_says_whose_word_it_is_and_no_duration():
    row = a_handed_off_row(accepted=Acceptance("ana", moment()), started_at=moment(-60))
    assert shown(handed_off_lines(row, LOOK)) == ["04:53:20 ✓ a handed off, accepted by ana"]


def test_attention_and_notes_have_the_readers_clock():
    item = Attention(moment(), f"a was silent since {moment(60)} and went on.")
    assert shown(attention_lines(item, LOOK)) == ["04:53:20 ! a was silent since 04:54:20 and went on."]
    assert shown(note_lines("goes on", LOOK, at=START)) == ["04:53:20 · goes on"]


def test_a_task_is_a_link_to_its_agent():
    row = a_handed_off_row(finished_at=moment(1), url="https://example.org/a")
    look = replace(LOOK, has_links=True)
    assert (
        "\x1b]8;;https://example.org/a\x1b\\a\x1b]8;;\x1b\\ handed off"
        in rendered(handed_off_lines(row, look), look)[0]
    )
