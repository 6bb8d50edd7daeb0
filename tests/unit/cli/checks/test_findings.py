import pytest

from orchestrate.cli.checks.findings import (
    Check,
    Verdict,
    fault,
    fault_of,
    good,
    having,
    refusals,
    refuse_faults,
    skipped,
    warning,
)
from orchestrate.errors import InputRefused, SeveralRefused

FINDINGS = (
    good(Check.KEY, "good"),
    warning(Check.LIMITS, "odd", hint="look"),
    fault(Check.MODELS, "no model", hint="use one"),
    skipped(Check.PROMPTS, "not looked at"),
)


def test_findings_are_chosen_by_their_verdict():
    assert [finding.message for finding in having(FINDINGS, Verdict.WARNING)] == ["odd"]


def test_without_a_fault_nothing_is_refused():
    refuse_faults(FINDINGS[:2])


def test_one_fault_is_a_refusal_of_its_own():
    with pytest.raises(InputRefused) as refused:
        refuse_faults(FINDINGS)
    assert not isinstance(refused.value, SeveralRefused)
    assert (refused.value.message, refused.value.hint) == ("no model. Nothing was launched.", "use one")


def test_several_faults_are_raised_together():
    with pytest.raises(SeveralRefused, match="2 faults") as refused:
        refuse_faults((*FINDINGS, fault(Check.REPOSITORY, "no branch.")))
    assert [each.message for each in refused.value.refusals] == ["no model.", "no branch."]


def test_an_error_keeps_what_it_says():
    found = fault_of(Check.RUNTIME, InputRefused("no runtime", hint="add one", known=("two",)))
    (refusal,) = refusals([found])
    assert (refusal.message, refusal.hint, refusal.known) == ("no runtime.", "add one", ("two",))
