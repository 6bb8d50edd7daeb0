import pytest

from orchestrate.cloud.address import checked_base_url, download_address, is_loopback, proxy_for
from orchestrate.errors import InputRefused


@pytest.mark.parametrize(
    ("url", "checked"),
    [
        ("https://api.cursor.com", "https://api.cursor.com"),
        ("https://api.cursor.com/", "https://api.cursor.com"),
        ("https://gateway.example/agents/", "https://gateway.example/agents"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("http://127.8.9.1", "http://127.8.9.1"),
        ("http://[::1]:80", "http://[::1]"),
        ("http://localhost:1", "http://localhost:1"),
        ("https://bücher.example", "https://xn--bcher-kva.example"),
    ],
)
def test_a_good_address_is_taken(url, checked):
    assert checked_base_url(url) == checked


@pytest.mark.parametrize(
    ("url", "fault"),
    [
        ("http://api.cursor.com", "without encryption"),
        ("http://127.0.0.1.example.org", "without encryption"),
        ("http://localhost.example.org", "without encryption"),
        ("http://2130706433", "without encryption"),
        ("ftp://api.cursor.com", "neither"),
        ("https://user:secret@api.cursor.com", "credentials"),
        ("https://127.0.0.1\\@example.org", "credentials"),
        ("https://api.cursor.com?x=1", "query"),
        ("https://api.cursor.com#x", "fragment"),
        ("api.cursor.com", "complete"),
        ("", "complete"),
        (" https://api.cursor.com", "complete"),
        ("https://", "complete"),
        ("https://[bad", "cannot be"),
        ("https://api.cursor.com:port", "cannot be read"),
        ("https://api.cursor.com:0", "a port that cannot be"),
        ("https://api.cursor.com:65536", "a port that cannot be"),
        ("https://api.cursor.com/\n", "cannot be read"),
    ],
)
def test_a_bad_address_is_refused(url, fault):
    with pytest.raises(InputRefused, match=fault):
        checked_base_url(url)


def test_what_is_this_machine():
    assert is_loopback("127.0.0.1")
    assert not is_loopback("0.0.0.0")
    assert not is_loopback("example.org")


@pytest.fixture
def proxies(monkeypatch):
    """Sets the proxy variables of the environment, and no others."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)

    def set_them(**variables):
        for name, value in variables.items():
            monkeypatch.setenv(name, value)

    return set_them


def test_without_settings_there_is_no_proxy(proxies):
    assert proxy_for("https://api.cursor.com") is None


def test_the_proxy_for_https_is_used(proxies):
    proxies(https_proxy="http://proxy.example:3128", http_proxy="http://other.example")
    assert proxy_for("https://api.cursor.com") == "http://proxy.example:3128"


def test_a_proxy_for_everything_is_used_and_its_protocol_may_be_left_out(proxies):
    proxies(ALL_PROXY="proxy.example:3128")
    assert proxy_for("https://api.cursor.com") == "http://proxy.example:3128"


def test_this_machine_and_hosts_on_the_list_go_without_a_proxy(proxies):
    proxies(all_proxy="http://proxy.example:3128", no_proxy="cursor.com")
    assert proxy_for("http://127.0.0.1:8000") is None
    assert proxy_for("https://api.cursor.com") is None


CLOUD, OWN = "https://api.example", "http://127.0.0.1:8080"


@pytest.mark.parametrize(
    ("base_url", "url", "address"),
    [
        (CLOUD, "https://files.example/a/b?c=d%20e", ("https://files.example", "/a/b?c=d%20e")),
        (CLOUD, "https://files.example:444", ("https://files.example:444", "/")),
        (OWN, "http://127.0.0.1:8080/v1/x?y=z", ("http://127.0.0.1:8080", "/v1/x?y=z")),
        (CLOUD, "http://files.example/", None),
        (CLOUD, "https://localhost/", None),
        (CLOUD, "http://127.0.0.1/", None),
        (OWN, "https://files.example/", None),
        (CLOUD, "https://user:secret@files.example/", None),
        (CLOUD, "ftp://files.example/", None),
        (CLOUD, "https:///x", None),
        (CLOUD, "/x", None),
        (CLOUD, "https://[x", None),
        (CLOUD, "", None),
    ],
)
def test_a_link_is_followed_to_an_encrypted_host_or_from_here_to_here(base_url, url, address):
    assert download_address(url, base_url=base_url) == address
