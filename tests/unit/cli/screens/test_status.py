from dataclasses import replace
from datetime import UTC

from orchestrate.cli.screens.layout import Look, rendered
from orchestrate.cli.screens.status import StatusView, status_screen
from orchestrate.model.money import Money
from orchestrate.model.rows import Andon, Attention, PathFinding, PathsCheck, Unpublished
from orchestrate.model.vocabulary import FailureMode, HandoffStatus, PathRule, TaskStatus
from tests.support.builders import START, a_handed_off_row, a_row, a_running_row, moment

ERROR = a_row("merge-export", status=TaskStatus.ERROR, attempts=1, note="error before launch: its branch is not there")
WAITS = a_row("verify-export", depends_on=("merge-export",))
DONE = a_handed_off_row("docs")

VIEW = StatusView(
    slug="checkout-export",
    rows=(DONE, ERROR, WAITS),
    now=START + 3600,
    waits_for={WAITS.name: ["merge-export"]},
    attention=(Attention(moment(60), "docs was silent and went on."),),
    last_record=moment(120),
    elapsed_seconds=120,
)


def shown(view: StatusView, *, is_verbose: bool = False, **look) -> list[str]:
    screen = Look(tz=UTC, **look)
    return rendered(status_screen(view, screen, is_verbose=is_verbose), screen)


def test_trouble_stands_first_and_finished_work_is_folded():
    assert shown(VIEW) == [
        "checkout-export   1 of 3 handed off · 1 waiting · 1 error                 2m 00s",
        "  engine not running since 04:55 · plan changed since: no",
        "✗ merge-export      error before launch: its branch is not there",
        "· verify-export     waiting for merge-export",
        "✓ docs",
        "  attention  04:54 docs was silent and went on.",
        "  next: orchestrate respawn . merge-export",
    ]


def test_a_workspace_that_was_never_run_says_so():
    new = StatusView("shop", (a_row("a"),), START, {}, is_new=True)
    assert shown(new) == [
        "shop   0 of 1 handed off · 1 waiting",
        "  never run",
        "○ a                 ready, held by nothing but the start of an engine",
        "  next: orchestrate run .",
    ]


def test_a_living_engine_is_named_and_an_old_record_says_its_age():
    running = replace(VIEW, rows=(a_running_row("a"),), engine="pid 4121, since 14:02", now=START + 130, attention=())
    assert shown(running)[1:] == [
        "  engine running, pid 4121, since 14:02 · plan changed since: no",
        "● a                 running, launched 2m 10s ago",
    ]
    old = replace(running, now=START + 400)
    assert "last change 4m 40s ago" in shown(old)[1]


def test_a_changed_plan_is_told():
    assert "plan changed since: c new" in shown(replace(VIEW, plan_change="c new"))[1]
    assert shown(replace(VIEW, last_record=None))[1] == "  engine not running · plan changed since: no"


def test_long_groups_are_folded():
    rows = tuple(a_row(f"t{place}") for place in range(15))
    lines = shown(replace(VIEW, rows=rows, attention=()))
    assert "  + 5 more waiting: orchestrate status . -v" in lines


def test_verbose_shows_every_task_with_its_addresses():
    rows = (
        a_handed_off_row("docs", url="https://example.org/docs", finished_at=moment(5)),
        a_running_row("b", note=f"asked again at {moment()}"),
        WAITS,
    )
    lines = shown(replace(VIEW, rows=rows), is_verbose=True, columns=120)
    assert lines[2:7] == [
        "✓ docs              handed off, not verified",
        "                    branch cursor/docs-1f2a",
        f"                    agent  {rows[0].agent_id}",
        "                    at     https://example.org/docs",
        "                    read   orchestrate handoff . docs",
    ]
    assert "                    note   asked again at 04:53:20" in lines


def test_a_finished_run_shows_its_results():
    lines = shown(replace(VIEW, rows=(DONE,), waits_for={}, attention=(), notes=("rebuilt",)))
    assert "✓ docs                not verified  cursor/docs-1f2a  1" in lines
    assert lines[-3:] == [
        "  note       rebuilt",
        "  read    orchestrate handoff . docs",
        "  merge   git fetch origin cursor/docs-1f2a && git merge FETCH_HEAD",
    ]


def test_a_blocked_task_names_what_it_holds():
    blocked = a_handed_off_row("a", handoff_status=HandoffStatus.BLOCKED)
    lines = shown(replace(VIEW, rows=(blocked, WAITS), waits_for={WAITS.name: ["a"]}))
    assert lines[2] == "~ a                 blocked, holds verify-export, not verified"


def test_an_error_says_its_note_too():
    failed = a_running_row("a", status=TaskStatus.ERROR, failure_mode=FailureMode.OOM, note="killed")
    assert "error after 1 try: oom: killed" in shown(replace(VIEW, rows=(failed,)))[2]


def test_verbose_shows_attention_whole():
    long = Attention(moment(60), "docs " + "was silent " * 12)
    lines = shown(replace(VIEW, attention=(long,)), is_verbose=True)
    assert lines[-4].startswith("  attention  04:54 docs was silent")
    assert lines[-3].startswith("             was silent")
    assert shown(replace(VIEW, attention=(long,)))[-2].endswith("…")


def test_a_task_that_went_beyond_its_paths_is_not_folded_and_its_files_are_named_where_all_is():
    check = PathsCheck(moment(), (PathFinding("docs/a.md", PathRule.NOT_ALLOWED),), total=1)
    view = replace(VIEW, rows=(replace(DONE, paths_check=check), a_handed_off_row("tests")), attention=())
    assert shown(view, columns=100)[2:4] == [
        "✓ docs              handed off, not verified, 1 file beyond its paths",
        "✓ tests",
    ]
    verbose = shown(view, is_verbose=True, columns=100)
    assert any("paths  docs/a.md (outside pathsAllowed)" in each for each in verbose)


def test_what_was_spent_stands_above_and_bounds_have_a_line():
    bounded = replace(VIEW, money=Money(412.0, 500.0, 3, budget=2000, max_agents=8))
    first, _, third, *_ = shown(bounded)
    assert first.endswith("2m 00s  $4.12 of $20.00")
    assert third == "  budget $20.00: $4.12 spent, $5.00 set aside · 3 of 8 agents"
    given = replace(VIEW, money=Money(0.0, 500.0, 7, max_agents=8, given_agents=4))
    assert "  7 of 8 agents, 4 of them given to subplanners" in shown(given)
    assert shown(replace(VIEW, money=Money(412.0)))[0].endswith("2m 00s  $4.12")


def test_a_state_that_could_not_be_pushed_is_told_with_how_often_and_why():
    behind = replace(VIEW, unpublished=Unpublished(moment(60), 3, "orch-state/shop", "git push: timed out"))
    assert shown(behind)[2] == "  state not pushed to orch-state/shop since 04:54 (3 times): git push: timed out"
    once = replace(VIEW, unpublished=Unpublished(moment(60), 1, "orch-state/shop", "git push: timed out"))
    assert "(once)" in shown(once)[2]


def test_a_raised_andon_is_told_with_who_and_why_and_a_cleared_one_is_not():
    raised = Andon(moment(60), "ana@host", "main is broken")
    assert shown(replace(VIEW, andon=raised))[2] == "  andon raised at 04:54 by ana@host: main is broken"
    assert shown(replace(VIEW, andon=Andon(moment(60))))[2].endswith("by somebody: no reason given")
    assert shown(replace(VIEW, andon=replace(raised, cleared=True))) == shown(VIEW)
