import pytest

from orchestrate.model.repo_url import repo_url_fault

FORMS = "must be https://…, ssh://… or user@host:path"
LOCAL_ONLY = f"{FORMS}; a path or file:// works only with the runtime kind local"
CREDENTIALS = "has credentials in it; take them out"
THIS_MACHINE = "names this machine (a loopback host)"
LINK_LOCAL = "names a link-local host"
NO_HOST = "names no host that can be used"
NO_REPOSITORY = "names a host and no repository"
UNSAFE = "must not have white space or control characters"
QUERY = "must not have a query or fragment"

GOOD = [
    "https://git.example.org/team/project.git",
    "https://git.example.org:8443/team/project",
    "HTTPS://Git.Example.ORG/team/project",
    "https://10.1.2.3/team/project",
    "https://[2001:db8::1]/team/project",
    "ssh://git@git.example.org/team/project.git",
    "ssh://git.example.org:2222/team/project.git",
    "git@git.example.org:team/project.git",
    "git@[2001:db8::1]:team/project.git",
]

BAD = [
    ("", "must not be empty"),
    (" ", "must not be empty"),
    ("--upload-pack=x", 'must not start with "-"'),
    ("http://git.example.org/a", f"{FORMS}, not http://"),
    ("git://git.example.org/a", f"{FORMS}, not git://"),
    ("ext::sh -c x", LOCAL_ONLY),
    ("git.example.org/a", LOCAL_ONLY),
    ("git.example.org:a", LOCAL_ONLY),
    ("/srv/git/a", LOCAL_ONLY),
    ("../a", LOCAL_ONLY),
    ("file:///srv/git/a", LOCAL_ONLY),
    ("https://user@git.example.org/a", CREDENTIALS),
    ("https://user:pass@git.example.org/a", CREDENTIALS),
    ("https://:pass@git.example.org/a", CREDENTIALS),
    ("https://@git.example.org/a", CREDENTIALS),
    ("https://user@git.example.org@localhost/a", CREDENTIALS),
    ("ssh://git:pass@git.example.org/a", CREDENTIALS),
    ("ssh://-oProxyCommand=x@git.example.org/a", "has a user name that cannot be used"),
    ("ssh://-oProxyCommand=x/a", NO_HOST),
    ("-x@git.example.org:a", 'must not start with "-"'),
    ("a%b@git.example.org:a", "has a user name that cannot be used"),
    ("@git.example.org:a", "has a user name that cannot be used"),
    ("git@-oProxyCommand=x:a", NO_HOST),
    ("git@git.example.org:-x", 'has a path that starts with "-"'),
    ("git@git.example.org:", NO_REPOSITORY),
    ("https://git.example.org", NO_REPOSITORY),
    ("https://git.example.org/", NO_REPOSITORY),
    ("https:///a", NO_HOST),
    ("https://git.example.org:port/a", NO_HOST),
    ("https://git.example.org:/a", "has a port that cannot be used"),
    ("https://git.example.org:99999/a", "has a port that cannot be used"),
    ("https://git.example.org/a?b=c", QUERY),
    ("https://git.example.org/a#b", QUERY),
    ("https://git.example.org?b", QUERY),
    ("git@git.example.org:a?b", QUERY),
    ("https://git.example.org/a b", UNSAFE),
    ("https://git.example.org/a\n", UNSAFE),
    ("https://git.example.org/a\x7f", UNSAFE),
    ("https://git.example.org/a\u2028b", UNSAFE),
    ("git@git.example.org:a b", UNSAFE),
    ("https://localhost/a", THIS_MACHINE),
    ("https://LOCALHOST./a", THIS_MACHINE),
    ("https://git.localhost/a", THIS_MACHINE),
    ("ssh://git@localhost/a", THIS_MACHINE),
    ("git@localhost:a", THIS_MACHINE),
    ("https://127.0.0.1/a", THIS_MACHINE),
    ("https://127.0.0.1:8080/a", THIS_MACHINE),
    ("https://127.0.0.1./a", THIS_MACHINE),
    ("https://127.1/a", THIS_MACHINE),
    ("https://127.0.1/a", THIS_MACHINE),
    ("https://2130706433/a", THIS_MACHINE),
    ("https://0x7f000001/a", THIS_MACHINE),
    ("https://0X7F.1/a", THIS_MACHINE),
    ("https://0177.0.0.1/a", THIS_MACHINE),
    ("https://017700000001/a", THIS_MACHINE),
    ("https://0.0.0.0/a", THIS_MACHINE),
    ("https://0/a", THIS_MACHINE),
    ("git@127.1:a", THIS_MACHINE),
    ("https://[::1]/a", THIS_MACHINE),
    ("https://[::]/a", THIS_MACHINE),
    ("https://[0:0:0:0:0:0:0:1]:443/a", THIS_MACHINE),
    ("https://[::ffff:127.0.0.1]/a", THIS_MACHINE),
    ("https://[::127.0.0.1]/a", THIS_MACHINE),
    ("https://[64:ff9b::7f00:1]/a", THIS_MACHINE),
    ("https://[2002:7f00:1::]/a", THIS_MACHINE),
    ("git@[::1]:a", THIS_MACHINE),
    ("https://169.254.169.254/a", LINK_LOCAL),
    ("https://2852039166/a", LINK_LOCAL),
    ("https://[fe80::1]/a", LINK_LOCAL),
    ("https://[fe80::1%25eth0]/a", LINK_LOCAL),
    ("https://[::ffff:169.254.1.1]/a", LINK_LOCAL),
    ("https://[zz]/a", NO_HOST),
    ("https://1.2.3.4.5/a", NO_HOST),
    ("https://1.2.3.256/a", NO_HOST),
    ("https://256.1/a", NO_HOST),
    ("https://09.1/a", NO_HOST),
    ("https://a.1/a", NO_HOST),
    ("https://4294967296/a", NO_HOST),
    ("https://" + "1" * 5000 + "/a", NO_HOST),
    ("https://\uff11\uff12\uff17.0.0.1/a", NO_HOST),
    ("https://%6cocalhost/a", NO_HOST),
    ("https://git.example.org\\@localhost/a", CREDENTIALS),
]


@pytest.mark.parametrize("url", GOOD)
@pytest.mark.parametrize("local", [True, False])
def test_addresses_of_remote_repositories_are_good_everywhere(url, local):
    assert repo_url_fault(url, local=local) is None


@pytest.mark.parametrize(("url", "fault"), BAD)
def test_what_is_wrong_with_an_address(url, fault):
    assert repo_url_fault(url, local=False) == fault


@pytest.mark.parametrize("url", [url for url, fault in BAD if fault in (THIS_MACHINE, LINK_LOCAL, CREDENTIALS)])
def test_this_machine_and_credentials_are_refused_with_the_local_runtime_too(url):
    assert repo_url_fault(url, local=True) is not None


@pytest.mark.parametrize(
    "url", ["/srv/git/a.git", "../a", ".", "a b/c", "./host:a", "file:///srv/git/a", "file://localhost/srv/git/a"]
)
def test_paths_are_good_with_the_local_runtime(url):
    assert repo_url_fault(url, local=True) is None


@pytest.mark.parametrize(
    ("url", "fault"),
    [
        ("ext::sh -c x", f"{FORMS}, or a path; write ./ before a path that has a colon"),
        ("host:a", f"{FORMS}, or a path; write ./ before a path that has a colon"),
        ("file://host/a", "a file:// address names no host: file:///path"),
        ("file://", "names no path"),
        ("file:///a?b", QUERY),
        ("/a\nb", UNSAFE),
        ("/a ", UNSAFE),
        ("-a", 'must not start with "-"'),
    ],
)
def test_what_is_wrong_with_a_path(url, fault):
    assert repo_url_fault(url, local=True) == fault


@pytest.mark.parametrize("url", [url for url, fault in BAD if fault == CREDENTIALS])
def test_a_message_never_repeats_the_address(url):
    assert "pass" not in str(repo_url_fault(url, local=False))
