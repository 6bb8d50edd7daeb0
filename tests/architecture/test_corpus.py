"""The corpora are well-formed: unique ids, a reason each, known fields only, and as many cases as were promised."""

from collections import Counter
from dataclasses import fields

import pytest

from orchestrate.model.handoff import Handoff
from orchestrate.model.vocabulary import FailureMode, HandoffStatus, TaskType, Verification
from tests.support.corpus import handoff_cases, plain_cases, secret_cases

_ARGUMENTS = {"task_type", "run_branches", "placeholder", "repo_url"}
_WORDS = {"status": HandoffStatus, "verification": Verification, "failure_mode": FailureMode}
_OPERATORS = {"→", "<=", "<", ">", ">=", "=="}
_HANDOFFS = handoff_cases()
_SECRETS = secret_cases()
_PLAIN = plain_cases()


@pytest.mark.parametrize("cases", [_HANDOFFS, _SECRETS, _PLAIN], ids=["handoffs", "secrets", "plain"])
def test_ids_are_unique_and_each_case_has_a_reason(cases):
    assert [name for name, count in Counter(case.id for case in cases).items() if count > 1] == []
    assert [case.id for case in cases if not case.reason.rstrip().endswith(".")] == []


@pytest.mark.parametrize(("cases", "least"), [(_HANDOFFS, 400), (_SECRETS, 120), (_PLAIN, 150)])
def test_there_are_enough_cases(cases, least):
    assert len(cases) >= least


def test_no_two_messages_are_the_same_question():
    questions = Counter((case.text, str(sorted(case.arguments.items()))) for case in _HANDOFFS)
    assert [question for question, count in questions.items() if count > 1] == []


def test_arguments_and_expected_values_are_fields_that_there_are():
    known = {field.name for field in fields(Handoff)}
    assert [case.id for case in _HANDOFFS if not case.arguments.keys() <= _ARGUMENTS] == []
    assert [case.id for case in _HANDOFFS if not case.expected or not case.expected.keys() <= known] == []


def test_task_types_and_expected_words_are_of_the_vocabulary():
    for case in _HANDOFFS:
        assert case.arguments.get("task_type", "worker") in set(TaskType), case.id
        for field, words in _WORDS.items():
            assert case.expected.get(field) in {None, *words}, case.id


def test_expected_measurements_have_four_parts_and_an_operator():
    claims = [(case.id, claim) for case in _HANDOFFS for claim in case.expected.get("measurements", ())]
    assert [name for name, claim in claims if len(claim) != 4 or claim[2] not in _OPERATORS] == []


def test_hidden_and_kept_parts_of_a_secret_case_are_in_its_text():
    assert [case.id for case in _SECRETS if not case.hidden or not all(part in case.text for part in case.hidden)] == []
    assert [case.id for case in _SECRETS if not all(part in case.text for part in case.kept)] == []
    assert [case.id for case in _SECRETS if any(hidden in kept for hidden in case.hidden for kept in case.kept)] == []
