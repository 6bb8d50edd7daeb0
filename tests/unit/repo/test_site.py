import pytest

from orchestrate.repo.site import NoSite, Site, site_of
from tests.support.clones import FOLDER, clone, our_git
from tests.support.repositories import git

__all__ = ["clone"]


async def test_a_workspace_in_a_clone_has_a_place_and_a_remote(clone):
    found = await clone.site()
    assert found == Site(clone.top, clone.top / ".git", "origin", FOLDER)


async def test_every_form_of_the_address_is_the_same_repository(clone):
    clone.run("remote", "add", "up", "git@git.example.org:team/shop.git")
    found = await site_of(our_git(), clone.workspace, repo_url="https://git.example.org/team/shop")
    assert isinstance(found, Site)
    assert found.remote == "up"


async def test_a_path_through_a_symlink_is_the_same_repository(clone, tmp_path):
    (tmp_path / "link").symlink_to(clone.remote.path)
    found = await site_of(our_git(), clone.workspace, repo_url=str(tmp_path / "link"))
    assert isinstance(found, Site)


async def test_the_repository_itself_needs_no_remote(clone):
    found = await site_of(our_git(), clone.workspace, repo_url=str(clone.top))
    assert isinstance(found, Site)
    assert (found.remote, found.is_itself) == (str(clone.top), True)


async def test_a_workspace_in_no_repository_has_no_place(tmp_path):
    found = await site_of(our_git(), tmp_path, repo_url="https://git.example.org/team/shop")
    assert found == NoSite("the workspace is in no git repository")


async def test_another_repository_is_no_place(clone):
    found = await site_of(our_git(), clone.workspace, repo_url="https://git.example.org/team/shop")
    assert isinstance(found, NoSite)
    assert "no remote that is the plan's repoUrl (https://git.example.org/team/shop)" in found.reason


async def test_credentials_of_an_address_are_not_told(clone):
    found = await site_of(our_git(), clone.workspace, repo_url="https://ana:pw-123456@git.example.org/team/shop")
    assert isinstance(found, NoSite)
    assert "pw-123456" not in found.reason


@pytest.mark.parametrize("place", [".", ".git"])
async def test_the_top_and_gits_own_folder_are_no_place(clone, place):
    found = await site_of(our_git(), clone.top / place, repo_url=clone.remote.url)
    assert isinstance(found, NoSite)


async def test_a_repository_without_remotes_is_no_place(tmp_path):
    git("init", "--quiet", str(tmp_path / "alone"), at=tmp_path)
    (tmp_path / "alone" / "w").mkdir()
    found = await site_of(our_git(), tmp_path / "alone" / "w", repo_url="https://git.example.org/team/shop")
    assert isinstance(found, NoSite)
