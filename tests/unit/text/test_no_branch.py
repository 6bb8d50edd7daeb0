import pytest

from orchestrate.text.no_branch import answers_none, says_no_branch, says_nothing_pushed


@pytest.mark.parametrize("text", ["None", "n/a", "(none)", "keine", "无", "-", "nothing", "No, nothing."])
def test_a_word_for_none_answers(text):
    assert answers_none(text)


@pytest.mark.parametrize("text", ["No new branch: see below", "none/such", "no-op", "none of these", "cursor/x"])
def test_other_openings_do_not(text):
    assert not answers_none(text)


@pytest.mark.parametrize(
    "text", ["could not be pushed", "nothing was pushed", "no such branch", "push failed", "was never pushed"]
)
def test_saying_that_nothing_was_pushed_is_understood_anywhere(text):
    assert says_nothing_pushed(f"cursor/x: it {text}")


@pytest.mark.parametrize("text", ["pushed it", "not reviewed yet", "no new branch", "no pull request"])
def test_other_negations_do_not_count(text):
    assert not says_nothing_pushed(text)


def test_no_changes_means_no_branch():
    assert says_no_branch("No code changes were made")
    assert not says_no_branch("some changes")
