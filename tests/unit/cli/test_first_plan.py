from pathlib import Path

import pytest

from orchestrate.cli.first_plan import first_task_of, plan_document, slug_of, source_of
from orchestrate.errors import InputRefused
from orchestrate.model.checking import check_plan
from orchestrate.repo.origin import Origin

TOP = Path("/home/ada/shop")
FOLDER = TOP / ".orchestrate" / "dates"


@pytest.mark.parametrize(
    ("goal", "slug"),
    [
        ("Dates are read in every format that we write.", "dates-are-read-in-every"),
        ("CSV!", "csv"),
        ("Überall größer", "uberall-groer"),
        ("日本語", "plan"),
        ("a" * 100, "a" * 40),
        ("one " + "b" * 39, "one"),
    ],
)
def test_a_slug_is_made_of_the_first_words(goal, slug):
    assert slug_of(goal) == slug


def test_the_first_task_is_no_merge():
    assert first_task_of("Merge both parsers into one") == "do-merge-both-parsers"
    assert first_task_of("Dates are read in every format") == "dates-are-read"


@pytest.mark.parametrize(
    ("url", "repo_url", "is_local"),
    [
        ("https://ada:secret@git.example.org/team/shop.git", "https://git.example.org/team/shop.git", False),
        ("git@git.example.org:team/shop.git", "git@git.example.org:team/shop.git", False),
        ("../remote.git", "../../../remote.git", True),
        ("/srv/git/shop.git", "/srv/git/shop.git", True),
        ("file:///srv/git/shop.git", "/srv/git/shop.git", True),
        (None, "../..", True),
    ],
)
def test_the_plan_names_the_remote_else_the_repository(url, repo_url, is_local):
    origin = Origin(TOP, current_branch="work", remote=None if url is None else "origin", url=url)
    found = source_of(origin, folder=FOLDER)
    assert (found.repo_url, found.is_local, found.base_branch, found.attention) == (repo_url, is_local, "work", None)


def test_a_remote_that_no_plan_can_name_is_told():
    found = source_of(Origin(TOP, current_branch="work", remote="origin", url="http://localhost:3000/x"), folder=FOLDER)
    assert (found.repo_url, found.is_local) == ("../..", True)
    assert "origin" in found.attention


def test_the_remotes_default_branch_goes_before_the_current_one():
    origin = Origin(TOP, current_branch="work", remote="origin", url="git@host.example:a/b", default_branch="trunk")
    assert source_of(origin, folder=FOLDER).base_branch == "trunk"


@pytest.mark.parametrize("url", [None, "git@host.example:a/b"])
def test_without_any_branch_there_is_no_plan(url):
    with pytest.raises(InputRefused, match="no branch is checked out"):
        source_of(Origin(TOP, remote="origin", url=url), folder=FOLDER)


@pytest.mark.parametrize("tasks", [[], ["read-dates", "write-dates"]])
@pytest.mark.parametrize("url", [None, "git@host.example:a/b"])
def test_the_plan_is_valid_as_it_is(tasks, url):
    source = source_of(Origin(TOP, current_branch="main", remote="origin", url=url), folder=FOLDER)
    document = plan_document(goal="Dates are read.", slug="dates", source=source, tasks=tasks)
    assert check_plan(document) == []
    assert [task["name"] for task in document["tasks"]] == (tasks or ["dates-are-read"])
    assert document["$schema"] == "plan.schema.json"
