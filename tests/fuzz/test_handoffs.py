"""Whatever an agent's last message is: values that fit the model come out of it, and the work does not grow faster than the text."""

import sys
from collections.abc import Callable
from types import FrameType

import pytest
from hypothesis import example, given, settings, strategies as st

from orchestrate.model.handoff import Handoff
from orchestrate.model.names import is_valid_ref
from orchestrate.text.handoffs import parse_handoff
from tests.support.fuzzing import fuzzed, odd_text

HEADINGS = (
    "## Status", "## Branch", "## What I did", "## Measurements", "## Verification", "## Verdict", "## Execution",
    "## Notes, concerns, deviations, findings, thoughts, feedback", "## Suggested follow-ups", "### Branch:",
    "**Status**", "**Branch:** `cursor/a`", "Status\n---", "BRANCH\n======", "1. Verification", "#Status", "## ",
    "narration ## Status success", "| Status | success |\n|---|---|", "## Failure mode",
)  # fmt: skip
VALUES = (
    "success", "partial", "blocked", "- **success** ✅", "`cursor/x-1f2a`", "cursor/x (pushed)", "(none)", "none",
    "unit-test-verified", "verifier-failed", "pass", "- lines: 10 → 5", "- `a`: 1,000 <= 2", "| a | 1 | → | 2 |", "oom",
    "https://git.example.org/team/project/pull/12", "refs/heads/main", "-x", "main..x", "x.lock", "\0", "`" * 30,
)  # fmt: skip
MARKS = (
    "\n", "\n\n", "\r\n", "\r", "```\n", "~~~\n", "````md\n", "> ", "- ", "  ", "\t", "<!-- ", "-->", "**", "__", "`",
    "[", "](", "<div>\n", "\x1b[32m", "\\", "|", "\u2028", "\ufeff", "&nbsp;", "---\n", "***\n",
)  # fmt: skip
pieces = st.one_of(st.sampled_from(HEADINGS), st.sampled_from(VALUES), st.sampled_from(MARKS), odd_text)
messages = st.lists(st.tuples(pieces, st.sampled_from(("", "\n", "\n\n", " "))), max_size=25).map(
    lambda lines: "".join(text + end for text, end in lines)
)
task_types = st.sampled_from(("worker", "subplanner", "verifier"))
REPO_URL = "https://git.example.org/team/project.git"


@fuzzed
@given(messages, task_types, st.lists(odd_text, max_size=2), st.sampled_from((None, "orch/a/b")))
@example("", "worker", [], None)
def test_values_fit_the_model_whatever_the_message_is(message, task_type, branches, placeholder):
    handoff = parse_handoff(
        message, task_type=task_type, run_branches=branches, placeholder=placeholder, repo_url=REPO_URL
    )

    assert isinstance(handoff, Handoff)
    assert handoff.branch is None or is_valid_ref(handoff.branch)
    assert all(claim.name and claim.op in ("→", "<=", "<", ">", ">=", "==") for claim in handoff.measurements)
    assert (handoff.measurements_none is False) if handoff.measurements else True
    assert handoff == parse_handoff(
        message, task_type=task_type, run_branches=branches, placeholder=placeholder, repo_url=REPO_URL
    )


@fuzzed
@given(messages)
def test_a_message_reads_the_same_with_other_line_ends(message):
    plain = message.replace("\r\n", "\n").replace("\r", "\n")

    assert parse_handoff(plain.replace("\n", "\r\n")) == parse_handoff(plain)


@fuzzed
@given(odd_text, st.sampled_from(("\n", "\r\n")))
def test_notes_of_any_kind_leave_the_other_sections_alone(notes, end):
    """Behind the last section that is read: nothing there can speak for those before it."""
    quoted = "\n".join(f"> {line}" for line in notes.splitlines())
    message = f"## Status\nsuccess\n\n## Branch\n`cursor/x`\n\n## Verification\nunit-test-verified\n\n## What I did\n{quoted}\n"

    handoff = parse_handoff(message.replace("\n", end))

    assert (handoff.status, handoff.branch, handoff.verification) == ("success", "cursor/x", "unit-test-verified")


@pytest.mark.parametrize(
    "unit", [*HEADINGS, *VALUES, *MARKS, "a", "## Status\nsuccess\n", "- lines: 10 → 5\n", "> ```\n"]
)
@pytest.mark.parametrize("end", ["", "\n"], ids=["glued", "lines"])
def test_the_work_grows_with_the_text_and_not_with_its_square(unit, end):
    require_linear("## Status\n" + (unit + end) * (800 // len(unit + end)))


@settings(fuzzed, max_examples=50)
@given(messages)
def test_the_work_grows_so_for_any_message_again_and_again(message):
    require_linear(message * (1 + 400 // (len(message) + 1)))


def require_linear(text: str) -> None:
    """Twice the text may cost twice as much, a little more where a short text goes a shorter way; never four times."""
    three_times, six_times = (work_of(lambda times=times: parse_handoff(text * times)) for times in (3, 6))

    assert six_times <= 3 * three_times + 2_000


def work_of(call: Callable[[], object]) -> int:
    """How many lines of Python, ours and the markdown parser's, the call ran through; the same in every run."""
    lines = 0

    def count(_frame: FrameType, event: str, _argument: object) -> object:
        nonlocal lines
        lines += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        call()
    finally:
        sys.settrace(before)
    return lines
