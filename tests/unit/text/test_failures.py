import pytest

from orchestrate.model.vocabulary import FailureMode, RunStatus
from orchestrate.text.failures import failure_mode_of

CASES = [
    ({"run_status": RunStatus.EXPIRED, "code": "oom"}, FailureMode.CAP_HIT),
    ({"code": "usage_limit_exceeded"}, FailureMode.CAP_HIT),
    ({"code": "OOM_KILLED"}, FailureMode.OOM),
    ({"code": "tool_error", "duration_seconds": 4500}, FailureMode.TOOL_ERROR),
    ({"duration_seconds": 4200}, FailureMode.CAP_HIT),
    ({"duration_seconds": 4199}, FailureMode.UNKNOWN),
    ({"duration_seconds": 4801}, FailureMode.UNKNOWN),
    ({"message": "container was OOM-killed"}, FailureMode.OOM),
    ({"message": "process exited: exit code 137"}, FailureMode.OOM),
    ({"message": "You hit your usage limit"}, FailureMode.CAP_HIT),
    ({"message": "read ECONNRESET"}, FailureMode.NETWORK_DROP),
    ({"message": "Tool call failed: shell"}, FailureMode.TOOL_ERROR),
    ({"message": "something about memory and tools"}, FailureMode.UNKNOWN),
    ({"code": "weird"}, FailureMode.UNKNOWN),
    ({}, FailureMode.UNKNOWN),
]


@pytest.mark.parametrize(("evidence", "mode"), CASES)
def test_the_surest_evidence_decides(evidence, mode):
    nothing = {"run_status": RunStatus.ERROR, "code": None, "message": None, "duration_seconds": None}
    assert failure_mode_of(**(nothing | evidence)) is mode
