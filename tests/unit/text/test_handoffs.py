"""The parser as a whole: messages as models write them, and what must come out of each."""

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from orchestrate.model.handoff import Handoff, MeasurementClaim
from orchestrate.model.vocabulary import FailureMode, HandoffStatus, Verification
from orchestrate.text.handoffs import parse_handoff
from tests.support.corpus import HandoffCase, handoff_cases

MESSAGE = """## Status
success

## Branch
`cursor/x`

## What I did
- changed `a.py`

## Measurements
- `lines`: `10` → `5`

## Verification
unit-test-verified

## Notes, concerns, deviations, findings, thoughts, feedback
none

## Suggested follow-ups
- more
"""
WITH_BLOCK = MESSAGE.replace("- changed `a.py`", "```sh\npytest -q\n```")
EXPECTED = Handoff(
    status=HandoffStatus.SUCCESS,
    branch="cursor/x",
    verification=Verification.UNIT_TEST_VERIFIED,
    measurements=(MeasurementClaim(name="lines", before="10", op="→", after="5"),),
    measurements_none=False,
    structured=True,
)
SETEXT = """Status
------
success

Branch
======
cursor/x

Measurements
---
- lines: 10 → 5

Verification
-----
unit-test-verified
"""
FIELDS = """**Status:** success
**Branch:** `cursor/x`
**Measurements:**
- lines: 10 -> 5

**Verification:** unit-test-verified
"""
INLINE = """## Status: success
## Branch: cursor/x
## Measurements
`lines`: **10** → **5** (wc -l)
## Verification: unit-test-verified
"""
TABLE = """| Field | Value |
|---|---|
| Status | success |
| **Branch** | `cursor/x` |
| Verification | unit-test-verified |

## Measurements
| name | before | op | after |
|---|---|---|---|
| `lines` | 10 | → | 5 |
"""
NUMBERED = """1. Status
   success
2. Branch
   `cursor/x`
3. Measurements
   - lines: 10 → 5
4. Verification
   unit-test-verified
"""
SAME_MESSAGE = {
    "as asked": MESSAGE,
    "CRLF": MESSAGE.replace("\n", "\r\n"),
    "lone CR": MESSAGE.replace("\n", "\r"),
    "byte order mark": "\ufeff" + MESSAGE,
    "no-break spaces": MESSAGE.replace("## ", "##\u00a0"),
    "zero-width characters": MESSAGE.replace("Status", "Sta\u200btus\u200b"),
    "bidi characters": MESSAGE.replace("success", "\u202asuccess\u202c"),
    "ANSI codes": MESSAGE.replace("success", "\x1b[32msuccess\x1b[0m"),
    "NUL": MESSAGE.replace("success", "succ\0ess"),
    "level three": MESSAGE.replace("## ", "### "),
    "level one": MESSAGE.replace("## ", "# "),
    "underlined": SETEXT,
    "bold": MESSAGE.replace("## Status", "**Status**").replace("## Branch", "__Branch:__"),
    "colons": MESSAGE.replace("## Status", "## Status:").replace("## Branch", "## **Branch**:"),
    "closed": MESSAGE.replace("## Status", "## Status ##"),
    "numbered headings": MESSAGE.replace("## Status", "## 1. Status").replace("## Branch", "## 2) Branch"),
    "numbered list": NUMBERED,
    "other case": MESSAGE.replace("## Status", "## STATUS").replace("## Branch", "## branch"),
    "emoji": MESSAGE.replace("## Status", "## 🚦 Status ✅"),
    "glued to narration": "I am done.## Status\n" + MESSAGE[10:],
    "all glued": "done." + MESSAGE.replace("\n\n## ", "## "),
    "fields": FIELDS,
    "values in headings": INLINE,
    "a list of fields": FIELDS.replace("**Status", "- **Status").replace("**Branch", "- **Branch"),
    "plain labels": FIELDS.replace("**", ""),
    "table": TABLE,
    "indented": "\n".join(f"    {line}" for line in MESSAGE.split("\n")),
    "in a fence": f"```\n{MESSAGE}```",
    "in a long fence": f"``````markdown\n{MESSAGE}``````\n",
    "in a tilde fence": f"~~~\n{MESSAGE}~~~",
    "a sentence before the fence": f"Here it is:\n\n```md\n{MESSAGE}```\n",
    "a sentence behind the fence": f"```md\n{MESSAGE}```\nLet me know.",
    "a block inside the fence": f"```markdown\n{WITH_BLOCK}```",
    "an unclosed fence": f"```\n{MESSAGE}",
    "a fence closed by the other kind": f"```\n{MESSAGE}~~~\n",
    "a commented sample": f"<!-- ## Status\nblocked\n-->\n{MESSAGE}",
    "a fenced sample": f"The format:\n```\n## Status\nblocked\n## Branch\n`no/no`\n```\n{MESSAGE}",
    "a quoted sample": f"> ## Status\n> blocked\n\n{MESSAGE}",
    "details": f"<details>\n<summary>handoff</summary>\n\n{MESSAGE}\n</details>",
    "our own header": f"<!-- orchestrate handoff\ntask: x\n-->\n{MESSAGE}",
    "said twice": f"{MESSAGE}\n{MESSAGE}",
    "a rule under the branch": MESSAGE.replace("`cursor/x`\n", "cursor/x\n---\n"),
}


@pytest.mark.parametrize("text", SAME_MESSAGE.values(), ids=SAME_MESSAGE.keys())
def test_the_same_message_in_other_clothes_reads_the_same(text):
    assert parse_handoff(text) == EXPECTED


def test_an_empty_message_has_no_values():
    assert parse_handoff(" \n") == Handoff(notes=("The message is empty",))


def test_prose_is_not_structured():
    handoff = parse_handoff("I fixed it and ran out of memory once. See https://github.com/o/r/pull/3.")
    assert handoff == Handoff(notes=("None of the headings of a handoff is there",))


def test_escaped_headings_are_text():
    assert not parse_handoff("\\## Status\nsuccess").structured


def test_missing_sections_are_noted():
    assert parse_handoff("## What I did\nall").notes == (
        "Status: the section is missing",
        "Branch: the section is missing",
    )
    verifier = parse_handoff("## Findings\n(none)", task_type="verifier")
    assert verifier.structured
    assert verifier.notes == ("Verification: the section is missing",)
    assert not parse_handoff("## Findings\n(none)").structured


def test_the_run_names_the_branch_where_the_message_does_not():
    assert parse_handoff("## Status\nsuccess", run_branches=("", "origin/cursor/y")).branch == "cursor/y"
    assert parse_handoff("", run_branches=("cursor/y",)).branch == "cursor/y"
    assert parse_handoff("## Branch\n`cursor/x`", run_branches=("cursor/y",)).branch == "cursor/x"
    assert parse_handoff("", run_branches=("not a ref",)).branch is None


def test_a_line_that_repeats_the_placeholder_yields_to_the_run():
    text = "## Status\nsuccess\n## Branch\n`orch/r/a`"
    assert parse_handoff(text, placeholder="orch/r/a", run_branches=("cursor/y",)).branch == "cursor/y"
    assert parse_handoff(text, placeholder="orch/r/a").branch == "orch/r/a"


def test_no_branch_beside_a_reported_one_is_noted():
    handoff = parse_handoff("## Status\nsuccess\n## Branch\n(no branch)", run_branches=("cursor/y",))
    assert (handoff.branch, handoff.says_no_branch) == ("cursor/y", True)
    assert handoff.notes == ("Branch: says that there is none; the run reports cursor/y",)


def test_branch_sections_that_differ_give_none():
    handoff = parse_handoff("## Status\nsuccess\n## Branch\n`a/b`\n## Branch\n(no branch)")
    assert (handoff.branch, handoff.says_no_branch) == (None, False)
    assert handoff.notes == ("Branch: 2 places say different things (a/b, (no branch)); none was taken",)


def test_an_unreadable_branch_section_beside_a_readable_one_is_noted():
    handoff = parse_handoff("## Status\nsuccess\n## Branch\nbad..ref\n## Branch\n`a/b`")
    assert handoff.branch == "a/b"
    assert handoff.notes == ("Branch: not a name that git takes: bad..ref",)


def test_a_verdict_that_contradicts_the_verification_gives_none():
    text = "## Verification\nunit-test-verified\n## Verdict\n{}"
    assert parse_handoff(text.format("fail"), task_type="verifier").verification is None
    assert parse_handoff(text.format("unit-test-verified"), task_type="verifier").verification == "unit-test-verified"
    prose = parse_handoff("## Verification\nI ran things.\n## Verdict\npass", task_type="verifier")
    assert prose.verification is Verification.TYPE_CHECK_ONLY


def test_a_failure_mode_is_read_in_its_own_place_only():
    assert parse_handoff("## Status\nblocked\nfailureMode: oom").failure_mode is FailureMode.OOM
    assert parse_handoff("## Failure mode\ncap-hit").failure_mode is FailureMode.CAP_HIT
    assert parse_handoff("## Status\nblocked\n```\nfailureMode: oom\n```").failure_mode is None
    assert parse_handoff("## Status\nblocked\n## Notes\nfailureMode: oom, out of memory").failure_mode is None


def test_a_field_in_a_tale_is_part_of_the_tale():
    handoff = parse_handoff("## Status\nsuccess\n## What I did\n- **Branch:** `cursor/old` was there before")
    assert handoff.branch is None


def test_the_branch_of_a_target_is_not_the_verifiers_own():
    text = "## Verification\nnot-verified\n## Target\n- Branch: `cursor/target`\n- **Status:** success"
    handoff = parse_handoff(text, task_type="verifier")
    assert (handoff.branch, handoff.status) == (None, None)


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.text(max_size=400))
def test_no_text_makes_it_raise(text):
    parse_handoff(text, repo_url="https://github.com/o/r", run_branches=(text,), placeholder=text)


PIECES = st.sampled_from(
    [
        *("## Status", "## Branch", "**Branch:**", "## Measurements", "## Verification", "Verdict:", "done.## Status"),
        *("success", "partial", "`cursor/x`", "(no branch)", "a: 1 → 2", "unit-test-verified", "| Status | Branch |"),
        *(
            "|---|---|",
            "| a | b |",
            "```",
            "~~~",
            "```md",
            "> ",
            "- ",
            "1. ",
            "    ",
            "<!--",
            "-->",
            "<pre>",
            "</div>",
            "---",
        ),
        *(
            "===",
            "\n",
            "\n\n",
            "\r",
            "\t",
            " ",
            "[x] ",
            "[a](b)",
            "\\",
            "&lt;",
            "*",
            "_",
            "\x1b[1m",
            "\ud800",
            "failureMode: oom",
        ),
    ]
)


@settings(max_examples=500, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.lists(PIECES, max_size=60).map("".join), st.sampled_from(["worker", "verifier", "subplanner"]))
def test_no_mixture_of_markup_makes_it_raise(text, task_type):
    handoff = parse_handoff(text, task_type=task_type, repo_url="git@host:o/r.git")
    assert all("\n" not in note for note in handoff.notes)


CORPUS = handoff_cases()


@pytest.mark.parametrize("case", CORPUS, ids=[case.id for case in CORPUS])
def test_a_message_of_the_corpus_is_read_as_a_careful_person_reads_it(case: HandoffCase):
    found = parse_handoff(case.text, **case.arguments)
    claims = tuple((claim.name, claim.before, claim.op, claim.after) for claim in found.measurements)
    fields = {name: claims if name == "measurements" else getattr(found, name) for name in case.expected}

    assert fields == dict(case.expected), case.reason
