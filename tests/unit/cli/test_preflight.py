"""Everything before the first launch, against a real socket and real repositories."""

import os

import pytest

from orchestrate.cli.checks.findings import Check, Verdict
from orchestrate.cli.plan_file import PlanPlaces
from orchestrate.cli.preflight import Intent, not_enforced, preflight
from orchestrate.cloud.client import CloudClient
from orchestrate.model.vocabulary import RuntimeKind, TaskStatus
from orchestrate.repo.git import Git
from tests.support.builders import a_handed_off_row, a_launching_row, a_plan, a_row, a_running_row, a_task
from tests.support.fake_cloud import FakeCloud, fake_cloud
from tests.support.repositories import remote
from tests.support.server import running_server

__all__ = ["remote"]

GIT = Git(dict(os.environ))


@pytest.fixture
def cloud():
    with fake_cloud() as cloud:
        yield cloud


def client_of(cloud: FakeCloud, *, key: str | None = None) -> CloudClient:
    return CloudClient(base_url=f"http://127.0.0.1:{cloud.port}", api_key=key or cloud.key)


def intent(plan, url, *, kind=RuntimeKind.CLOUD) -> Intent:
    return Intent(plan=plan, kind=kind, url=url, max_concurrent=4, places=PlanPlaces(b'{"baseBranch": "trunk"}'))


def verdicts(report) -> list[tuple[Check, Verdict]]:
    return [(finding.check, finding.verdict) for finding in report.findings]


async def test_all_findings_come_at_once_in_the_order_of_their_subjects(cloud, remote):
    plan = a_plan(a_task("a", model="gpt-9"), baseBranch="trunk", limits={"maxConcurrentPerRepo": 5})
    async with client_of(cloud) as client:
        report = await preflight(intent(plan, remote.url), client=client, git=GIT)
    assert verdicts(report) == [
        (Check.KEY, Verdict.GOOD),
        (Check.MODELS, Verdict.FAULT),
        (Check.REPOSITORY, Verdict.FAULT),
        (Check.LIMITS, Verdict.WARNING),
    ]
    assert report.catalogue.ids == ("gpt-5.4", "composer-2")


async def test_repositories_are_never_asked_of_the_service(cloud, remote):
    async with client_of(cloud) as client:
        await preflight(intent(a_plan(), remote.url), client=client, git=GIT)
    assert [path for _, path, _ in cloud.calls] == ["/v1/me", "/v1/models"]


async def test_with_a_refused_key_nothing_else_is_asked_of_the_service(cloud, remote):
    async with client_of(cloud, key="wrong") as client:
        report = await preflight(intent(a_plan(), remote.url), client=client, git=GIT)
    assert verdicts(report)[:2] == [(Check.KEY, Verdict.FAULT), (Check.MODELS, Verdict.SKIPPED)]
    assert [path for _, path, _ in cloud.calls] == ["/v1/me"]


async def test_a_catalogue_that_cannot_be_read_is_the_one_thing_told_of_models(cloud, remote):
    cloud.answer_next("GET", "/v1/models", 503, "server_error")
    async with client_of(cloud) as client:
        report = await preflight(intent(a_plan(a_task("a", model="x")), remote.url), client=client, git=GIT)
    assert verdicts(report)[:3] == [
        (Check.KEY, Verdict.GOOD),
        (Check.MODELS, Verdict.WARNING),
        (Check.REPOSITORY, Verdict.GOOD),
    ]


async def test_without_a_service_at_hand_the_rest_is_looked_at(remote):
    report = await preflight(intent(a_plan(), remote.url, kind=RuntimeKind.LOCAL), client=None, git=GIT)
    assert verdicts(report)[:3] == [
        (Check.KEY, Verdict.SKIPPED),
        (Check.MODELS, Verdict.SKIPPED),
        (Check.REPOSITORY, Verdict.GOOD),
    ]


async def test_our_own_server_takes_any_model(tmp_path, remote):
    plan = a_plan(a_task("docs", model="gpt-5.5"))
    with running_server(tmp_path / "state") as server:
        async with CloudClient(base_url=server.url, api_key=server.token) as client:
            report = await preflight(intent(plan, remote.url, kind=RuntimeKind.LOCAL), client=client, git=GIT)
    assert (report.findings[1].verdict, report.catalogue.is_open) == (Verdict.GOOD, True)


async def test_tasks_that_need_no_launch_are_not_looked_at(cloud, remote):
    plan = a_plan(*(a_task(name, model="gpt-9") for name in ("done", "runs", "intended", "bad")), "open")
    rows = a_handed_off_row("done"), a_running_row("runs"), a_launching_row("intended"), a_row("open")
    known = {row.name: row for row in (*rows, a_row("bad", status=TaskStatus.ERROR))}
    async with client_of(cloud) as client:
        report = await preflight(intent(plan, remote.url).after(known), client=client, git=GIT)
    assert list(report.choices or ()) == ["open"]
    assert report.findings[1].verdict is Verdict.GOOD


@pytest.mark.parametrize(
    ("fields", "task", "told"),
    [
        ({}, {}, []),
        ({"limits": {"maxConcurrent": 2, "taskTimeoutSec": 5}}, {"priority": 3}, []),
        ({"limits": {"budgetCents": 0, "maxAgents": 2, "reserveCents": 3}}, {}, []),
        ({}, {"cpus": 2}, ["the plan has tasks[].cpus; this version does not act on it."]),
        (
            {"limits": {"maxDepth": 1}},
            {"cpus": 2, "memoryMb": 512, "measurements": [{"name": "lines", "command": "wc -l x"}]},
            ["the plan has tasks[].cpus, tasks[].memoryMb; this version does not act on them."],
        ),
    ],
)
def test_what_nobody_acts_on_is_told_in_one_line(fields, task, told):
    assert not_enforced(a_plan(a_task("a", **task), **fields)) == told
