import pytest

from orchestrate.repo.address import address_fault, fetched_from, parse_address, repository_key

ANY = frozenset({"https", "ssh", "file"})


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/Owner/Name",
        "https://github.com/owner/name.git",
        "https://github.com/owner/name.git/",
        "https://GitHub.com:443//owner/name",
        "https://someone@github.com/owner/name",
        "https://github.com/owner/name?tab=readme#top",
        "ssh://git@github.com/owner/name.git",
        "ssh://git@github.com:22/owner/name",
        "git@github.com:owner/name.git",
        "github.com:owner/name",
        "github.com/owner/name",
        "  https://github.com/owner/name ",
        "https://github.com/owner/n%61me",
    ],
)
def test_every_form_of_one_repository_has_one_key(url):
    assert repository_key(url) == "github.com/owner/name"


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://git.example.org:8443/team/app.git", "git.example.org:8443/team/app"),  # another server than :443
        ("https://gitlab.com/group/sub/app", "gitlab.com/group/sub/app"),  # groups nest
        ("/srv/git/App.git", "/srv/git/App"),  # a path keeps its case
        ("/srv/git/../git/app/.git", "/srv/git/app"),
        ("file:///srv/git/my%20app", "/srv/git/my app"),
        ("../app", "../app"),
        ("[::1]:owner/name", "[::1]:owner/name"),  # no address that git reads in this form
        ("not an address", "not an address"),
        ("", ""),
    ],
)
def test_other_repositories_have_other_keys(url, key):
    assert repository_key(url) == key


@pytest.mark.parametrize(
    "url", ["ext::sh -c id", "a\nb", "https://", "https://host", "https://[bad/x", "://x", "ssh:///x"]
)
def test_what_is_no_address_is_none(url):
    assert parse_address(url) is None


@pytest.mark.parametrize(
    ("url", "fault"),
    [
        ("--upload-pack=id", "is no address that git can read"),
        ("ext::sh -c id", "is no address that git can read"),
        ("github.com/owner/name", "is no address that git can read"),  # git would take it for a path
        ("http://host.example/x", "uses http, which is not allowed"),
        ("git://host.example/x", "uses git, which is not allowed"),
        ("https://user:secret@host.example/x", "holds credentials"),
        ("https://token@host.example/x", "holds credentials"),
        ("../x", "is a relative path"),
        ("ssh://-oProxyCommand=id/x", "could be read as an option"),
        ("host.example:-x", "could be read as an option"),
    ],
)
def test_a_dangerous_address_never_reaches_git(url, fault):
    assert address_fault(url, protocols=ANY) == fault


@pytest.mark.parametrize(
    "url", ["https://host.example/a/b", "ssh://git@host.example/a", "git@host.example:a/b.git", "/srv/a b"]
)
def test_an_ordinary_address_has_no_fault(url):
    assert address_fault(url, protocols=ANY) is None


def test_a_path_is_refused_where_only_remote_protocols_are_allowed():
    assert address_fault("/srv/a", protocols=frozenset({"https"})) == "uses file, which is not allowed"


def test_branches_are_fetched_from_a_path_or_from_the_remote_of_a_clone(tmp_path):
    workspace = tmp_path / "project" / ".orchestrate" / "dates"
    assert fetched_from("../..", folder=workspace) == str(tmp_path / "project")
    assert fetched_from("/srv/shop.git", folder=workspace) == "/srv/shop.git"
    assert fetched_from("file:///srv/shop.git", folder=workspace) == "/srv/shop.git"
    for url in ("https://host.example/a/b", "git@host.example:a/b.git", "", None):
        assert fetched_from(url, folder=workspace) == "origin"
