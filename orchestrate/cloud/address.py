"""Where the service is, and by which way it is reached."""

import ipaddress
import re
from urllib.request import getproxies, proxy_bypass

import httpx

from orchestrate.errors import InputRefused

#: Names, IPv4 and (without its brackets) IPv6 addresses.
_HOST = re.compile(rb"[A-Za-z0-9._-]+|[0-9A-Fa-f:.]+")
_LARGEST_PORT = 65_535
_HINT = "write it like https://api.cursor.com; http:// is for a server on this machine only"


def checked_base_url(url: str) -> str:
    """The address without a trailing slash, or `InputRefused` if the key may not be sent there."""
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise InputRefused(f"the service's address cannot be read: {error}", hint=_HINT) from error
    fault = _fault(url, parsed)
    if fault is not None:
        raise InputRefused(f"the service's address {fault}", hint=_HINT)
    return str(parsed).rstrip("/")


def download_address(url: str, *, base_url: str) -> tuple[str, str] | None:
    """Where a link of the service leads, as an address and a path with its query; None where it is not followed.

    It must be https; links of a server on this machine may lead to this machine, but no others may.
    """
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL:
        return None
    is_here = is_loopback(parsed.host)
    if parsed.port is not None and not 0 < parsed.port <= _LARGEST_PORT:
        return None
    if parsed.userinfo or not _HOST.fullmatch(parsed.raw_host) or is_here != is_loopback(httpx.URL(base_url).host):
        return None
    if parsed.scheme != "https" and not (is_here and parsed.scheme == "http"):
        return None
    return f"{parsed.scheme}://{parsed.netloc.decode('ascii')}", parsed.raw_path.decode("ascii")


def is_loopback(host: str) -> bool:
    """True for this machine: ``localhost``, 127.0.0.0/8 and ::1."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def proxy_for(base_url: str) -> str | None:
    """The proxy that the machine's settings name for this address; none for this machine itself."""
    url = httpx.URL(base_url)
    if is_loopback(url.host) or proxy_bypass(url.host):
        return None
    proxies = getproxies()
    proxy = proxies.get(url.scheme) or proxies.get("all")
    return f"http://{proxy}" if proxy and "://" not in proxy else proxy


def _fault(text: str, url: httpx.URL) -> str | None:
    if text != text.strip() or not url.host:
        return "is not complete or has white space around it"
    if not _HOST.fullmatch(url.raw_host):
        return "names a host that cannot be"
    if url.scheme not in ("http", "https"):
        return "is neither https:// nor http://"
    if url.port is not None and not 0 < url.port <= _LARGEST_PORT:
        return "names a port that cannot be"
    if url.userinfo:
        return "holds credentials"
    if url.query or url.fragment:
        return "has a query or a fragment"
    if url.scheme == "http" and not is_loopback(url.host):
        return f"would send the key to {url.host} without encryption"
    return None
