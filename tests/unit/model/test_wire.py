import pytest
from pydantic import ValidationError

from orchestrate.model.vocabulary import RunStatus
from orchestrate.model.wire import Agent, CreateAgent, LocalAgent, Prompt, Repo, Run

RUN = {
    "id": "run-1",
    "agentId": "bc-1",
    "status": "FINISHED",
    "createdAt": "2026-03-04T14:31:36.123Z",
    "updatedAt": "2026-03-04T14:32:36.123Z",
}


def test_answers_may_grow_and_may_leave_out():
    run = Run.model_validate({**RUN, "somethingNew": 1, "git": {"branches": [{"repoUrl": "r", "other": 2}]}})

    assert run.status is RunStatus.FINISHED
    assert run.git.branches[0].branch is None
    assert (run.result, run.error, run.duration_ms) == (None, None, None)


def test_an_answer_without_what_matters_is_refused():
    with pytest.raises(ValidationError):
        Run.model_validate({key: value for key, value in RUN.items() if key != "status"})


def test_requests_are_strict():
    with pytest.raises(ValidationError):
        CreateAgent.model_validate({"prompt": {"text": "x"}, "promt": {}})


def test_a_request_is_camel_case_on_the_wire():
    request = CreateAgent(
        agent_id="bc-1", prompt=Prompt(text="x"), repos=(Repo(url="r", starting_ref="main"),), auto_create_pr=True
    )

    assert request.model_dump(by_alias=True, exclude_none=True, mode="json") == {
        "agentId": "bc-1",
        "prompt": {"text": "x"},
        "repos": [{"url": "r", "startingRef": "main"}],
        "autoCreatePR": True,
    }


def test_a_pull_request_is_spelled_as_the_service_spells_it():
    assert Agent.model_validate({"id": "bc-1", "status": "IDLE", "autoCreatePR": True}).auto_create_pr is True


def test_an_agent_program_looks_in_a_plan_as_a_plan_would_have_it():
    full = LocalAgent(command=("a", "b"), prompt_via="file", pass_env=("NAME",), timeout_sec=5)

    assert LocalAgent(command=("a",)).in_plan() == {"command": ("a",)}
    assert LocalAgent(runner="null").in_plan() == {"name": "null"}
    assert full.in_plan() == {"command": ("a", "b"), "promptVia": "file", "passEnv": ("NAME",), "timeoutSec": 5}
