import pytest

from orchestrate.text.handoffs import parse_handoff

LINK = "https://github.com/o/r/pull/5"
HEAD = "## Status\nsuccess\n## Branch\n`a/b`\n"


def number_in(text: str, *, repo_url: str | None = "https://github.com/O/R.git") -> int | None:
    return parse_handoff(f"{HEAD}{text}", repo_url=repo_url).pr_number


@pytest.mark.parametrize(
    "repo_url",
    ["https://github.com/o/r", "https://github.com/O/R.git/", "git@github.com:o/r.git", "ssh://git@github.com/o/r"],
)
def test_a_link_into_the_own_repository_counts(repo_url):
    assert number_in(f"## What I did\nOpened {LINK}.", repo_url=repo_url) == 5
    assert number_in(f"[draft]({LINK}/files)", repo_url=repo_url) == 5


@pytest.mark.parametrize("repo_url", [None, "", "/srv/repos/r", "file:///srv/r", "https://[::1", "host:"])
def test_without_a_web_repository_no_number_is_known(repo_url):
    assert number_in(LINK, repo_url=repo_url) is None


@pytest.mark.parametrize(
    "text",
    [
        "https://github.com/x/r/pull/5",
        "https://github.com/o/r2/pull/5",
        "https://github.com/o/r/pull/new/branch",
        "https://github.com/o/r/pull/0",
        "https://evil.example/github.com/o/r/pull/5",
        "#5",
        f"> {LINK}",
    ],
)
def test_other_links_do_not_count(text):
    assert number_in(text) is None


def test_other_forges_have_other_links():
    assert number_in("https://gitlab.com/g/s/r/-/merge_requests/7", repo_url="https://gitlab.com/g/s/r") == 7
    assert number_in("https://bitbucket.org/o/r/pull-requests/8", repo_url="git@bitbucket.org:o/r") == 8


def test_its_own_place_comes_first_and_code_elsewhere_is_text_of_others():
    other = "https://github.com/o/r/pull/6"
    assert number_in(f"PR: {LINK}\n## Notes\nlike {other}") == 5
    assert number_in(f"## Pull request\n{LINK}\n## Notes\nlike {other}") == 5
    assert number_in(f"## Notes\n```\n{LINK}\n```\nlike {other}") == 6
    assert number_in(f"## Pull request\n```\n{LINK}\n```") == 5
    assert number_in(f"## Notes\n```\n{LINK}\n```") is None


def test_several_are_none_with_a_note():
    handoff = parse_handoff(f"{HEAD}## Notes\n{LINK} {LINK[:-1]}12", repo_url="https://github.com/o/r")
    assert handoff.pr_number is None
    assert handoff.notes == ("Pull request: several are linked (#5, #12); none was taken",)
