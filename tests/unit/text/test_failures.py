import pytest

from orchestrate.model.vocabulary import FailureMode, RunStatus
from orchestrate.text.failures import classified, failure_mode_of

CASES = [
    ({"run_status": RunStatus.EXPIRED, "code": "oom"}, FailureMode.CAP_HIT),
    ({"code": "usage_limit_exceeded"}, FailureMode.CAP_HIT),
    ({"code": "OOM_KILLED"}, FailureMode.OOM),
    ({"code": "137", "message": "x"}, FailureMode.OOM),
    ({"code": "SIGKILL"}, FailureMode.OOM),
    ({"code": "tool_error", "duration_seconds": 4500}, FailureMode.TOOL_ERROR),
    ({"duration_seconds": 4200}, FailureMode.CAP_HIT),
    ({"duration_seconds": 4199}, FailureMode.UNKNOWN),
    ({"duration_seconds": 4801}, FailureMode.UNKNOWN),
    ({"duration_seconds": 4500, "run_status": RunStatus.FINISHED}, FailureMode.UNKNOWN),
    ({"duration_seconds": 4500, "run_status": RunStatus.CANCELLED}, FailureMode.UNKNOWN),
    ({"message": "container was OOM-killed"}, FailureMode.OOM),
    ({"message": "Memory cgroup out of memory: Killed process 12 (node)"}, FailureMode.OOM),
    ({"message": "FATAL ERROR: JavaScript heap out of memory"}, FailureMode.OOM),
    ({"message": "process exited: exit code 137"}, FailureMode.OOM),
    ({"message": "the agent program ended with signal SIGKILL", "code": "agent_exit"}, FailureMode.OOM),
    ({"message": "terminated by signal 9"}, FailureMode.OOM),
    ({"message": "build\nbash: line 1: 123 Killed\n"}, FailureMode.OOM),
    ({"message": "x" * 9000 + "\nout of memory"}, FailureMode.OOM),
    ({"message": "exit status 1", "code": "agent_exit"}, FailureMode.TOOL_ERROR),
    ({"message": "terminated by signal SIGTERM"}, FailureMode.UNKNOWN),
    ({"message": "You hit your usage limit"}, FailureMode.CAP_HIT),
    ({"message": "the run timed out"}, FailureMode.CAP_HIT),
    ({"message": "read ECONNRESET"}, FailureMode.NETWORK_DROP),
    ({"message": "Connection was unexpectedly closed by the peer"}, FailureMode.NETWORK_DROP),
    ({"message": "Tool call failed: shell"}, FailureMode.TOOL_ERROR),
    ({"message": "something about memory and tools"}, FailureMode.UNKNOWN),
    ({"message": "could not fix the out of memory bug; not out of memory"}, FailureMode.UNKNOWN),
    ({"message": "HTTP status code 137"}, FailureMode.UNKNOWN),
    ({"code": "weird"}, FailureMode.UNKNOWN),
    ({}, FailureMode.UNKNOWN),
]


@pytest.mark.parametrize(("evidence", "mode"), CASES)
def test_the_surest_evidence_decides(evidence, mode):
    nothing = {"run_status": RunStatus.ERROR, "code": None, "message": None, "duration_seconds": None}
    assert failure_mode_of(**(nothing | evidence)) is mode


class WithCode(Exception):
    code = "oom"


@pytest.mark.parametrize(
    ("given", "mode"),
    [
        ({"run_status": "expired"}, "cap-hit"),
        ({"run_status": "SOMETHING_NEW"}, "unknown"),
        ({"code": 137}, "oom"),
        ({"error": {"message": "read ECONNRESET"}}, "network-drop"),
        ({"error": {"code": "tool_error"}}, "tool-error"),
        ({"error": ConnectionResetError("Connection reset by peer")}, "network-drop"),
        ({"error": WithCode("x")}, "oom"),
        ({"duration_ms": 75 * 60 * 1000}, "cap-hit"),
        ({}, "unknown"),
    ],
)
def test_evidence_is_taken_as_others_have_it(given, mode):
    assert classified(**given) == mode


def test_prose_of_an_agent_is_no_evidence():
    assert classified(output="It was out of memory, exit code 137, ECONNRESET.") == "unknown"


def test_a_failure_mode_that_a_handoff_states_counts_where_nothing_else_speaks():
    assert classified(output="## Failure mode\noom\n") == "oom"
    assert classified(output="## Failure mode\noom\n", error="read ECONNRESET") == "network-drop"
