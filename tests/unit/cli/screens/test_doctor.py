from orchestrate.cli.checks.findings import Check, Finding, Verdict, fault, good, skipped, warning
from orchestrate.cli.screens.doctor import DoctorView, doctor_screen
from orchestrate.cli.screens.layout import Look, rendered


def screen(*findings: Finding, runtime: str = "runtime cloud (--runtime)", **look: object) -> list[str]:
    shown = Look(**{"columns": 66, **look})
    return rendered(doctor_screen(DoctorView("shop", runtime, findings), shown), shown)


def test_each_finding_has_its_sign_its_subject_and_what_to_do():
    assert screen(
        good(Check.PLAN, "plan.json is sound: 2 tasks"),
        skipped(Check.KEY, "not asked"),
        warning(Check.LIMITS, "a long sentence that does not fit on one line of this screen"),
        Finding(Check.REPOSITORY, Verdict.FAULT, "no branch", "orchestrate init", known=("it has main",)),
        program="python -m orchestrate",
    ) == [
        "shop   runtime cloud (--runtime)",
        "✓ plan       plan.json is sound: 2 tasks",
        "· key        not asked",
        "! limits     a long sentence that does not fit on one line of this",
        "             screen",
        "✗ repository no branch",
        "             known  it has main",
        "             do  python -m orchestrate init",
        "  1 fault, 1 warning; a run would not start. Nothing was changed.",
    ]


def test_without_a_fault_the_next_command_is_the_run():
    assert screen(good(Check.PLAN, "good"), runtime="", argument="shop")[-2:] == [
        "  no fault. Nothing was changed.",
        "  next: orchestrate run shop",
    ]


def test_what_others_wrote_does_not_act_on_the_terminal():
    assert "\x1b" not in "".join(screen(fault(Check.KEY, "said \x1b[2J", hint="\x1b[1m")))
