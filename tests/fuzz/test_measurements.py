"""Whatever a planner, a command or an agent writes: measurements have an outcome or a reason, and nothing else happens."""

from contextlib import suppress

from hypothesis import example, given, strategies as st

from orchestrate import api
from orchestrate.model.vocabulary import MeasurementOutcome
from tests.support.fuzzing import fuzzed, json_values, odd_text

SIGNS = ("(", ")", "[", "]", "{", "}", "?", "*", "+", "|", "^", "$", ".", "\\", "\\d", "\\W", "\\b", "\\1", "\\k<a>", "(?<a>",
         "(?:", "(?=", "(?<!", "{2}", "{1,}", "-", ",", "a", "1", "\\u0041", "\\p{L}", "[^", "\\D]")  # fmt: skip
patterns = st.lists(st.one_of(st.sampled_from(SIGNS), odd_text), max_size=12).map("".join)
flags = st.text(alphabet="dgimsuyvx", max_size=3)
PIECES = (
    "1",
    "234",
    ",",
    ".",
    " ",
    "'",
    "_",
    "-",
    "+",
    "%",
    "ms",
    "KB",
    "$",
    "e9",
    "`",
    "**",
    "~",
    "0",
    "(x)",
    "\u00a0",
)
values = st.lists(st.one_of(st.sampled_from(PIECES), odd_text), max_size=8).map("".join)
operators = st.sampled_from(("→", "->", "<=", "<", ">", ">=", "==", "=>", "", "≤"))


@fuzzed
@given(patterns, flags, st.one_of(odd_text, st.just("total 12 of 30\n")))
@example("(?:(?:a|b)*)*(?:c|d)$", "", "ab" * 30)
def test_a_pattern_finds_a_value_or_is_refused(pattern, flags, stdout):
    try:
        value = api.extract_measurement({"kind": "regex", "pattern": pattern, "flags": flags}, stdout)
    except api.MeasurementError:
        return
    assert value == value.strip() != ""


@fuzzed
@given(json_values, odd_text)
def test_a_parser_of_any_shape_is_used_or_refused(parser, stdout):
    with suppress(api.MeasurementError):
        api.extract_measurement(parser, stdout)


@fuzzed
@given(values, values, operators, st.floats(0, 1))
def test_two_values_have_an_outcome_and_a_reason_in_one_line(measured, claimed, op, tolerance):
    spec = {"name": "n", "command": "c", "toleranceFraction": tolerance}
    found = api.compare_measurement(spec, measured, {"name": "n", "before": "1", "op": op, "after": claimed})
    assert found.outcome in MeasurementOutcome
    assert found.drift is None or 0 <= found.drift < float("inf")
    assert found.detail
    assert "\n" not in found.detail


@fuzzed
@given(values)
def test_a_value_matches_itself(value):
    found = api.compare_measurement({"name": "n"}, value, {"name": "n", "before": "1", "op": "==", "after": value})
    assert found.outcome in ("match", "parse-failed")


@fuzzed
@given(odd_text, st.one_of(odd_text, st.just("signal 9")), st.one_of(st.none(), odd_text, st.integers()), odd_text)
def test_a_failure_has_a_class(error, output, code, run_status):
    mode = api.classify_failure(error=error, output=output, code=code, run_status=run_status)
    assert mode in ("cap-hit", "oom", "tool-error", "network-drop", "unknown")
