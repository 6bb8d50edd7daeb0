"""What is the same goal, and what its planner is told."""

from dataclasses import replace

import orjson
import pytest

from orchestrate.cli.kickoff_job import KickoffJob
from orchestrate.model.names import is_agent_id, is_kebab_case
from orchestrate.model.wire import LocalAgent
from tests.support.engine_room import templates

JOB = KickoffJob("Dates are read.", "https://github.com/octo/shop", "main", "a@example.com", install="pip install it")


def body(job: KickoffJob) -> dict:
    return orjson.loads(job.body(job.agent_id(1), templates=templates(), models=("big",)))


@pytest.mark.parametrize(
    "change", [{"goal": " Dates  are\nread. "}, {"repo": "https://GitHub.com/octo/shop.git"}, {"model": "big"}]
)
def test_what_is_only_written_otherwise_is_the_same_goal(change):
    same = replace(JOB, **change)

    assert (same.digest, same.slug, same.agent_id(1)) == (JOB.digest, JOB.slug, JOB.agent_id(1))


@pytest.mark.parametrize(
    "change", [{"goal": "Dates are written."}, {"repo": "https://github.com/octo/other"}, {"ref": "develop"}]
)
def test_another_goal_repository_or_ref_is_another_planner(change):
    other = replace(JOB, **change)

    assert other.agent_id(1) != JOB.agent_id(1)
    assert other.slug != JOB.slug


def test_ids_differ_by_account_and_number_and_have_the_shape_of_ids():
    ids = {JOB.agent_id(1), JOB.agent_id(2), replace(JOB, account="b@example.com").agent_id(1)}

    assert len(ids) == 3
    assert all(is_agent_id(each) for each in ids)
    assert is_kebab_case(JOB.slug)


def test_the_request_names_a_planner_that_stands_above_all_tasks():
    request = body(JOB)
    own = JOB.agent_id(1)
    text = request.pop("prompt")["text"]

    assert request == {
        "agentId": own,
        "name": f"{JOB.slug}/root",
        "repos": [{"url": JOB.repo, "startingRef": "main"}],
        "runEnvVars": {"ORCHESTRATE_AGENT_DEPTH": "0"},
        "metadata": {
            "orchestrateRoot": JOB.slug,
            "orchestrateGoal": JOB.digest,
            "orchestrateDepth": "0",
            "orchestrateKey": own,
            "orchestrateMayLaunch": "true",
        },
        "autoCreatePR": False,
    }
    for told in (own, JOB.slug, JOB.repo, "Dates are read.", "pip install it", "`big`"):
        assert told in text
    assert "- `runtime`" not in text


def test_a_local_planner_is_told_its_agent_program():
    request = body(replace(JOB, agent=LocalAgent(command=("/bin/agent",)), model="big"))

    assert request["localAgent"]["command"] == ["/bin/agent"]
    assert request["model"] == {"id": "big"}
    assert '- `runtime`: `{"kind":"local","agent":{"command":["/bin/agent"]}}`' in request["prompt"]["text"]
