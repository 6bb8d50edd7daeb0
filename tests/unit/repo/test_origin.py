import os
from pathlib import Path

import pytest

from orchestrate.errors import Refused
from orchestrate.repo.git import Git
from orchestrate.repo.origin import Origin, default_branch_of, local_path, network_address, origin_of
from tests.support.repositories import git as call_git, make_remote

ENVIRONMENT = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
GIT = Git(ENVIRONMENT)


@pytest.fixture
def clone(tmp_path):
    """A clone of a remote whose default branch is ``main``."""
    remote = make_remote(tmp_path / "remote.git")
    call_git("clone", "--quiet", remote.url, "clone", at=tmp_path)
    return tmp_path / "clone"


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://git.example.org/a/b.git", "https://git.example.org/a/b.git"),
        ("https://user:secret@git.example.org:8443/a/b?x=1#y", "https://git.example.org:8443/a/b"),
        ("https://token@git.example.org/a/b", "https://git.example.org/a/b"),
        ("ssh://git@git.example.org:2222/a/b", "ssh://git@git.example.org:2222/a/b"),
        ("ssh://git:secret@git.example.org/a/b", "ssh://git@git.example.org/a/b"),
        ("git+ssh://git@git.example.org/a/b", "ssh://git@git.example.org/a/b"),
        ("git@git.example.org:a/b.git", "git@git.example.org:a/b.git"),
        ("git.example.org:a/b.git", "ssh://git.example.org/~/a/b.git"),
        ("git.example.org:/a/b.git", "ssh://git.example.org/a/b.git"),
        ("https://[2001:db8::1]/a/b", "https://[2001:db8::1]/a/b"),
        ("http://git.example.org/a/b", None),
        ("git://git.example.org/a/b", None),
        ("https://localhost/a/b", None),
        ("https://git.example.org:port/a", None),
        ("/srv/git/a.git", None),
        ("../a.git", None),
        ("a.git", None),
        ("file:///srv/git/a.git", None),
        ("ext::sh -c x", None),
    ],
)
def test_an_address_as_a_plan_may_have_it(url, address):
    assert network_address(url) == address


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("/srv/git/a.git", "/srv/git/a.git"),
        ("../a.git", "/home/a.git"),
        ("a.git", "/home/ada/a.git"),
        ("file:///srv/my%20git/a.git", "/srv/my git/a.git"),
        ("git@git.example.org:a", None),
        ("https://git.example.org/a", None),
    ],
)
def test_a_remote_on_this_machine_is_a_folder(url, path):
    assert local_path(url, top=Path("/home/ada")) == (None if path is None else Path(path))


async def test_a_clone_knows_its_remote_and_the_default_branch_there(clone, tmp_path):
    call_git("checkout", "--quiet", "-b", "work", at=clone)
    (clone / "sub").mkdir()
    found = await origin_of(GIT, clone / "sub")
    url = str(tmp_path / "remote.git")
    assert found == Origin(clone, "work", has_commits=True, remote="origin", url=url, default_branch="main")


async def test_a_default_branch_that_the_clone_did_not_note_is_asked_for(clone):
    call_git("remote", "set-head", "origin", "--delete", at=clone)
    assert (await origin_of(GIT, clone)).default_branch == "main"


async def test_a_remote_that_cannot_be_asked_has_no_default_branch(clone):
    call_git("remote", "set-head", "origin", "--delete", at=clone)
    call_git("remote", "set-url", "origin", "../missing.git", at=clone)
    found = await origin_of(GIT, clone)
    assert (found.url, found.default_branch, found.current_branch) == ("../missing.git", None, "main")


async def test_the_branchs_own_remote_goes_before_origin(clone):
    call_git("remote", "add", "fork", "git@host.example:fork", at=clone)
    call_git("config", "branch.main.remote", "fork", at=clone)
    call_git("symbolic-ref", "refs/remotes/fork/HEAD", "refs/remotes/fork/trunk", at=clone)
    found = await origin_of(GIT, clone)
    assert (found.remote, found.url, found.default_branch) == ("fork", "git@host.example:fork", "trunk")


async def test_a_repository_without_a_remote_or_a_commit(tmp_path):
    call_git("init", "--quiet", "--initial-branch=trunk", at=tmp_path)
    assert await origin_of(GIT, tmp_path) == Origin(tmp_path, "trunk", has_commits=False)


async def test_a_detached_head_is_on_no_branch(clone):
    call_git("checkout", "--quiet", "--detach", at=clone)
    assert (await origin_of(GIT, clone)).current_branch is None


async def test_a_folder_outside_any_repository_has_no_origin(tmp_path):
    assert await origin_of(GIT, tmp_path) is None


async def test_git_itself_must_be_there(tmp_path):
    with pytest.raises(Refused):
        await origin_of(Git({"PATH": str(tmp_path)}), tmp_path)


async def test_the_default_branch_of_a_repository_elsewhere(tmp_path):
    remote = make_remote(tmp_path / "remote.git")

    assert await default_branch_of(Git(os.environ), remote.url) == "main"
    assert await default_branch_of(Git(os.environ), str(tmp_path / "missing.git")) is None
    assert await default_branch_of(Git(os.environ), "--upload-pack=touch x") is None
