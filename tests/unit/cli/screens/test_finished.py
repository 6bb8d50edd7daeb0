from dataclasses import replace

import pytest

from orchestrate.cli.screens.estimate import Chain
from orchestrate.cli.screens.finished import EndView, end_screen, last_tasks, result_lines
from orchestrate.cli.screens.layout import Look, rendered, width_of
from orchestrate.model.money import Money
from orchestrate.model.rows import Finding, Verdict
from orchestrate.model.vocabulary import FailureMode, FindingKind, HandoffStatus, TaskStatus, TaskType, Verification
from tests.support.builders import a_handed_off_row, a_row, a_running_row, moment

PLANNED = frozenset({"orch/shop/verify-export", "main"})
REPORTED = {"verification": Verification.UNIT_TEST_VERIFIED, "self_report": Verification.UNIT_TEST_VERIFIED}
VERDICT = (Verdict("verify-export", Verification.LIVE_UI_VERIFIED, None, moment()),)

SCHEMA = a_handed_off_row("api-schema", **REPORTED)
MERGE = a_handed_off_row(
    "merge-export",
    attempt=2,
    depends_on=("api-schema",),
    handoff_status=HandoffStatus.PARTIAL,
    pr_number=214,
    verdicts=VERDICT,
    verification=Verification.LIVE_UI_VERIFIED,
)
VERIFIER = a_handed_off_row(
    "verify-export",
    type=TaskType.VERIFIER,
    branch="orch/shop/verify-export",
    depends_on=("merge-export",),
    self_report=Verification.LIVE_UI_VERIFIED,
)
DONE = EndView(
    slug="checkout-export",
    rows=(SCHEMA, MERGE, VERIFIER, a_row("gone", status=TaskStatus.PRUNED)),
    exit_code=0,
    elapsed_seconds=3840,
    longest=Chain(3480, ("api-schema",)),
    no_branches=PLANNED,
)
FAILED = a_running_row("docs", status=TaskStatus.ERROR, failure_mode=FailureMode.CAP_HIT, handoff_path="handoffs/x.md")


def shown(view: EndView, **look) -> list[str]:
    screen = Look(**look)
    return rendered(end_screen(view, screen), screen)


def test_a_finished_run_says_who_checked_what_and_what_to_type():
    assert shown(DONE, columns=100) == [
        "checkout-export finished   3 of 3 handed off" + " " * 27 + "1h 04m (longest path 58m 00s)",
        "  task                evidence                   branch                          try",
        "✓ api-schema          self-reported: unit tests  cursor/api-schema-1f2a          1",
        "~ merge-export        verified: live UI          cursor/merge-export-1f2a  #214  2",
        "✓ verify-export       verdict: live UI verified  no branch                       1",
        "  read    orchestrate handoff . merge-export",
        "  merge   git fetch origin cursor/merge-export-1f2a && git merge FETCH_HEAD",
    ]


def test_it_fits_into_eighty_columns_but_commands_stay_whole():
    lines = shown(DONE, columns=60)
    assert all(width_of(line) <= 60 for line in lines if not line.startswith("  merge"))
    assert "  merge   git fetch origin cursor/merge-export-1f2a && git merge FETCH_HEAD" in lines


def test_a_merge_line_names_the_repository_where_it_is_on_this_machine():
    lines = shown(DONE, remote="/srv/my shop.git")
    assert "  merge   git fetch '/srv/my shop.git' cursor/merge-export-1f2a && git merge FETCH_HEAD" in lines


def test_what_a_verifier_failed_is_read_first_and_not_merged():
    refuted = replace(MERGE, name="other", depends_on=(), verification=Verification.VERIFIER_FAILED)
    lines = shown(replace(DONE, rows=(SCHEMA, MERGE, refuted)))
    assert "  read    orchestrate handoff . merge-export" in lines
    assert not any("cursor/other" in line for line in lines if line.startswith("  merge"))
    only = shown(replace(DONE, rows=(SCHEMA, replace(refuted, handoff_status=HandoffStatus.SUCCESS))))
    assert "  read    orchestrate handoff . other" in only


def test_a_run_that_needs_somebody_says_whom_first():
    view = EndView("shop", (SCHEMA, FAILED, a_row("late", depends_on=("docs",))), 1, elapsed_seconds=60)
    assert shown(view) == [
        "shop needs you   1 of 3 handed off · 1 waiting · 1 error                  1m 00s",
        "✗ docs                error after 1 try: cap-hit",
        "                      do: orchestrate respawn . docs",
        "✓ api-schema",
        "  0 agents still running · state saved · exit 1",
    ]


def test_a_blocked_task_stands_there_once_and_names_what_it_holds():
    blocked = replace(SCHEMA, name="login", handoff_status=HandoffStatus.BLOCKED)
    rows = (SCHEMA, blocked, a_row("late", depends_on=("login",)))
    assert shown(EndView("shop", rows, 1, holds={"login": ["late"]})) == [
        "shop needs you   2 of 3 handed off · 1 waiting",
        "~ login               blocked, holds late",
        "                      do: orchestrate handoff . login",
        "✓ api-schema",
        "  0 agents still running · state saved · exit 1",
    ]


def test_an_interrupted_run_says_how_to_go_on():
    view = EndView("shop", (SCHEMA, a_running_row("docs")), 130)
    assert shown(view) == [
        "shop was interrupted   1 of 2 handed off · 1 running",
        "✓ api-schema",
        "  1 agent still running · state saved · exit 130",
        "  go on   orchestrate run .",
    ]
    assert shown(replace(view, exit_code=100))[0].startswith("shop is at its checkpoint")


def test_many_failures_and_many_results_are_folded():
    failures = tuple(replace(FAILED, name=f"t{place}") for place in range(20))
    lines = shown(EndView("shop", failures, 1))
    assert "  + 8 more: orchestrate status ." in lines
    results = [replace(SCHEMA, name=f"t{place}") for place in range(50)]
    screen = Look()
    assert rendered(result_lines(results, screen, no_branches=PLANNED), screen)[-1] == (
        "  + 10 more: orchestrate status . -v"
    )


def test_the_last_tasks_are_those_whose_work_nobody_takes_up():
    assert [row.name for row in last_tasks([SCHEMA, MERGE, VERIFIER])] == ["merge-export"]
    assert [row.name for row in last_tasks([VERIFIER])] == ["verify-export"]
    assert last_tasks([a_row()]) == []


def test_a_run_that_only_a_limit_holds_says_what_to_set():
    view = EndView("shop", (SCHEMA, a_row("docs")), 1, elapsed_seconds=60, money=Money(950.0, 0.0, 1, budget=1000))
    assert shown(replace(view, held="the budget is used up. To go on, set limits.budgetCents.")) == [
        "shop needs you   1 of 2 handed off · 1 waiting           1m 00s  $9.50 of $10.00",
        "✓ api-schema",
        "  the budget is used up. To go on, set limits.budgetCents.",
        "  do      orchestrate run .",
        "  0 agents still running · state saved · exit 1",
    ]


@pytest.mark.parametrize("code", [0, 1])
def test_findings_are_in_the_summary_however_the_run_ended(code):
    found = replace(SCHEMA, findings=(Finding(FindingKind.NOTHING_PUSHED, "it says success but pushed nothing."),))
    lines = shown(replace(DONE, rows=(found, *DONE.rows[1:]), exit_code=code))
    place = lines.index("✓ api-schema          finding: it says success but pushed nothing.")
    assert lines[place + 1] == "  look: orchestrate status . -v"
    assert not any("finding" in line for line in shown(replace(DONE, exit_code=code)))


def test_a_state_without_tasks_has_no_results():
    assert result_lines((), Look(), no_branches=PLANNED) == []
