from orchestrate.cli.screens.dry_run import DryRunView, StartCost, dry_run_screen
from orchestrate.cli.screens.layout import Look, rendered
from orchestrate.core.changes import Settings
from orchestrate.core.forecast import forecast
from orchestrate.model.plan import Plan
from orchestrate.model.rows import Andon, TaskRow, Workspace
from orchestrate.model.vocabulary import LaunchDelay, TaskStatus
from tests.support.builders import (
    SLUG,
    WORKSPACE,
    a_handed_off_row,
    a_launching_row,
    a_plan,
    a_row,
    a_running_row,
    a_task,
    an_intent,
    an_unread_state,
    moment,
)


def screen(
    plan: Plan,
    *rows: TaskRow,
    slots: int = 8,
    columns: int = 80,
    verbose: bool = False,
    workspace: Workspace | None = None,
    **view: object,
) -> list[str]:
    state = an_unread_state(*rows, settings=Settings(max_concurrent=slots), workspace=workspace)
    found = forecast(state, plan, at=moment())
    costs = {
        task.name: StartCost(prompt_bytes=5120, model=None, handoffs_to_come=len(task.row.depends_on))
        for task in found.launches
    }
    whole = {
        "slug": SLUG,
        "runtime": "local (--runtime)",
        "max_concurrent": slots,
        "forecast": found,
        "costs": costs,
        "changed": {},
        "money": found.money,
        **view,
    }
    look = Look(columns=columns)
    return rendered(dry_run_screen(DryRunView(**whole), look, is_verbose=verbose), look)


def test_a_new_plan():
    plan = a_plan(
        "api", "docs", a_task("merge-all", depends_on=("api", "docs")), a_task("last", depends_on=("merge-all",))
    )
    assert screen(plan, slots=1) == [
        "shop dry run   1 launched at once · 3 later",
        "  runtime local (--runtime) · 1 at a time",
        "  task                type           prompt  what would happen",
        "  at once",
        "○ api                 worker        5.1 kB   launched from main",
        "  as slots become free",
        "○ docs                worker        5.1 kB   launched from main when a slot is …",
        "  then",
        "· merge-all           worker        5.1 kB+  waits for api, docs",
        "  then, wave 3",
        "· last                worker        5.1 kB+  waits for merge-all",
        "  to start   4 launches, 20 kB of prompts; what agents spend then is not known",
        "  +          handoffs that do not exist yet will be in these prompts too",
        "  nothing was launched, sent or written",
    ]


def test_a_half_done_workspace_begins_with_trouble():
    put_off = an_intent("put-off", delays=1, delay=LaunchDelay.CAPACITY)
    lines = screen(
        a_plan("done", "runs", "asked", "put-off", "lost", "bad", a_task("held", depends_on=("bad",)), "paused"),
        a_handed_off_row("done"),
        a_running_row("runs"),
        a_launching_row("asked"),
        a_launching_row("put-off", launch=put_off, not_before=moment(90)),
        a_row("lost", status=TaskStatus.RUNNING),
        a_handed_off_row("bad", status=TaskStatus.ERROR, failure_mode="oom"),
        a_row("gone"),
        a_row("paused", attempts=1, not_before=moment(600)),
        changed={"done": ("scopedGoal", "verify"), "runs": ("brief",)},
        columns=160,
    )
    told = {line.split()[1]: " ".join(line.split()[3:]) for line in lines if line[0] in "○·●◌✓✗~"}
    titles = [line.strip() for line in lines if line.startswith("  ") and line[2].isalpha()]
    assert titles[2:] == [
        "would not start",
        "goes on",
        "as slots become free",
        "stays as it is",
        "to start   1 launch, 5.1 kB of prompts; what agents spend then is not known",
        "nothing was launched, sent or written",
    ]
    assert told["held"] == "held by bad, which will not hand off by itself"
    assert told["lost"].startswith("becomes an error: the state said running")
    assert (
        told["runs"] == "runs; is watched again, not launched; brief changed since it was launched, which has no effect"
    )
    assert told["asked"] == "its launch had no answer; the agent is looked up first"
    assert told["put-off"] == "its request was put off and is sent again as it was"
    assert told["paused"].endswith(f"launched from main after its pause, at {moment(600)}")
    assert told["done"].startswith("handed off; scopedGoal, verify changed since it was launched")
    assert told["bad"] == "error after 1 try: oom, and is not tried again by itself"
    assert told["gone"] == "is taken out: it is not in the plan any more"


def test_the_long_form_has_the_model():
    lines = screen(a_plan("a"), columns=120, costs={"a": StartCost(812, model="composer-2")})
    assert lines[4] == "○ a                   worker         812 B   composer-2          launched from main"
    assert "left open" in screen(a_plan("a"), columns=120)[4]


def test_many_tasks_are_folded():
    plan = a_plan(*(f"t{number}" for number in range(40)))
    short, whole = screen(plan, slots=40), screen(plan, slots=40, verbose=True)
    assert "  + 28 more (-v shows them)" in short
    assert sum(line.startswith("○") for line in short) == 12
    assert sum(line.startswith("○") for line in whole) == 40


def test_a_raised_andon_is_the_reason():
    workspace = Workspace(WORKSPACE, SLUG, andon=Andon(raised_at=moment()))
    lines = screen(a_plan("a"), workspace=workspace)
    assert lines[4].endswith("held: the andon is raised")
    assert lines[-2] == "  nothing would be launched or watched"


def test_a_prompt_that_cannot_be_rendered_has_no_size():
    lines = screen(a_plan("a"), costs={}, is_refused=True)
    assert lines[4] == "○ a                   worker                 launched from main"
    assert lines[-1].endswith("run would be refused, see below")


def test_a_finished_run_has_nothing_to_start():
    lines = screen(a_plan("a"), a_handed_off_row("a"))
    assert lines[0] == "shop dry run   1 over"


def test_a_budget_has_a_line_and_says_what_it_holds():
    lines = screen(a_plan("a", limits={"budgetCents": 300}))
    assert "  budget $3.00: $0.00 spent, $0.00 set aside" in lines
    assert any(
        "held: the budget of $3.00 has no room" in line
        for line in screen(a_plan("a", limits={"budgetCents": 300}), columns=200)
    )
