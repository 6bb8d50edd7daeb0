import pytest

from orchestrate.cli.safe_errors import redactor_of, safe_error, safe_lines
from orchestrate.errors import InputRefused, PlanRefused, SeveralRefused
from orchestrate.model.faults import Fault
from orchestrate.text.redaction import REDACTED

SECRET = "hunter-22-hunter"


@pytest.fixture(autouse=True)
def _a_secret_in_the_environment(monkeypatch):
    monkeypatch.setenv("DEPLOY_TOKEN", SECRET)


def test_an_error_is_told_without_secrets():
    refused = InputRefused(f"no {SECRET}", hint=f"drop {SECRET}", known=[f"https://me:{SECRET}@host"])
    error = safe_error(refused, redactor_of())
    assert (error.message, error.hint, error.known) == (
        f"no {REDACTED}",
        f"drop {REDACTED}",
        (f"https://me:{REDACTED}@host",),
    )
    assert safe_error(InputRefused("no"), redactor_of()).hint is None


def test_faults_of_a_plan_are_told_without_secrets():
    error = safe_error(PlanRefused("x", faults=[Fault(path="tasks[0]", message=f"bad {SECRET}")]), redactor_of())
    assert error.faults == (Fault(path="tasks[0]", message=f"bad {REDACTED}"),)


def test_lines_are_told_without_secrets():
    assert safe_lines(["a", f"b {SECRET}"], redactor_of()) == ["a", f"b {REDACTED}"]


def test_each_of_several_refusals_is_told_without_secrets():
    error = safe_error(
        SeveralRefused("2 faults", refusals=[InputRefused(f"no {SECRET}"), InputRefused("no")]), redactor_of()
    )
    assert [each.message for each in error.refusals] == [f"no {REDACTED}", "no"]


def test_settings_that_cannot_be_read_do_not_keep_an_error_from_being_told(monkeypatch):
    monkeypatch.setenv("ORCHESTRATE_AGENT_DEPTH", "many")
    assert safe_error(InputRefused("it is no depth"), redactor_of()).message == "it is no depth"


def test_a_file_beside_the_environment_holds_secrets_as_well_also_of_names_that_both_have():
    redactor = redactor_of({"DEPLOY_TOKEN": "another-word-5", "DATABASE_URL": "db://me:third-word-7@host"})
    told = safe_lines([f"{SECRET} another-word-5 third-word-7"], redactor)
    assert told == [f"{REDACTED} {REDACTED} {REDACTED}"]
