import pytest

from orchestrate.engine.last_words import with_reply
from orchestrate.model.vocabulary import RunStatus
from orchestrate.model.wire import BranchInfo, GitInfo, Run
from tests.support.virtual_time import LoopClock, run as run_virtually


def a_run(result=None, *, status=RunStatus.FINISHED, branch=None):
    git = (
        None if branch is None else GitInfo(branches=(BranchInfo(repo_url="https://git.example.org/a", branch=branch),))
    )
    return Run(id="run-1", agent_id="bc-1", status=status, created_at="", updated_at="", result=result, git=git)


def asked(run, told, *answers):
    """The run with its reply, and how many looks that took."""
    looks = iter(answers)
    taken = []

    async def look():
        taken.append(next(looks))
        return taken[-1]

    async def whole():
        return await with_reply(run, told, look=look, clock=LoopClock())

    return run_virtually(whole), len(taken)


@pytest.mark.parametrize(
    "run", [a_run("done"), *(a_run(status=status) for status in (RunStatus.ERROR, RunStatus.CANCELLED))]
)
def test_what_has_a_reply_or_did_not_finish_is_taken_as_it_is(run):
    assert asked(run, a_run("told")) == (run, 0)


def test_the_reply_of_the_stream_comes_with_its_branches_where_the_run_names_none():
    told = a_run("told", branch="cursor/told-1")
    assert asked(a_run(" "), told) == (a_run("told", branch="cursor/told-1"), 0)
    assert asked(a_run(branch="cursor/own-1"), told) == (a_run("told", branch="cursor/own-1"), 0)


@pytest.mark.parametrize("told", [None, a_run(""), a_run("told", status=RunStatus.ERROR)])
def test_without_a_reply_anywhere_the_run_is_asked_for_again(told):
    late = a_run("late")
    assert asked(a_run(), told, a_run(), late) == (late, 2)


def test_after_the_last_look_an_empty_reply_is_believed():
    assert asked(a_run(), None, a_run(), a_run(""), a_run()) == (a_run(), 3)
