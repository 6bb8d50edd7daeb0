from orchestrate.cli.messages import as_typed, count_of, error_lines, fault_lines, fault_of_ours, listed, message_lines
from orchestrate.errors import InputRefused, PlanRefused, SeveralRefused
from orchestrate.model.faults import Fault


def test_a_message_has_what_happened_first_and_then_what_is_known():
    lines = message_lines(
        "error", "it broke.", where="plan.json:4", known=["a is there", "b is not"], held="c", do="run\nit"
    )
    assert lines == [
        "error: it broke.",
        "  where  plan.json:4",
        "  known  a is there",
        "  known  b is not",
        "  held   c",
        "  do     run",
        "         it",
    ]


def test_every_fault_of_a_plan_has_its_line():
    error = PlanRefused(
        "the plan has 2 faults", faults=[Fault("tasks[0].name", "is missing", 4), Fault("", "is empty")]
    )
    assert error_lines(error, program="orchestrate", plan_path="work/plan.json") == [
        "error: work/plan.json:4 tasks[0].name: is missing",
        "error: work/plan.json: is empty",
        "2 faults. Nothing was launched.",
    ]


def test_an_error_is_told_as_a_sentence():
    assert error_lines(InputRefused("it is no folder"), program="orchestrate") == ["error: it is no folder."]
    assert error_lines(InputRefused("it is gone."), program="orchestrate") == ["error: it is gone."]


def test_commands_are_shown_as_this_reader_types_them():
    error = InputRefused("an engine runs already", hint="orchestrate watch .")
    assert error_lines(error, program="python -m orchestrate")[1] == "  do     python -m orchestrate watch ."
    assert as_typed("`orchestrate run .`", program="uvx x") == "`uvx x run .`"


def test_paths_and_commands_that_are_whole_already_stay():
    text = ".orchestrate run and python -m orchestrate run and orchestrate-agents"
    assert as_typed(text, program="other") == text
    assert as_typed("orchestrate run", program="orchestrate") == "orchestrate run"


def test_a_warning_is_an_attention():
    assert fault_lines("attention", Fault("goal", "has a secret", 2), plan_path="p.json") == [
        "attention: p.json:2 goal: has a secret"
    ]


def test_a_bug_is_one_line_and_says_how_to_see_more():
    lines = fault_of_ours(ValueError("first\nsecond"), is_verbose=False)
    assert lines[0] == "error: a fault of this program: ValueError: first"
    assert "-v" in lines[1]
    assert len(fault_of_ours(ValueError(""), is_verbose=True)) == 1


def test_counts_and_lists_read_well():
    assert count_of(1, "fault") == "1 fault"
    assert count_of(12000, "task") == "12,000 tasks"
    assert count_of(2, "try", plural="tries") == "2 tries"
    assert listed(["a", "b"], at_most=1) == "a, b"
    assert listed(["a", "b", "c"], at_most=1) == "a and 2 more"


def test_several_refusals_are_told_one_after_the_other():
    error = SeveralRefused(
        "2 faults. Nothing was launched.", refusals=[InputRefused("no a.", hint="add a"), InputRefused("no b.")]
    )
    assert error_lines(error, program="orchestrate") == [
        "error: no a.",
        "  do     add a",
        "error: no b.",
        "2 faults. Nothing was launched.",
    ]


def test_nothing_that_others_wrote_is_obeyed_by_the_terminal():
    lines = message_lines("error", "a\x1b[2Jb\nc", known=["\u202ed"], do="e\x07\nf")
    assert lines == ["error: a\\x1b[2Jb\\nc", "  known  \\u202ed", "  do     e\\x07", "         f"]
