"""Workspaces read from branches: only what is looked at is fetched, and nothing of a tree is followed."""

import os

import pytest

from orchestrate.errors import Refused, ServiceError
from orchestrate.repo import pushed as module
from orchestrate.repo.git import Git
from orchestrate.repo.pushed import pushed_at, pushed_beside
from tests.support.clones import our_git
from tests.support.pushed_trees import PushedTree, worker
from tests.support.repositories import git, make_remote


@pytest.fixture
def tree(tmp_path):
    return PushedTree(make_remote(tmp_path / "remote.git"))


async def test_an_address_is_read_through_a_folder_that_is_gone_afterwards(tree):
    tree.push("orch-state/shop", "shop", [worker("shop", "leaf")])
    tree.put("other", {"big.bin": b"x" * 1000})
    async with pushed_at(our_git(), tree.remote.url) as pushed:
        await pushed.look()
        assert set(pushed.heads) == {"main", "orch-state/shop", "other"}
        await pushed.fetch(["orch-state/shop", "main", "nowhere"])
        (found,) = await pushed.workspaces("orch-state/shop")
        assert (found.folder, found.name, set(found.files)) == (
            ".orchestrate/shop",
            "shop",
            {"state.json", "plan.json"},
        )
        assert await pushed.workspaces("orch-state/shop", "shop") == [found]
        assert await pushed.workspaces("main") == []
        assert await pushed.workspaces("other") == []
        store = pushed.store
        assert git("for-each-ref", at=store) == ""
    assert not store.exists()


async def test_what_was_pushed_since_is_there_after_the_next_look(tree):
    tree.push("orch-state/shop", "shop", [worker("shop", "one")])
    async with pushed_at(our_git(), tree.remote.url) as pushed:
        for name in ("two", "three"):
            await pushed.look()
            await pushed.fetch(["orch-state/shop"])
            before = await pushed.workspaces("orch-state/shop")
            tree.push("orch-state/shop", "shop", [worker("shop", name)])
        await pushed.look()
        assert await pushed.workspaces("orch-state/shop") == []
        await pushed.fetch(["orch-state/shop"])
        (after,) = await pushed.workspaces("orch-state/shop")
    assert b'"two"' in before[0].files["state.json"]
    assert b'"three"' in after.files["state.json"]


async def test_links_folders_and_files_that_are_too_large_are_told_and_not_read(tree, monkeypatch):
    monkeypatch.setattr(module, "MOST_BYTES", 100)
    tree.put(
        "main",
        {".orchestrate/shop/plan.json": b" " * 101, ".orchestrate/shop/stop.json/x": b"", ".orchestrate/none/x": b""},
        links={".orchestrate/shop/state.json": "../../secret", ".orchestrate/linked": "/etc"},
    )
    pushed = await pushed_beside(our_git(), tree.remote.path, fetches=True)
    await pushed.look()
    (found,) = await pushed.workspaces("main")
    assert found.files == {}
    assert found.unread == {
        "plan.json": "it has 101 bytes; up to 100 are read",
        "state.json": "it is a link or a folder, no file",
        "stop.json": "it is a link or a folder, no file",
    }


async def test_all_files_of_a_tree_together_have_a_bound(tree, monkeypatch):
    monkeypatch.setattr(module, "_MOST_TAKEN", 150)
    tree.put("main", {f".orchestrate/{name}/state.json": name * 50 for name in ("ab", "cd")})
    pushed = await pushed_beside(our_git(), tree.remote.path, fetches=True)
    await pushed.look()
    first, second = await pushed.workspaces("main")
    assert (len(first.files["state.json"]), second.unread["state.json"]) == (100, "too much was read before it")


async def test_one_branch_that_cannot_be_fetched_is_told_and_keeps_no_other_away(tree):
    tree.push("orch-state/shop", "shop", [worker("shop", "one")])
    tree.push("gone", "gone", [worker("gone", "one")])
    async with pushed_at(our_git(), tree.remote.url) as pushed:
        await pushed.look()
        git("update-ref", "-d", "refs/heads/gone", at=tree.remote.path)
        await pushed.fetch(["gone", "orch-state/shop"])
        assert list(pushed.unfetched) == ["gone"]
        assert len(await pushed.workspaces("orch-state/shop")) == 1


async def test_an_object_that_is_missing_is_told(tree):
    (tree.remote.path / "refs/heads/broken").write_text("1" * 40 + "\n")
    pushed = await pushed_beside(our_git(), tree.remote.path, fetches=True)
    await pushed.look()
    assert await pushed.workspaces("broken") == []
    assert "broken" in pushed.unfetched


async def test_an_address_that_git_must_not_see_is_refused():
    with pytest.raises(Refused, match="no address that git can read"):
        async with pushed_at(our_git(), "--upload-pack=touch x"):
            pytest.fail("it was read")


async def test_a_folder_without_a_repository_is_refused(tmp_path):
    with pytest.raises(ServiceError):
        await pushed_beside(Git({"PATH": os.environ["PATH"]}), tmp_path, fetches=True)
