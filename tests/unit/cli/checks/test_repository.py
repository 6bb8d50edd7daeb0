import os
from dataclasses import replace

import pytest

from orchestrate.cli.checks.findings import Verdict
from orchestrate.cli.checks.repository import Repository, check_repository, still_to_launch
from orchestrate.cli.plan_file import PlanPlaces
from orchestrate.model.vocabulary import RuntimeKind
from orchestrate.repo.git import Git
from tests.support.builders import a_plan, a_task, a_verifier
from tests.support.repositories import git, remote

__all__ = ["remote"]

SOURCE = b'{\n"baseBranch": "trunk",\n"tasks": [\n{"startingRef": "x"}]}'


async def found(url, *tasks, kind=RuntimeKind.CLOUD, environment=None, **fields):
    plan = a_plan(*tasks, **fields)
    about = Repository(
        plan=plan, url=str(url), kind=kind, places=PlanPlaces(SOURCE), tasks=still_to_launch(plan, frozenset())
    )
    findings = await check_repository(Git(dict(os.environ) if environment is None else environment), about)
    return [(finding.verdict, finding.message, finding.hint) for finding in findings]


async def test_what_is_there_is_named(remote):
    remote.commit("release/2", {"a": "b"})
    assert await found(remote.url, a_task("a", startingRef="release/2"), "b") == [
        (Verdict.GOOD, '"main" and "release/2" are on the remote', None)
    ]
    assert await found(remote.url) == [(Verdict.GOOD, '"main" is on the remote', None)]


async def test_everything_that_is_missing_is_told_at_once_with_its_place(remote):
    remote.commit("feature/docs", {"a": "b"})
    tasks = a_task("a", startingRef="feature/dogs"), a_task("b", startingRef="feature/dogs"), "c"
    assert await found(remote.url, *tasks, baseBranch="trunk") == [
        (
            Verdict.FAULT,
            'base branch "trunk" is not on the remote; it has feature/docs, main',
            "set baseBranch, plan.json:2",
        ),
        (
            Verdict.FAULT,
            'branch "feature/dogs", from which tasks a, b start, is not on the remote',
            'set startingRef to "feature/docs", plan.json:4 tasks[0].startingRef',
        ),
    ]


async def test_a_branch_like_no_other_gets_no_proposal(remote):
    ((_, _, hint),) = await found(remote.url, a_task("a", startingRef="zzzz"))
    assert hint == "set startingRef, plan.json:4 tasks[0].startingRef"


async def test_placeholders_become_real_in_the_run(remote):
    tasks = "a", a_task("b", depends_on=("a",), startingRef="orch/shop/a"), a_verifier("v", of="a")
    ((verdict, _, _),) = await found(remote.url, *tasks)
    assert verdict is Verdict.GOOD


async def test_a_branch_that_a_task_before_may_push_is_a_warning(remote):
    ((verdict, message, _),) = await found(remote.url, "a", a_task("b", depends_on=("a",), startingRef="later"))
    assert verdict is Verdict.WARNING
    assert message == 'branch "later" (task b) is not on the remote yet; a task before it would have to push it'


async def test_tags_and_commits_are_places_to_start_from(remote):
    commit = remote.heads()["main"]
    git("--git-dir", remote.url, "tag", "v1", "main", at=remote.path)
    tasks = [a_task(f"t-{place}", startingRef=ref) for place, ref in enumerate(("v1", "refs/tags/v1", commit))]
    ((verdict, _, _),) = await found(remote.url, *tasks)
    assert verdict is Verdict.GOOD


async def test_a_commit_that_no_name_leads_to_cannot_be_told(remote):
    ((verdict, message, _),) = await found(remote.url, a_task("a", startingRef="0" * 40))
    assert (verdict, message) == (
        Verdict.WARNING,
        f"commit {'0' * 40} (task a) could not be looked up; no branch or tag is at it",
    )


async def test_what_cannot_be_read_is_one_warning_for_the_cloud_and_a_fault_here(tmp_path):
    task = a_task("a", startingRef="x")
    ((verdict, message, _),) = await found(tmp_path / "nowhere.git", task)
    assert verdict is Verdict.WARNING
    assert message.startswith("the base branch could not be checked from here: ")
    ((verdict, _, _),) = await found(tmp_path / "nowhere.git", task, kind=RuntimeKind.LOCAL)
    assert verdict is Verdict.FAULT


async def test_an_empty_remote_needs_a_first_commit(tmp_path):
    git("init", "-q", "--bare", "empty.git", at=tmp_path)
    ((_, message, hint),) = await found(tmp_path / "empty.git", kind=RuntimeKind.LOCAL)
    assert message == 'base branch "main" is not on the remote; it has no branches'
    assert hint == "make a first commit there, then run the same command again"


@pytest.mark.parametrize(
    ("kind", "verdict"), [(RuntimeKind.LOCAL, Verdict.FAULT), (RuntimeKind.CLOUD, Verdict.WARNING)]
)
async def test_without_git_local_agents_cannot_work(remote, kind, verdict):
    ((found_verdict, _, hint),) = await found(remote.url, kind=kind, environment={"PATH": "/nowhere"})
    assert found_verdict is verdict
    assert hint == ("install git" if kind is RuntimeKind.LOCAL else None)


def test_tasks_that_were_launched_are_not_looked_at():
    plan = a_plan("a", "b")
    assert [(place, task.name) for place, task in still_to_launch(plan, frozenset({"a"}))] == [(1, "b")]
    assert replace(PlanPlaces(SOURCE), name="x").line_of("tasks") == "x:3"
