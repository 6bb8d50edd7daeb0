import json

import pytest

from orchestrate.model.vocabulary import RunStatus
from orchestrate.server.runners.endings import outcome_of
from orchestrate.server.spool import Spool


@pytest.fixture
def spool(tmp_path):
    (tmp_path / "stdout").write_bytes(b"12345")
    (tmp_path / "stderr").write_bytes(b"first\nlast words\n[server] pushed\n")
    return Spool(tmp_path)


def outcome(spool, end, *, is_cancelled=False):
    if end is not None:
        (spool.folder / "exit.json").write_text(json.dumps(end))
    return outcome_of(spool, is_cancelled=is_cancelled, branch="b", repo_url="u")


@pytest.mark.parametrize(
    ("end", "status", "code", "words"),
    [
        ({"reason": "exited", "exitStatus": 0}, "FINISHED", None, ""),
        (
            {"reason": "exited", "exitStatus": 2},
            "ERROR",
            "agent_exit",
            "exit status 2: last words\nbefore that:\nfirst",
        ),
        ({"reason": "exited", "signal": 11}, "ERROR", "agent_exit", "signal SIGSEGV"),
        ({"reason": "exited", "signal": 99}, "ERROR", "agent_exit", "signal 99"),
        ({"reason": "timeout"}, "ERROR", "timeout", "timeoutSec"),
        ({"reason": "output-limit"}, "ERROR", "output_limit", "too much"),
        ({"reason": "cancelled"}, "CANCELLED", None, ""),
        ({"reason": "terminated"}, "ERROR", "agent_terminated", "told to end"),
        ({"reason": "failed", "message": "no job"}, "ERROR", "agent_terminated", "no job"),
        (None, "ERROR", "agent_lost", "without a word"),
    ],
)
def test_every_end_has_a_status_and_says_why(spool, end, status, code, words):
    result = outcome(spool, end)

    assert (result.status, result.error_code) == (RunStatus(status), code)
    assert words in (result.error_message or "")


def test_an_accepted_cancel_goes_before_how_the_program_took_it(spool):
    assert outcome(spool, {"reason": "exited", "exitStatus": 0}, is_cancelled=True).status is RunStatus.CANCELLED


def test_sizes_and_branch_are_part_of_the_outcome(spool):
    result = outcome(spool, {"reason": "exited", "exitStatus": 0})

    assert (result.stdout_bytes, result.stderr_bytes, result.branch, result.repo_url) == (5, 33, "b", "u")
