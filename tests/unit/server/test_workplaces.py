from dataclasses import replace

from orchestrate.server.clones import make_clone
from orchestrate.server.git import Git
from orchestrate.server.mirrors import Mirrors
from orchestrate.server.records import AgentRecord
from orchestrate.server.state import StateFolder
from orchestrate.server.workplaces import artifact_folders, clone_of
from tests.support.repositories import git, make_remote

ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent"}
PLACE = {"url": "/r", "start": "sha", "startingRef": "refs/heads/next", "defaultBranch": "main"}
AGENT = AgentRecord("bc-1", "/bc-1/", "command", "2026", "run-1", {"name": "root/fix-it"}, b"", PLACE)


def test_a_clone_is_where_the_agent_was_placed(tmp_path):
    clone = clone_of(AGENT, StateFolder(tmp_path))

    assert (clone.path, clone.url, clone.start) == (tmp_path / "agents" / "bc-1" / "clone", "/r", "sha")
    assert clone.branch.startswith("cursor/fix-it-")
    assert clone.protected == {"next", "main"}


def test_an_agent_without_a_repository_has_none(tmp_path):
    assert clone_of(replace(AGENT, placement={}), StateFolder(tmp_path)) is None


async def test_files_of_the_repository_are_no_artifacts(tmp_path):
    remote, folder, our_git = make_remote(tmp_path / "remote.git"), StateFolder(tmp_path / "state"), Git(ENVIRONMENT)
    remote.commit("main", {"x": "x"})
    work = tmp_path / "remote.git-work"
    (work / "artifacts").mkdir()
    start = remote.commit("main", {"artifacts/\u00e4 old.txt": "old"})
    agent = replace(AGENT, placement={**PLACE, "url": remote.url, "start": start})
    mirror = await Mirrors(folder.mirrors, our_git).fresh(remote.url)
    await make_clone(our_git, clone_of(agent, folder), mirror=mirror)

    folders = await artifact_folders(our_git, agent, folder)

    assert folders.not_its_own == {"artifacts/\u00e4 old.txt"}
    assert folders.own == folder.artifacts("bc-1")
    assert git("branch", "--show-current", at=folder.clone("bc-1")).startswith("cursor/fix-it-")


async def test_a_clone_that_is_gone_or_damaged_tells_of_none(tmp_path):
    folder = StateFolder(tmp_path)
    for damage in (lambda: None, lambda: (folder.clone("bc-1") / "artifacts").mkdir(parents=True)):
        damage()
        assert (await artifact_folders(Git(ENVIRONMENT), AGENT, folder)).not_its_own == frozenset()
