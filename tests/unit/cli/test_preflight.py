"""What is looked at before anything is launched, against a real socket and real repositories."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrate.cli.preflight import check_access, check_models, check_repository, not_enforced, read_catalogue
from orchestrate.cloud.client import CloudClient
from orchestrate.errors import InputRefused
from orchestrate.model.vocabulary import RuntimeKind
from orchestrate.model.wire import Model
from orchestrate.repo.git import Git
from tests.support.builders import a_plan, a_task
from tests.support.fake_cloud import FakeCloud, fake_cloud
from tests.support.repositories import Remote, remote
from tests.support.server import running_server

__all__ = ["remote"]

CLOUD, LOCAL = RuntimeKind.CLOUD, RuntimeKind.LOCAL


@pytest.fixture
def cloud() -> Iterator[FakeCloud]:
    with fake_cloud() as cloud:
        yield cloud


def client_of(cloud: FakeCloud, *, key: str | None = None) -> CloudClient:
    return CloudClient(base_url=f"http://127.0.0.1:{cloud.port}", api_key=key or cloud.key)


async def test_a_good_key_passes(cloud: FakeCloud) -> None:
    async with client_of(cloud) as client:
        await check_access(client, kind=CLOUD)


@pytest.mark.parametrize(
    ("kind", "message", "hint"),
    [
        (
            CLOUD,
            "the service refused the key in CURSOR_API_KEY (401). Nothing was launched.",
            "make a new key at the service, set CURSOR_API_KEY, then type the same command again",
        ),
        (
            LOCAL,
            "ask whose key this is: the fake says unauthorized (401 unauthorized). Nothing was launched.",
            "check the API key (CURSOR_API_KEY)",
        ),
    ],
)
async def test_a_refused_key_is_refused_here(cloud: FakeCloud, kind, message, hint) -> None:
    async with client_of(cloud, key="wrong") as client:
        with pytest.raises(InputRefused) as refused:
            await check_access(client, kind=kind)

    assert (refused.value.message, refused.value.hint) == (message, hint)


async def test_a_service_in_trouble_is_refused_with_a_hint(cloud: FakeCloud) -> None:
    cloud.answer_next("GET", "/v1/me", 503, "server_error")

    async with client_of(cloud) as client:
        with pytest.raises(InputRefused, match="Nothing was launched") as refused:
            await check_access(client, kind=CLOUD)

    assert refused.value.hint == "check the network, then try again"


CATALOGUE = (Model(id="gpt-5.4"), Model(id="composer-2", aliases=("the-house-model",)))


def test_all_unknown_models_are_named_at_once_with_the_nearest() -> None:
    plan = a_plan(
        a_task("docs", model="gpt-5.5"), a_task("api", model="composer-2"), "other", models={"worker": ["composer-9"]}
    )

    with pytest.raises(InputRefused) as refused:
        check_models(plan, CATALOGUE)

    assert 'model "gpt-5.5" (task docs) is not in this account.' in refused.value.message
    assert 'model "composer-9"' in refused.value.message
    assert refused.value.hint == 'use "gpt-5.4", "composer-2"'


def test_a_model_like_no_other_gets_the_list() -> None:
    with pytest.raises(InputRefused) as refused:
        check_models(a_plan(a_task("docs", model="zzzzzzzzzzzz")), CATALOGUE)

    assert refused.value.hint == 'use one of "gpt-5.4", "composer-2", "the-house-model"'


async def test_a_plan_without_models_and_planners_asks_nobody(cloud: FakeCloud) -> None:
    async with client_of(cloud) as client:
        assert await read_catalogue(client, a_plan()) == ((), [])

    assert cloud.calls == []


async def test_a_planner_is_reason_enough_to_ask(cloud: FakeCloud) -> None:
    async with client_of(cloud) as client:
        catalogue, warnings = await read_catalogue(client, a_plan(a_task("s", type="subplanner")))

    assert ([model.id for model in catalogue], warnings) == (["gpt-5.4", "composer-2"], [])


async def test_a_catalogue_that_cannot_be_read_is_a_warning_and_refuses_nothing(cloud: FakeCloud) -> None:
    cloud.answer_next("GET", "/v1/models", 503, "server_error")
    plan = a_plan(a_task("docs", model="composer-2"))

    async with client_of(cloud) as client:
        catalogue, (warning,) = await read_catalogue(client, plan)

    assert warning.startswith("the models could not be checked: list models: ")
    check_models(plan, catalogue)


async def test_a_base_branch_that_is_there_passes(remote: Remote) -> None:
    git = Git(dict(os.environ))

    assert await check_repository(git, a_plan(), url=remote.url, kind=LOCAL, place="plan.json:2") == []


async def test_a_base_branch_that_is_missing_is_refused_with_its_place(remote: Remote) -> None:
    with pytest.raises(InputRefused) as refused:
        await check_repository(
            Git(dict(os.environ)), a_plan(baseBranch="trunk"), url=remote.url, kind=CLOUD, place="plan.json:2"
        )

    assert refused.value.message == 'base branch "trunk" is not on the remote; it has main. Nothing was launched.'
    assert refused.value.hint == "set baseBranch, plan.json:2"


async def test_a_repository_that_cannot_be_read_is_a_fault_here_and_a_warning_for_the_cloud(tmp_path: Path) -> None:
    git, url = Git(dict(os.environ)), str(tmp_path / "nowhere.git")

    with pytest.raises(InputRefused, match="Nothing was launched"):
        await check_repository(git, a_plan(), url=url, kind=LOCAL, place="plan.json:2")
    (warning,) = await check_repository(git, a_plan(), url=url, kind=CLOUD, place="plan.json:2")

    assert warning.startswith("the base branch could not be checked from here: ")


@pytest.mark.parametrize(
    ("fields", "task", "told"),
    [
        ({}, {}, []),
        ({"limits": {"maxConcurrent": 2, "taskTimeoutSec": 5}}, {"priority": 3}, []),
        ({"limits": {"budgetCents": 0, "maxAgents": 2, "reserveCents": 3}}, {}, []),
        ({"limits": {"maxDepth": 2}}, {}, ["the plan has limits.maxDepth; this version does not act on it."]),
        (
            {"limits": {"maxDepth": 1}},
            {"cpus": 2, "memoryMb": 512, "measurements": [{"name": "lines", "command": "wc -l x"}]},
            [
                "the plan has limits.maxDepth, tasks[].measurements, tasks[].cpus, tasks[].memoryMb; this version does not act on them."
            ],
        ),
    ],
)
def test_what_nobody_acts_on_is_told_in_one_line(fields, task, told) -> None:
    assert not_enforced(a_plan(a_task("a", **task), **fields)) == told


async def test_a_local_server_without_a_catalogue_takes_any_model(tmp_path: Path) -> None:
    with running_server(tmp_path / "state") as server:
        async with CloudClient(base_url=server.url, api_key=server.token) as client:
            assert await read_catalogue(client, a_plan(a_task("docs", model="gpt-5.5"))) == ((), [])
