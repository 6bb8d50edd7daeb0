import os

import pytest

from orchestrate.cli.admission import Admission
from orchestrate.cli.checks.findings import Check, Verdict
from orchestrate.cli.plan_file import PlanPlaces
from orchestrate.cli.preflight import Intent
from orchestrate.cloud.client import CloudClient
from orchestrate.model.vocabulary import RuntimeKind
from orchestrate.repo.git import Git
from orchestrate.store.loading import read_workspace
from tests.support.builders import a_handed_off_row, a_plan, a_row
from tests.support.engine_room import templates
from tests.support.fake_cloud import fake_cloud
from tests.support.repositories import remote
from tests.support.workspaces import write_state

__all__ = ["remote"]


@pytest.fixture
def cloud():
    with fake_cloud() as cloud:
        yield cloud


@pytest.fixture
def admission(tmp_path, remote):
    folder = tmp_path / "work"
    folder.mkdir()
    intent = Intent(
        plan=a_plan("a", "b"),
        kind=RuntimeKind.CLOUD,
        url=remote.url,
        max_concurrent=4,
        places=PlanPlaces(b"{}"),
    )
    return Admission(intent=intent, folder=folder, templates=templates(), git=Git(dict(os.environ)))


async def looked_at(admission: Admission, cloud) -> list[tuple[Check, Verdict]]:
    async with CloudClient(base_url=f"http://127.0.0.1:{cloud.port}", api_key=cloud.key) as client:
        if admission.is_new_workspace:
            report = await admission.of_new_workspace(client)
        else:
            report = await admission.of(read_workspace(admission.folder), client)
    return [(finding.check, finding.verdict) for finding in report.findings]


async def test_in_a_new_workspace_all_is_looked_at_and_nothing_is_written(admission, cloud):
    checks = [check for check, _ in await looked_at(admission, cloud)]
    assert checks == [Check.KEY, Check.MODELS, Check.REPOSITORY, Check.PROMPTS, Check.LIMITS]
    assert list(admission.folder.iterdir()) == []


async def test_a_new_task_has_all_looked_at_again(admission, cloud):
    write_state(admission.folder, [a_handed_off_row("a")])
    assert len(await looked_at(admission, cloud)) == 5


async def test_going_on_asks_for_the_key_and_the_models_only(admission, cloud):
    write_state(admission.folder, [a_handed_off_row("a"), a_row("b")])
    cloud.answer_next("GET", "/v1/models", 503, "server_error")
    assert await looked_at(admission, cloud) == [(Check.KEY, Verdict.GOOD), (Check.MODELS, Verdict.WARNING)]


async def test_a_finished_workspace_asks_for_the_key_only(admission, cloud):
    write_state(admission.folder, [a_handed_off_row("a"), a_handed_off_row("b")])
    assert await looked_at(admission, cloud) == [(Check.KEY, Verdict.GOOD)]
    assert [path for _, path, _ in cloud.calls] == ["/v1/me"]
