from dataclasses import replace
from datetime import UTC

import pytest

from orchestrate.cli.screens.layout import Look, drawn_width, rendered
from orchestrate.cli.screens.tally import tally_of_rows
from orchestrate.cli.screens.tree import Branch, TreeView, tree_screen
from orchestrate.cli.screens.vocabulary import Circumstances, standing
from orchestrate.model.grants import Grant, Share, Used
from orchestrate.model.vocabulary import HandoffStatus, TaskStatus, TaskType, Verification
from tests.support.builders import START, a_charge, a_handed_off_row, a_row, a_running_row, moment

TESTED = {"verification": Verification.UNIT_TEST_VERIFIED, "self_report": Verification.UNIT_TEST_VERIFIED}
SCHEMA = a_handed_off_row("api-schema", finished_at=moment(370), **TESTED)
PLANNER = a_running_row("migrate-services", type=TaskType.SUBPLANNER)
FAILED = a_row(
    "merge-export",
    status=TaskStatus.ERROR,
    note="error before launch: its branch is not there",
    started_at=moment(),
    finished_at=moment(),
)


def branch(row, **fields):
    return Branch(row, standing(row, Circumstances(waits_for=row.depends_on)), **fields)


def view(*branches, **fields):
    rows = [each.row for each in branches]
    made = TreeView("checkout-export", tally_of_rows(rows), START + 1860, branches, elapsed_seconds=3120)
    return replace(made, **fields)


def shown(made, *, is_whole=False, **look):
    screen = Look(tz=UTC, **look)
    return rendered(tree_screen(made, screen, is_whole=is_whole), screen)


BELOW = view(
    *(branch(a_handed_off_row(f"t{place}")) for place in range(5)),
    branch(a_running_row("auth-core")),
    *(branch(a_row(f"w{place}", depends_on=("auth-core",))) for place in range(6)),
)
NESTED = view(branch(SCHEMA), branch(PLANNER, below=BELOW), branch(FAILED), engine="pid 4121")


def test_a_planners_tasks_hang_below_it_and_are_folded():
    assert shown(NESTED) == [
        "checkout-export         1/3  52m 00s  engine running, pid 4121",
        "├─ ✓ api-schema               6m 10s  self-reported: unit tests",
        "├─ ● migrate-services  5/12  31m 00s  subplanner, depth 1",
        "│  ├─ ✓ 5 handed off                  (--all shows them)",
        "│  ├─ ● auth-core            31m 00s  running",
        "│  └─ · 6 waiting",
        "└─ ✗ merge-export                     error before launch: its branch is not th…",
    ]


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (Share(1, "bc-1", Grant(agents=8)), "8 agents"),
        (Share(1, "bc-1", Grant(agents=8), Used(3)), "3 of 8 agents"),
        (Share(1, "bc-1", Grant(cents=400.0), Used(3)), "$4.00"),
        (Share(1, "bc-1", Grant(agents=8, cents=400.0), Used(3, 120.0)), "3 of 8 agents and $1.20 of $4.00"),
        (Share(2, "bc-2", Grant(agents=8)), ""),
    ],
)
def test_a_planner_shows_what_it_was_given_and_took_of_it(share, words):
    planner = a_running_row("p", type=TaskType.SUBPLANNER, shares=(share,), charges=(a_charge("p"),))
    (_, line) = shown(view(branch(planner)), columns=120)
    assert line.rstrip().endswith(f"subplanner, depth 1{', ' if words else ''}{words}")


def test_everything_is_shown_when_asked_for():
    lines = shown(NESTED, is_whole=True)
    assert len(lines) == 1 + 3 + 12
    assert "│  └─ · w5" in lines[-2]
    assert "waiting for auth-core" in lines[-2]


def test_ascii_has_the_same_shape():
    lines = shown(NESTED, has_unicode=False)
    assert all(line.isascii() for line in lines)
    assert lines[3].startswith("|  |- + 5 handed off")
    assert lines[6].startswith("`- x merge-export")


def test_a_large_plan_is_folded_at_its_root_too():
    rows = [branch(a_handed_off_row(f"t{place}")) for place in range(500)]
    rows += [branch(a_running_row(f"r{place}")) for place in range(50)]
    rows += [branch(a_handed_off_row("half", handoff_status=HandoffStatus.PARTIAL)), branch(a_row("alone"))]
    lines = shown(view(*rows))
    assert len(lines) == 1 + 1 + 20 + 1 + 1 + 1
    assert lines[1].startswith("├─ ✓ 500 handed off")
    assert lines[-3].startswith("├─ ● 30 more running")
    assert lines[-2].startswith("├─ ~ half")
    assert lines[-1].startswith("└─ ○ alone")


def test_a_planner_that_left_something_open_stays_visible():
    planner = a_handed_off_row("planner", type=TaskType.SUBPLANNER)
    rows = [branch(planner, below=BELOW), *(branch(a_handed_off_row(f"t{place}")) for place in range(20))]
    lines = shown(view(*rows))
    assert lines[1].startswith("├─ ✓ 20 handed off")
    assert "✓ planner" in lines[2]
    assert "subplanner, depth 1, handed off" in lines[2]


def test_a_workspace_that_cannot_be_opened_says_why():
    lines = shown(view(branch(PLANNER, remark="its workspace cannot be read: state.json is empty")), columns=120)
    assert lines[1].endswith("subplanner, depth 1; its workspace cannot be read: state.json is empty")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"engine": "pid 7"}, "engine running, pid 7"),
        ({"is_new": True}, "never run"),
        ({"last_record": moment()}, "engine not running since 04:53"),
        ({}, "engine not running"),
    ],
)
def test_every_tree_says_whether_the_engine_lives(fields, words):
    assert shown(view(branch(SCHEMA), **fields))[0].endswith(words)


@pytest.mark.parametrize("columns", [40, 80, 100, 120])
def test_no_line_is_wider_than_the_screen(columns):
    screen = Look(columns=columns)
    deep = view(branch(replace(PLANNER, name="p" * 64), below=NESTED), branch(replace(FAILED, name="x" * 64)))
    assert all(drawn_width(line, screen) <= columns for line in tree_screen(deep, screen, is_whole=True))
