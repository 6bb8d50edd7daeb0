import json

from orchestrate.cli.git_state import state_site
from orchestrate.model.checking import parse_plan
from tests.support.clones import clone, our_git
from tests.support.workspaces import a_plan_document

__all__ = ["clone"]


async def asked(folder, *, url, is_new=True, **fields):
    document = a_plan_document({"name": "a", "type": "worker", "scopedGoal": "do a"}, **fields)
    plan, _ = parse_plan(json.dumps(document).encode(), local=True)
    said = []
    found = await state_site(our_git(), plan, folder=folder, repo_url=url, is_new=is_new, tell=said.append)
    return found, said


async def test_a_workspace_in_a_clone_is_kept_on_git(clone):
    found, said = await asked(clone.workspace, url=clone.remote.url)
    assert (found.remote, said) == ("origin", [])


async def test_a_plan_may_want_none_of_it(clone):
    assert await asked(clone.workspace, url=clone.remote.url, syncStateToGit=False) == (None, [])


async def test_where_it_cannot_be_kept_that_is_told_once_to_those_who_asked(tmp_path):
    wanted = ["the state is not kept on git: the workspace is in no git repository"]
    assert await asked(tmp_path, url="https://git.example.org/x/y", syncStateToGit=True) == (None, wanted)
    assert await asked(tmp_path, url="https://git.example.org/x/y", syncStateToGit=True, is_new=False) == (None, [])
    assert await asked(tmp_path, url="https://git.example.org/x/y") == (None, [])
