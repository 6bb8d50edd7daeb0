import pytest

from orchestrate.cli.safe_errors import safe_error, safe_lines
from orchestrate.errors import InputRefused, PlanRefused, SeveralRefused
from orchestrate.model.faults import Fault
from orchestrate.text.redaction import REDACTED

SECRET = "hunter-22-hunter"


@pytest.fixture(autouse=True)
def _a_secret_in_the_environment(monkeypatch):
    monkeypatch.setenv("DEPLOY_TOKEN", SECRET)


def test_an_error_is_told_without_secrets():
    error = safe_error(InputRefused(f"no {SECRET}", hint=f"drop {SECRET}", known=[f"https://me:{SECRET}@host"]))
    assert (error.message, error.hint, error.known) == (
        f"no {REDACTED}",
        f"drop {REDACTED}",
        (f"https://me:{REDACTED}@host",),
    )
    assert safe_error(InputRefused("no")).hint is None


def test_faults_of_a_plan_are_told_without_secrets():
    error = safe_error(PlanRefused("x", faults=[Fault(path="tasks[0]", message=f"bad {SECRET}")]))
    assert error.faults == (Fault(path="tasks[0]", message=f"bad {REDACTED}"),)


def test_lines_are_told_without_secrets():
    assert safe_lines(["a", f"b {SECRET}"]) == ["a", f"b {REDACTED}"]


def test_each_of_several_refusals_is_told_without_secrets():
    error = safe_error(SeveralRefused("2 faults", refusals=[InputRefused(f"no {SECRET}"), InputRefused("no")]))
    assert [each.message for each in error.refusals] == [f"no {REDACTED}", "no"]


def test_settings_that_cannot_be_read_do_not_keep_an_error_from_being_told(monkeypatch):
    monkeypatch.setenv("ORCHESTRATE_AGENT_DEPTH", "many")
    assert safe_error(InputRefused("it is no depth")).message == "it is no depth"
