from dataclasses import replace

import orjson
import pytest

from orchestrate.engine.requests import DEPTH_VARIABLE, PLANNER_VARIABLE, RequestOptions, RequestWriter
from orchestrate.errors import InputRefused
from orchestrate.model.catalogue import Catalogue
from orchestrate.model.grants import Grant, Share
from orchestrate.model.rows import OnRemote
from orchestrate.model.vocabulary import HandoffStatus
from orchestrate.model.wire import LocalAgent, Model
from orchestrate.text.redaction import REDACTED, Redactor
from orchestrate.text.templates import Templates
from tests.support.builders import (
    WORKSPACE,
    a_handed_off_row,
    a_launching_row,
    a_plan,
    a_task,
    a_verifier,
    agent_of,
    an_intent,
    moment,
)
from tests.support.engine_room import template_sources, templates
from tests.support.memory_store import MemoryArchive

CATALOGUE = Catalogue((Model(id="small", aliases=("tiny",)), Model(id="big")))
PARENT = "bc-99999999-9999-4999-8999-999999999999"


async def rendered(plan, name="a", *, upstream=(), archive=None, sources=None, **options):
    writer = RequestWriter(
        plan,
        workspace_id=WORKSPACE,
        templates=templates() if sources is None else Templates(sources),
        archive=archive or MemoryArchive(),
        options=RequestOptions(repo_url=plan.repo_url, **options),
    )
    return orjson.loads(await writer.render(a_launching_row(name, attempt=2), upstream))


async def test_a_plain_request_names_agent_repository_and_lineage():
    request = await rendered(a_plan("a"))
    prompt = request.pop("prompt")
    assert agent_of("a", 2) in prompt["text"]
    assert request == {
        "agentId": agent_of("a", 2),
        "name": "shop/a",
        "repos": [{"url": "https://git.example.org/team/shop.git", "startingRef": "main"}],
        "runEnvVars": {DEPTH_VARIABLE: "1"},
        "autoCreatePR": False,
        "metadata": {
            "orchestrateWorkspace": WORKSPACE,
            "orchestrateRoot": "shop",
            "orchestrateTask": "a",
            "orchestrateAttempt": "2",
            "orchestrateDepth": "1",
            "orchestrateKey": an_intent("a", attempt=2).idempotency_key,
        },
    }


async def test_the_same_row_is_the_same_bytes():
    assert await rendered(a_plan("a")) == await rendered(a_plan("a"))


async def test_a_planner_with_an_id_is_its_tasks_parent():
    request = await rendered(a_plan("a", selfAgentId=PARENT), depth=2)
    assert request["metadata"]["orchestrateParent"] == PARENT
    assert request["metadata"]["orchestrateDepth"] == request["runEnvVars"][DEPTH_VARIABLE] == "3"
    assert PARENT in request["prompt"]["text"]


async def test_only_a_subplanner_may_launch():
    plan = a_plan("a", a_task("s", type="subplanner"))
    assert "orchestrateMayLaunch" not in (await rendered(plan))["metadata"]
    request = await rendered(plan, "s")
    assert request["metadata"]["orchestrateMayLaunch"] == "true"
    assert request["metadata"]["orchestrateGrant"] == "{}"
    assert request["runEnvVars"] == {DEPTH_VARIABLE: "1", PLANNER_VARIABLE: request["agentId"]}


async def test_a_subplanner_is_told_what_its_attempt_was_given():
    plan, agent = a_plan(a_task("s", type="subplanner")), agent_of("s", 2)
    shares = (Share(1, agent_of("s"), Grant(agents=1)), Share(2, agent, Grant(agents=8, cents=400.0, levels=1)))
    writer = RequestWriter(
        plan,
        workspace_id=WORKSPACE,
        templates=templates(),
        archive=MemoryArchive(),
        options=RequestOptions(repo_url=plan.repo_url),
    )
    request = orjson.loads(await writer.render(a_launching_row("s", attempt=2, shares=shares), ()))
    assert orjson.loads(request["metadata"]["orchestrateGrant"]) == {"agents": 8, "cents": 400.0, "levels": 1}


async def test_a_subplanner_is_told_the_models_and_how_to_install_the_engine():
    plan = a_plan(a_task("s", type="subplanner"), "a", models={"worker": ["small"]})
    options = {"catalogue": CATALOGUE, "install": "pip install ./engine.whl"}
    text = (await rendered(plan, "s", **options))["prompt"]["text"]
    assert "  - `small` (for worker)\n  - `big`\n" in text
    assert "Install the engine: `pip install ./engine.whl`" in text
    assert "`big`" not in (await rendered(plan, "a", **options))["prompt"]["text"]


async def test_an_alias_travels_by_its_id_and_the_plans_word_is_kept():
    plan = a_plan(a_task("a", model={"id": "tiny", "params": [{"id": "effort", "value": "high"}]}), "b", "c")
    request = await rendered(plan, catalogue=CATALOGUE)
    assert request["model"] == {"id": "small", "params": [{"id": "effort", "value": "high"}]}
    assert request["metadata"]["orchestrateModel"] == "tiny"
    assert "model" not in await rendered(plan, "b", catalogue=CATALOGUE)


async def test_a_list_falls_back_to_the_first_model_that_the_account_has():
    plan = a_plan("a", models={"worker": ["gone", "big", "small"]})
    assert (await rendered(plan, catalogue=CATALOGUE))["model"] == {"id": "big"}


async def test_a_model_that_the_account_lacks_is_refused_without_asking_the_service():
    with pytest.raises(InputRefused, match='model "bigg" is not in this account') as refused:
        await rendered(a_plan(a_task("a", model="bigg")), catalogue=CATALOGUE)
    assert refused.value.hint == 'use "big"; all: `orchestrate models`'


async def test_a_prompt_that_the_service_would_refuse_is_refused_here():
    assert await rendered(a_plan("a"), prompt_limit=100_000)
    with pytest.raises(InputRefused, match="larger than the 100 bytes that the service takes"):
        await rendered(a_plan("a"), prompt_limit=100)


async def test_only_a_worker_opens_a_pull_request():
    plan = a_plan(a_task("a", openPR=True), a_verifier("v", "a", openPR=True))
    assert (await rendered(plan))["autoCreatePR"] is True
    assert (await rendered(plan, "v"))["autoCreatePR"] is False


async def test_a_model_comes_from_the_task_then_from_its_type():
    own = {"id": "big", "params": [{"id": "effort", "value": "high"}]}
    plan = a_plan(a_task("a", model=own), "b", models={"worker": ["small", "smaller"]})
    assert (await rendered(plan))["model"] == own
    assert (await rendered(plan, "b"))["model"] == {"id": "small"}


async def test_an_environment_comes_from_the_task_then_from_the_plan():
    pool = {"type": "pool", "name": "gpu"}
    plan = a_plan(a_task("a", env=pool), "b", env={"type": "machine"})
    assert (await rendered(plan))["env"] == pool
    assert (await rendered(plan, "b"))["env"] == {"type": "machine"}


async def test_a_local_agent_travels_along():
    agent = LocalAgent(command=("/bin/agent", "-x"), pass_env=("NAME",))
    request = await rendered(a_plan("a"), local_agent=agent)
    assert request["localAgent"]["command"] == ["/bin/agent", "-x"]
    assert request["localAgent"]["passEnv"] == ["NAME"]


async def test_a_local_subplanner_is_told_the_runtime_and_the_repository_as_agents_reach_it():
    plan = a_plan(a_task("s", type="subplanner"), repoUrl="../remote.git", runtime={"kind": "local"})
    agent = LocalAgent(command=("/bin/agent", "-x"), pass_env=("NAME",))
    writer = RequestWriter(
        plan,
        workspace_id=WORKSPACE,
        templates=templates(),
        archive=MemoryArchive(),
        options=RequestOptions(repo_url="/there/remote.git", local_agent=agent),
    )

    text = orjson.loads(await writer.render(a_launching_row("s"), ()))["prompt"]["text"]

    told = '{"kind":"local","agent":{"command":["/bin/agent","-x"],"passEnv":["NAME"]}}'
    assert f"- `runtime`: `{told}`" in text
    assert "- `repoUrl`: `/there/remote.git`" in text
    assert "../remote.git" not in text


async def test_secrets_are_still_known_after_a_plan_edit():
    plan = a_plan("a", a_task("b", dependsOn=["a"]))
    archive = MemoryArchive()
    archive.handoffs["a"] = "the password is hunter-22-secret"
    writer = RequestWriter(
        plan,
        workspace_id=WORKSPACE,
        templates=templates(),
        archive=archive,
        options=RequestOptions(repo_url=plan.repo_url),
        redactor=Redactor(("hunter-22-secret",)),
    ).under(a_plan("a", a_task("b", dependsOn=["a"]), goal="another"))

    request = await writer.render(a_launching_row("b"), (a_handed_off_row("a"),))

    assert b"hunter-22" not in request


async def test_upstream_handoffs_and_real_branches_are_in_the_prompt():
    plan, archive = a_plan("a", "b", a_task("c", depends_on=("a", "b"))), MemoryArchive()
    archive.handoffs["a"] = "## Status\nsuccess\n\nEverything is blue.\n"
    upstream = (a_handed_off_row("a"), a_handed_off_row("b", branch="orch/shop/b", pushed=False))
    text = (await rendered(plan, "c", upstream=upstream, archive=archive))["prompt"]["text"]
    assert "Everything is blue." in text
    assert "cursor/a-1f2a" in text
    assert "none, nothing was pushed" in text


async def test_a_secret_in_a_handoff_that_another_engine_wrote_stays_out_of_the_prompt():
    plan, archive = a_plan("a", a_task("b", depends_on=("a",))), MemoryArchive()
    archive.handoffs["a"] = "## Status\nsuccess\n\nDB_PASSWORD=hunter22\n"
    text = (await rendered(plan, "b", upstream=(a_handed_off_row("a"),), archive=archive))["prompt"]["text"]
    assert f"DB_PASSWORD={REDACTED}" in text
    assert "hunter22" not in text


async def test_large_upstream_handoffs_do_not_hold_up_the_loop():
    plan, archive = a_plan("a", a_task("b", depends_on=("a",))), MemoryArchive()
    archive.handoffs["a"] = "a long line of text\n" * 100_000
    row = a_handed_off_row("a", handoff_status=HandoffStatus.PARTIAL)
    request = await rendered(plan, "b", upstream=(row,), archive=archive)
    assert "a long line of text" in request["prompt"]["text"]


async def test_a_template_that_cannot_be_rendered_is_refused():
    with pytest.raises(InputRefused, match=r"worker\.md\.j2"):
        await rendered(a_plan("a"), sources={**template_sources(), "worker.md.j2": "{{ nobody_knows_this }}"})


async def test_a_row_without_an_intent_is_a_bug():
    plan = a_plan("a")
    writer = RequestWriter(
        plan,
        workspace_id=WORKSPACE,
        templates=templates(),
        archive=MemoryArchive(),
        options=RequestOptions(repo_url=plan.repo_url),
    )
    with pytest.raises(AssertionError):
        await writer.render(replace(a_launching_row("a"), launch=None), ())


async def test_a_merge_task_is_told_what_the_remote_said_of_each_source():
    looks = {"a": OnRemote(moment(), is_there=True), "b": OnRemote(moment(), is_there=False), "c": None}
    rows = tuple(a_handed_off_row(name, on_remote=look, head_sha="5" * 40) for name, look in looks.items())
    text = (
        await rendered(
            a_plan("a", "b", "c", a_task("merge-all", depends_on=("a", "b", "c"))), "merge-all", upstream=rows
        )
    )["prompt"]["text"]
    for row, line in zip(
        rows,
        (
            "- `{}` (task `a`): at commit `5555555555555555555555555555555555555555`",
            "- not on the remote when it was looked up: `{}` (task `b`)",
            "- `{}` (task `c`): could not be looked up on the remote so far",
        ),
        strict=True,
    ):
        assert line.format(row.branch) in text
