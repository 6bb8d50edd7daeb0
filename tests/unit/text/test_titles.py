import pytest

from orchestrate.text.titles import Label, Title, closes_a_sentence, glued_titles, heading_of, is_aside, label_of

TITLES = {
    "Status": Title.STATUS,
    "final status": Title.STATUS,
    "✅ 1. **Status**:": Title.STATUS,
    "Branch(es)": Title.BRANCH,
    "Branch name": Title.BRANCH,
    "What I did": Title.WORK,
    "What my subtree did": Title.WORK,
    "Measurement": Title.MEASUREMENTS,
    "Verification level": Title.VERIFICATION,
    "Final verdict": Title.VERDICT,
    "Notes, concerns, deviations, findings, thoughts, feedback": Title.NOTES,
    "Notes & suggestions": Title.NOTES,
    "Suggested follow-ups": Title.FOLLOW_UPS,
    "followups": Title.FOLLOW_UPS,
    "failureMode": Title.FAILURE_MODE,
    "failure_mode": Title.FAILURE_MODE,
    "Draft pull request": Title.PULL_REQUEST,
    "Target": Title.TARGET,
    "Execution": Title.EXECUTION,
    "Findings": Title.FINDINGS,
    "Branch `a/b`": Title.BRANCH,
    "Branch a/b": Title.BRANCH,
    "Status success": Title.STATUS,
    "Verification not-verified": Title.VERIFICATION,
}


@pytest.mark.parametrize(("text", "title"), TITLES.items())
def test_a_heading_is_recognised_by_its_words(text, title):
    label = heading_of(text)
    assert label is not None
    assert label.title is title


@pytest.mark.parametrize(
    "text",
    [
        ":memo: Status",
        "1\u20e3 Status",
        '<a id="status"></a>Status',
        "[Status]",
        "[Status](#status)",
        "**1. 🚀 Status:**",
        "**[Status]**:",
    ],
)
def test_ornaments_are_no_part_of_a_title(text):
    label = heading_of(text)
    assert label is not None
    assert (label.title, label.rest) == (Title.STATUS, "")


def test_a_remark_in_brackets_is_an_aside_and_a_value_is_none():
    asides = {
        text: is_aside(label_of(text))
        for text in ("Status (as of today)", "Status (success)", "Status: (x)", "Branch (x)")
    }
    assert list(asides.values()) == [True, False, False, False]


@pytest.mark.parametrize(
    "text",
    [
        "Branch protection",
        "Status of it",
        "Target branch",
        "Branching",
        "Summary",
        '"Status"',
        "/status",
        "Notes on x",
        "",
    ],
)
def test_other_headings_are_not(text):
    assert heading_of(text) is None


def test_a_label_knows_its_value():
    assert label_of("**Status:** success") == Label(
        title=Title.STATUS, is_marked=True, separator=":", rest="success", is_capital=True
    )
    assert label_of("status") == Label(title=Title.STATUS, is_marked=False, separator="", rest="", is_capital=False)
    long = label_of("Status: " + "x" * 500)
    assert long is not None
    assert len(long.rest) == 500


def test_glued_titles_are_found_outside_code():
    assert glued_titles("done.## Status") == [(5, 8)]
    assert glued_titles("## Status ## Branch") == [(10, 13)]
    assert glued_titles("`x ## Status`") == []
    assert glued_titles("\\## Status, '## Status'") == []
    assert glued_titles("nothing") == []


def test_a_heading_may_follow_the_end_of_a_sentence_or_no_space():
    assert closes_a_sentence("done")
    assert closes_a_sentence("done. ")
    assert not closes_a_sentence("under ")
