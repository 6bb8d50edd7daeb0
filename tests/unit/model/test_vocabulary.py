import pytest

from orchestrate.model.vocabulary import FailureMode, RunStatus, TaskStatus, TaskType, Verification


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (TaskType, "worker subplanner verifier"),
        (TaskStatus, "pending running handed-off error cancelled pruned"),
        (FailureMode, "cap-hit oom tool-error network-drop unknown"),
        (
            Verification,
            "live-ui-verified unit-test-verified type-check-only verifier-blocked verifier-failed not-verified",
        ),
    ],
)
def test_words_are_those_that_stand_in_files(kind, words):
    assert [str(word) for word in kind] == words.split()


def test_a_run_ends_once():
    assert [status for status in RunStatus if not status.is_terminal] == [RunStatus.CREATING, RunStatus.RUNNING]
