import io
import json
import sys

from orchestrate.cli import output
from orchestrate.errors import (
    InputRefused,
    OutcomeUnknown,
    PlanRefused,
    RateLimited,
    Refused,
    SeveralRefused,
    Unavailable,
)
from orchestrate.model.faults import Fault


def test_success_is_ok_with_its_fields():
    assert output.success("status", tasks=2) == {"ok": True, "operation": "status", "tasks": 2}


def test_a_refusal_says_code_and_what_to_do():
    found = output.failure("status", InputRefused("there is no plan", hint="name one"))
    assert found == {
        "ok": False,
        "operation": "status",
        "error": {
            "code": "input_refused",
            "message": "there is no plan",
            "retryable": False,
            "recoveryAction": "name one",
        },
    }


def test_a_refused_plan_carries_its_faults_and_a_line_only_where_there_is_one():
    error = PlanRefused("2 faults", faults=[Fault("goal", "is missing", 1), Fault("tasks", "is missing")])
    found = output.failure("validate", error)
    assert found["faults"] == [
        {"path": "goal", "message": "is missing", "line": 1},
        {"path": "tasks", "message": "is missing"},
    ]


def test_several_refusals_are_faults_of_one_object():
    error = SeveralRefused("2 faults.", refusals=[InputRefused("no a.", hint="add a"), InputRefused("no b.")])
    found = output.failure("run", error)
    assert found["error"]["recoveryAction"] == "mend the faults, then run the same command again"
    assert [(each["message"], each["recoveryAction"]) for each in found["faults"]] == [
        ("no a.", "add a"),
        ("no b.", "change the call; the same one would be refused again"),
    ]


def test_the_services_code_and_request_id_are_kept():
    found = output.failure("run", Refused("no", code="invalid_model", request_id="r-1"))["error"]
    assert found["code"] == "invalid_model"
    assert found["requestId"] == "r-1"


def test_what_may_be_repeated_says_so():
    for error in (Unavailable("later"), OutcomeUnknown("silence"), RateLimited("slow", retry_after_seconds=30)):
        assert output.failure("run", error)["error"]["retryable"] is True
    assert "30 s" in output.failure("run", RateLimited("slow", retry_after_seconds=30))["error"]["recoveryAction"]


def test_a_letter_that_the_stream_lacks_becomes_a_question_mark(monkeypatch):
    target = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stderr", target)
    output.say(["✓ fertig"])
    assert target.buffer.getvalue() == b"? fertig\n"


def test_one_object_is_one_line(capfdbinary):
    output.put_json({"a": "ü"})
    sys.stdout.flush()
    written = capfdbinary.readouterr().out
    assert written.count(b"\n") == 1
    assert json.loads(written) == {"a": "ü"}


def test_lines_of_data_go_to_stdout(capsys):
    output.put(["one", "two"])
    output.say([])
    assert capsys.readouterr() == ("one\ntwo\n", "")
