import pytest

from orchestrate.cli.usage import not_a_choice, refused_line, verb_meant
from orchestrate.cli.verbs import VERBS


@pytest.mark.parametrize(
    ("argparse_says", "told"),
    [
        (
            "unrecognized arguments: --jsn",
            'unknown option or argument "--jsn"; did you mean "--json"? Nothing was done.',
        ),
        ("unrecognized arguments: --zzz a", 'unknown option or argument "--zzz a". Nothing was done.'),
        ("unrecognized arguments: .", 'unknown option or argument ".". Nothing was done.'),
        ("argument --n: expected one argument", "--n: needs a value. Nothing was done."),
        ("argument --n: it is odd", "--n: it is odd. Nothing was done."),
        ("the following arguments are required: PLAN, TASK", "missing: PLAN, TASK. Nothing was done."),
    ],
)
def test_a_refusal_is_told_in_our_words_with_the_nearest_option(argparse_says, told):
    refusal = refused_line(argparse_says, program="orchestrate run", options=["--json", "--color"])
    assert (refusal.message, refusal.hint) == (told, "orchestrate run --help")


def test_what_is_missing_is_known_by_name():
    refusal = refused_line("the following arguments are required: PLAN, TASK", program="x", options=[])
    assert refusal.missing == ("PLAN", "TASK")
    assert refused_line("argument --n: x", program="x", options=[]).missing == ()


def test_choices_are_listed_and_the_nearest_is_asked_for():
    assert not_a_choice("clod", ["cloud", "local"]) == 'must be cloud or local, not "clod"; did you mean "cloud"?'
    assert not_a_choice("x", ["only"]) == 'must be only, not "x"'


@pytest.mark.parametrize(
    ("word", "verb"),
    [
        ("stop", "kill"),
        ("start", "run"),
        ("RESUME", "run"),
        ("ls", "list"),
        ("logs", "story"),
        ("check", "validate"),
        ("statsu", "status"),
        ("frobnicate", None),
    ],
)
def test_a_verb_of_other_tools_or_with_a_typing_error_is_understood(word, verb):
    assert verb_meant(word, [each.name for each in VERBS]) == verb


def test_a_verb_that_this_program_lacks_is_never_proposed():
    assert verb_meant("stop", ["run", "status"]) is None
