import pytest

from orchestrate.cli.parsing import add_common, overview, top_parser, two_columns, verb_parser, wants_json
from orchestrate.cli.usage import UsageRefused
from orchestrate.cli.verbs import GROUPS, HIDDEN, VERBS, VERBS_BY_NAME


def test_what_stands_before_the_verb_is_kept_apart():
    found = top_parser(program="orchestrate").parse_args(["-v", "--color", "never", "status", "--json", "-v", "."])
    assert found.verb == "status"
    assert found.rest == ["--json", "-v", "."]
    assert (found.verbose, found.color, found.quiet) == (1, "never", False)


@pytest.mark.parametrize(
    ("words", "rest"),
    [
        (["status", "--", "--json"], ["--", "--json"]),
        (["story", ".", "--", "-a"], [".", "--", "-a"]),
        (["-v", "--", "status", "--", "x"], ["--", "x"]),
        (["status"], []),
    ],
)
def test_what_stands_behind_the_verb_is_the_verbs_also_where_options_end(words, rest):
    found = top_parser(program="orchestrate").parse_args(words)
    assert found.rest == rest
    assert found.verb == words[-len(rest) - 1]


def test_without_a_verb_there_is_no_rest():
    found = top_parser(program="orchestrate").parse_args(["--version"])
    assert (found.version, found.verb, list(found.rest)) == (True, None, [])


def test_a_verbs_own_options_add_to_those_before_it():
    parser = verb_parser(VERBS_BY_NAME["status"], program="orchestrate")
    add_common(parser)
    before = top_parser(program="orchestrate").parse_args(["-v", "--color", "never", "status"])
    found = parser.parse_args(["-v"], before)
    assert (found.verbose, found.color) == (2, "never")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--bogus"], 'unknown option or argument "--bogus"'),
        (["--color", "pink"], 'must be auto, always or never, not "pink"'),
        (["--env-file"], "--env-file: needs a value"),
    ],
)
def test_a_line_that_cannot_be_read_is_refused_and_names_the_help(words, message):
    parser = verb_parser(VERBS_BY_NAME["status"], program="orchestrate")
    add_common(parser)
    with pytest.raises(UsageRefused, match=message) as refusal:
        parser.parse_args(words)
    assert refusal.value.hint == "orchestrate status --help"


def test_help_begins_with_examples():
    parser = verb_parser(VERBS_BY_NAME["run"], program="orchestrate")
    add_common(parser, has_dry_run=False)
    text = parser.format_help()
    assert text.index("orchestrate run .orchestrate/csv-export") < text.index("usage:") < text.index("exit codes:")
    assert all(f"\n  {code} " in text for code in (0, 1, 2, 100, 130))


def test_the_overview_has_every_verb_in_its_group():
    text = overview(program="orchestrate")
    assert all(f"\n  {verb.name} " in text for verb in VERBS if verb.group != HIDDEN)
    places = [text.index(f"\n{group}:") for group in GROUPS if any(verb.group == group for verb in VERBS)]
    assert places == sorted(places)
    assert {verb.group for verb in VERBS} <= {*GROUPS, HIDDEN}


def test_a_long_left_half_has_a_line_of_its_own():
    assert two_columns([("a", "one"), ("b" * 60, "two")]) == ["a  one", "b" * 60, "   two"]


@pytest.mark.parametrize(
    ("words", "expected"), [(["--json"], True), (["status", "--json"], True), (["--", "--json"], False), ([], False)]
)
def test_json_is_wanted_also_by_a_line_that_cannot_be_read(words, expected):
    assert wants_json(words) is expected
