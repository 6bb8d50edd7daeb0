from dataclasses import replace

import pytest

from orchestrate.cli.screens.vocabulary import (
    GLYPHS,
    Circumstances,
    Kind,
    beyond_paths,
    error_words,
    evidence,
    is_awaiting_launch,
    named,
    standing,
)
from orchestrate.model.rows import Acceptance, Cancel, PathsCheck, Verdict
from orchestrate.model.vocabulary import (
    FailureMode,
    HandoffStatus,
    LaunchDelay,
    TaskStatus,
    TaskType,
    Verification,
)
from tests.support.builders import (
    START,
    a_handed_off_row,
    a_launching_row,
    a_row,
    a_running_row,
    an_intent,
    moment,
)
from tests.support.messages import a_message

NOW = START + 1860


def word(row, **around) -> tuple[Kind, str]:
    found = standing(row, Circumstances(now=NOW, **around))
    return found.kind, found.word


def delayed(delay: LaunchDelay):
    return replace(a_launching_row(), launch=an_intent("a", delay=delay, delays=1))


CASES = [
    # pending: it always names what it waits for
    (a_row(), {"waits_for": ("b", "c")}, Kind.WAITING, "waiting for b, c"),
    (a_row(), {"waits_for": tuple("bcdef")}, Kind.WAITING, "waiting for b, c, d + 2 more"),
    (a_row(), {"held_by": "the andon"}, Kind.READY, "ready, held by the andon"),
    (a_row(), {}, Kind.READY, "ready"),
    (a_row(not_before=moment(1920)), {}, Kind.READY, "ready, held by the pause before its next try, 1m left"),
    (a_row(not_before=moment(60)), {}, Kind.READY, "ready"),
    # launching: the intent is on disk and no answer is there yet
    (a_launching_row(), {}, Kind.LAUNCHING, "launching"),
    (delayed(LaunchDelay.UNKNOWN_OUTCOME), {}, Kind.LAUNCHING, "outcome unknown, looking it up"),
    (delayed(LaunchDelay.CAPACITY), {}, Kind.LAUNCHING, "launching, held: the service takes no more agents now"),
    (
        replace(delayed(LaunchDelay.QUOTA), not_before=moment(1920)),
        {},
        Kind.LAUNCHING,
        "launching, held: the account's quota is used up, 1m left",
    ),
    # running, and silence, which is never an end
    (a_running_row(), {}, Kind.RUNNING, "running"),
    (a_row(status=TaskStatus.RUNNING), {}, Kind.RUNNING, "running"),
    (a_running_row(cancel=Cancel("ada", moment())), {}, Kind.RUNNING, "running, cancel asked for"),
    (a_running_row(stalled_since=moment()), {}, Kind.STALLED, "stalled 31m"),
    (a_running_row(stalled_since="some time"), {}, Kind.STALLED, "stalled"),
    # handed off: a tick needs an end, a file, and a status that says success
    (a_handed_off_row(), {}, Kind.DONE, "handed off"),
    (a_handed_off_row(handoff_status=HandoffStatus.PARTIAL), {}, Kind.PARTIAL, "partial"),
    (a_handed_off_row(handoff_status=HandoffStatus.BLOCKED), {}, Kind.PARTIAL, "blocked"),
    (a_handed_off_row(handoff_status=HandoffStatus.BLOCKED), {"holds": ["c"]}, Kind.PARTIAL, "blocked, holds c"),
    (a_handed_off_row(handoff_status=None), {}, Kind.PARTIAL, "handed off, its status is unreadable"),
    (a_handed_off_row(handoff_path=None), {}, Kind.PARTIAL, "handed off, no handoff on file"),
    # a message for one that is over
    (a_handed_off_row(queue=(a_message(),)), {}, Kind.READY, "handed off, runs again with a message"),
    # a verifier has no status, and a foreign state has no field for it
    (a_handed_off_row(handoff_status=None, type=TaskType.VERIFIER), {}, Kind.DONE, "handed off"),
    (replace(a_handed_off_row(handoff_status=None), launch=None), {}, Kind.DONE, "handed off"),
    # bad ends
    (a_row(status=TaskStatus.CANCELLED), {}, Kind.ERROR, "cancelled"),
    (a_row(status=TaskStatus.CANCELLED, note="cancelled by ada"), {}, Kind.ERROR, "cancelled: cancelled by ada"),
    (a_row(status=TaskStatus.PRUNED), {}, Kind.ERROR, "pruned: it is not in the plan any more"),
]


@pytest.mark.parametrize(("row", "around", "kind", "words"), CASES)
def test_one_word_for_how_a_row_stands(row, around, kind, words):
    assert word(row, **around) == (kind, words)


def test_a_row_alone_is_enough():
    assert standing(a_row()).word == "ready"
    assert standing(a_row(not_before=moment(9))).word == "ready, held by the pause before its next try"
    assert standing(a_running_row(stalled_since=moment())).word == "stalled"


def test_every_kind_has_a_glyph_and_an_ascii_twin():
    assert set(GLYPHS) == set(Kind)
    assert standing(a_handed_off_row()).glyph == "✓"
    assert all(twin.isascii() and len(twin) == 1 for _, twin in GLYPHS.values())
    assert standing(a_handed_off_row()).ascii_glyph == "+"


def test_an_error_says_its_reason_and_how_often_it_was_tried():
    failed = a_running_row(status=TaskStatus.ERROR, failure_mode=FailureMode.CAP_HIT)
    assert error_words(failed) == "error after 1 try: cap-hit"
    assert error_words(replace(failed, attempts=2)) == "error after 2 tries: cap-hit"
    assert error_words(replace(failed, failure_mode=None, note="it fell over")) == "error after 1 try: it fell over"
    assert error_words(replace(failed, failure_mode=None)) == "error after 1 try: no reason is known"


def test_an_error_before_the_launch_is_no_try():
    refused = a_row(status=TaskStatus.ERROR, note="error before launch: no such branch", attempts=1)
    assert standing(refused).word == "error before launch: no such branch"


def verdict(value):
    return (Verdict("v", value, None, moment()),)


EVIDENCE = [
    (
        {"verification": Verification.UNIT_TEST_VERIFIED, "self_report": Verification.UNIT_TEST_VERIFIED},
        "self-reported: unit tests",
    ),
    (
        {"verification": Verification.LIVE_UI_VERIFIED, "verdicts": verdict(Verification.LIVE_UI_VERIFIED)},
        "verified: live UI",
    ),
    ({"verification": Verification.TYPE_CHECK_ONLY}, "reported: type check only"),
    ({"verification": Verification.NOT_VERIFIED}, "not verified"),
    ({}, "not verified"),
    ({"verification": Verification.VERIFIER_FAILED}, "verifier failed it"),
    ({"verification": Verification.VERIFIER_BLOCKED}, "verifier was blocked"),
    ({"verdicts": verdict(None)}, "verdict unreadable"),
    ({"self_report": Verification.UNIT_TEST_VERIFIED}, "no verdict yet"),
    ({"type": TaskType.VERIFIER, "self_report": Verification.VERIFIER_FAILED}, "verdict: failed"),
    ({"type": TaskType.VERIFIER, "verification": Verification.LIVE_UI_VERIFIED}, "verdict: live UI verified"),
    ({"type": TaskType.VERIFIER}, "verdict unreadable"),
]


@pytest.mark.parametrize(("fields", "expected"), EVIDENCE)
def test_evidence_says_who_says_so(fields, expected):
    assert evidence(a_handed_off_row(**fields)) == expected


def test_few_names_are_listed_and_many_counted():
    assert named(["a", "b", "c"]) == "a, b, c"
    assert named(["a", "b", "c", "d"]) == "a, b, c + 1 more"


def test_a_launch_awaits_its_answer_until_there_is_a_run():
    assert is_awaiting_launch(a_launching_row())
    assert not is_awaiting_launch(a_running_row())
    assert not is_awaiting_launch(a_row(status=TaskStatus.RUNNING))


def test_a_person_s_word_counts_until_somebody_checks_it():
    accepted = Acceptance(by="ana@build-host", at=moment())
    assert evidence(a_handed_off_row(accepted=accepted)) == "accepted by ana@build-host"
    assert evidence(a_handed_off_row(accepted=accepted, type=TaskType.VERIFIER)) == "accepted by ana@build-host"
    verdict = Verdict("v", Verification.UNIT_TEST_VERIFIED, None, moment())
    checked = a_handed_off_row(accepted=accepted, verdicts=(verdict,), verification=Verification.UNIT_TEST_VERIFIED)
    assert evidence(checked) == "verified: unit tests"


@pytest.mark.parametrize(
    ("check", "words"),
    [
        (None, ""),
        (PathsCheck(moment()), ""),
        (PathsCheck(moment(), unknown="no route"), ""),
        (PathsCheck(moment(), total=1), "1 file beyond its paths"),
        (PathsCheck(moment(), total=9), "9 files beyond its paths"),
    ],
)
def test_files_beyond_the_paths_of_a_task_are_counted(check, words):
    assert beyond_paths(a_handed_off_row(paths_check=check)) == words
