import re
import shlex
from importlib import import_module

import pytest

from orchestrate.cli.confirming import NotConfirmed
from orchestrate.cli.delegation.codes import MEANINGS, Code
from orchestrate.cli.delegation.contract import tell_failure
from orchestrate.cli.delegation.refusals import DelegationRefused, code_of, error_object
from orchestrate.cli.parsing import add_common, verb_parser
from orchestrate.cli.verbs import VERBS_BY_NAME
from orchestrate.errors import (
    CapacityReached,
    InputRefused,
    OrchestrateError,
    OutcomeUnknown,
    ProtocolBroken,
    RateLimited,
    Refused,
    StorageFailed,
    Unavailable,
    WorkspaceDamaged,
)
from orchestrate.text.redaction import Redactor

CASES = [
    (Refused("x", status=401, code="unauthorized"), Code.AUTH_FAILED),
    (Refused("x", status=403, code="forbidden"), Code.AUTH_FAILED),
    (Refused("x", status=403, code="repository_access"), Code.REPO_ACCESS),
    (Refused("x", status=400, code="integration_not_connected"), Code.REPO_ACCESS),
    (Refused("x", status=400, code="invalid_model"), Code.INVALID_INPUT),
    (Refused("x", status=409, code="agent_busy"), Code.AGENT_BUSY),
    (Refused("x", status=404, code="agent_not_found"), Code.NOT_FOUND),
    (Refused("x", status=405, code="method_not_allowed"), Code.UNSUPPORTED),
    (RateLimited("x", status=429), Code.RATE_LIMITED),
    (CapacityReached("x", status=429), Code.CAPACITY),
    (Unavailable("x", status=429, code="usage_limit_exceeded"), Code.QUOTA_EXHAUSTED),
    (Unavailable("x", status=503), Code.SERVICE_UNAVAILABLE),
    (Unavailable("x", status=501), Code.UNSUPPORTED),
    (OutcomeUnknown("x", status=200), Code.UNKNOWN_OUTCOME),
    (ProtocolBroken("x", status=200), Code.MALFORMED_RESPONSE),
    (WorkspaceDamaged("x"), Code.STATE_CORRUPT),
    (StorageFailed("x"), Code.STATE_CORRUPT),
    (InputRefused("x"), Code.INVALID_INPUT),
    (NotConfirmed("x"), Code.CONFIRMATION_REQUIRED),
    (DelegationRefused(Code.NESTED_DELEGATION, "x"), Code.NESTED_DELEGATION),
    (OrchestrateError("x"), Code.INTERNAL_ERROR),
]
SPEAKING = [name for name, verb in VERBS_BY_NAME.items() if verb.speaks_json]


@pytest.mark.parametrize(("error", "code"), CASES, ids=[f"{type(error).__name__} {code}" for error, code in CASES])
def test_each_error_has_its_code(error, code):
    assert code_of(error) is code


def test_every_code_says_what_it_means():
    assert set(MEANINGS) == set(Code)
    assert [code for code in MEANINGS if MEANINGS[code].retryable] == [
        Code.AGENT_BUSY,
        Code.RATE_LIMITED,
        Code.CAPACITY,
        Code.SERVICE_UNAVAILABLE,
        Code.CONCURRENCY_LIMIT,
    ]


@pytest.mark.parametrize("verb", SPEAKING)
@pytest.mark.parametrize("code", list(Code))
def test_every_recovery_action_is_a_sentence_with_a_command_that_can_be_typed(code, verb):
    told = str(error_object(DelegationRefused(code, "x"), verb=verb)["recoveryAction"])
    assert re.fullmatch(r"[A-Z].*\.", told)
    commands = re.findall(r"`orchestrate ([^`]+)`", told)
    assert commands, told
    for command in commands:
        type_it(shlex.split(command))


def type_it(words):
    if words[0] == "help":
        assert words[1] in VERBS_BY_NAME
        return
    parser = verb_parser(VERBS_BY_NAME[words[0]], program="orchestrate")
    import_module(VERBS_BY_NAME[words[0]].module).configure(parser)
    add_common(parser)
    parser.parse_args(words[1:])


def test_a_command_goes_to_the_runtime_that_was_named(capsys):
    tell_failure(
        "agents", ["agents", "--runtime", "local"], Refused("x", status=404), program="orchestrate", redactor=Redactor()
    )
    assert "`orchestrate agents --all --runtime local`" in capsys.readouterr().out


def test_a_bug_and_a_signal_are_one_object_too(capsys):
    words = ["delegate", "--idempotency-key=k1"]
    assert tell_failure("delegate", words, ZeroDivisionError("oh"), program="orchestrate", redactor=Redactor()) == 1
    assert '"code":"INTERNAL_ERROR"' in (out := capsys.readouterr().out)
    assert '"idempotencyKey":"k1"' in out
    assert tell_failure("delegate", words, KeyboardInterrupt(), program="orchestrate", redactor=Redactor()) == 130
    assert '"code":"INTERRUPTED"' in capsys.readouterr().out


def test_a_wait_that_the_service_asks_for_is_said():
    told = error_object(RateLimited("x", status=429, retry_after_seconds=30.0, request_id="r1"), verb="agents")
    assert str(told["recoveryAction"]).startswith("Wait 30 s")
    assert told["requestId"] == "r1"


def test_a_failure_is_told_without_what_is_secret_here(capsys):
    error = Refused("who is blue-heron-7?", status=404)
    tell_failure("agents", ["agents"], error, program="orchestrate", redactor=Redactor(["blue-heron-7"]))
    out = capsys.readouterr().out
    assert "blue-heron-7" not in out
    assert "who is [redacted]?" in out
