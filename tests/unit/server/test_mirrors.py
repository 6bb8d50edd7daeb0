import anyio
import pytest

from orchestrate.errors import Refused, Unavailable
from orchestrate.server.git import Git
from orchestrate.server.mirrors import Mirrors
from tests.support.repositories import git, make_remote

ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent"}


@pytest.fixture
def remote(tmp_path):
    return make_remote(tmp_path / "remote.git")


@pytest.fixture
def mirrors(tmp_path):
    return Mirrors(tmp_path / "mirrors", Git(ENVIRONMENT))


async def test_a_start_is_found_without_a_mirror(mirrors, remote, tmp_path):
    start = await mirrors.find_start(remote.url, "main")

    assert (start.sha, start.default_branch) == (remote.heads()["main"], "main")
    assert not (tmp_path / "mirrors").exists()


async def test_names_that_only_end_alike_are_not_confused(mirrors, remote):
    remote.commit("feature/main2", {"a": "a"})

    with pytest.raises(Refused, match="Branch 'main2' does not exist"):
        await mirrors.find_start(remote.url, "main2")


async def test_a_branch_goes_before_a_tag_of_its_name(mirrors, remote):
    old = remote.heads()["main"]
    new = remote.commit("both", {"a": "a"})
    git("tag", "both", old, at=remote.path)

    assert (await mirrors.find_start(remote.url, "both")).sha == new
    assert (await mirrors.find_start(remote.url, "refs/tags/both")).sha == old


async def test_a_mirror_follows_its_remote(mirrors, remote):
    await mirrors.fresh(remote.url)
    new = remote.commit("later", {"a": "a"})

    mirror = await mirrors.fresh(remote.url)

    assert git("rev-parse", "later", at=mirror).strip() == new


async def test_callers_that_wait_share_one_fetch_and_all_see_what_was_there_when_they_asked(mirrors, remote):
    new = remote.commit("later", {"a": "a"})
    seen = []

    async def ask():
        mirror = await mirrors.fresh(remote.url)
        seen.append(git("rev-parse", "later", at=mirror).strip())

    async with anyio.create_task_group() as tasks:
        for _ in range(10):
            tasks.start_soon(ask)

    assert seen == [new] * 10
    assert mirrors._fetches[remote.url].begun <= 2


async def test_hooks_of_the_user_are_not_run(tmp_path, remote):
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("post-checkout", "reference-transaction", "pre-auto-gc"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
        (hooks / name).chmod(0o700)
    (tmp_path / ".gitconfig").write_text(f"[core]\nhooksPath = {hooks}\n")
    mirrors = Mirrors(tmp_path / "mirrors", Git({**ENVIRONMENT, "HOME": str(tmp_path)}))

    await mirrors.fresh(remote.url)

    assert not (tmp_path / "ran").exists()


async def test_a_remote_that_cannot_be_reached_now_is_worth_another_try(mirrors):
    with pytest.raises(Unavailable) as refusal:
        await mirrors.find_start("https://host.invalid/x.git", "main")

    assert (refusal.value.status, refusal.value.code) == (503, "repository_unavailable")
