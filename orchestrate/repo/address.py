"""Addresses of repositories: which of their forms git may see, and when two of them name the same repository."""

import posixpath
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

_DEFAULT_PORTS = {"https": 443, "http": 80, "ssh": 22, "git": 9418}
#: ``user@host:path`` or ``host:path``; a slash before the colon makes it a path, as git reads it.
_SCP = re.compile(r"(?:[^@:/\s]+@)?(?P<host>[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:]+\]):(?P<path>.+)")
#: ``github.com/owner/name``, as services write addresses for people.
_BARE = re.compile(r"(?P<host>[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)/(?P<path>[^/]+/.+)")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Address:
    """A repository's address in parts; ``host`` is empty for a path on this machine."""

    #: ``https``, ``ssh``, ``file`` or what else stands before ``://``.
    protocol: str
    host: str
    path: str
    port: int | None = None
    has_password: bool = False


def repository_key(url: str) -> str:
    """The same text for every form of one repository's address: ``github.com/owner/name``.

    User, protocol, default port, ``.git`` and the case of letters do not count (hosting services ignore case); a path
    on this machine keeps its case and begins with ``/``.
    """
    address = parse_address(url.strip())
    if address is None:
        return url.strip()
    if not address.host:
        return posixpath.normpath(address.path).removesuffix("/.git").removesuffix(".git")
    path = "/".join(part for part in unquote(address.path).split("/") if part).removesuffix(".git")
    port = f":{address.port}" if address.port not in (None, _DEFAULT_PORTS.get(address.protocol)) else ""
    return f"{address.host}{port}/{path}".lower()


def fetched_from(url: str | None, *, folder: Path) -> str:
    """What a person tells ``git fetch``: the path of a repository on this machine, else the remote that a clone has."""
    address = parse_address(url or "")
    return "origin" if address is None or address.host else str((folder / address.path).resolve())


def parse_address(url: str) -> Address | None:
    """The address in parts, or None for what is none."""
    if not url or _CONTROL.search(url) or "::" in url.partition("/")[0]:
        return None
    if "://" in url:
        return _parse_url(url)
    if url.startswith(("/", "./", "../")) or url in (".", ".."):
        return Address("file", "", url)
    if match := _SCP.fullmatch(url):
        return Address("ssh", match["host"].strip("[]").lower(), match["path"])
    if match := _BARE.fullmatch(url):
        return Address("https", match["host"].lower(), match["path"])
    return None


def address_fault(url: str, *, protocols: frozenset[str]) -> str | None:
    """Why git must not see this address, or None; checked here although the plan was, for options hide in addresses."""
    address = parse_address(url)
    if url.startswith("-") or address is None or _BARE.fullmatch(url):
        return "is no address that git can read"
    if address.protocol not in protocols:
        return f"uses {address.protocol}, which is not allowed"
    if address.has_password:
        return "holds credentials"
    if address.protocol == "file" and not address.path.startswith("/"):
        return "is a relative path"
    if address.host.startswith("-") or address.path.startswith("-"):
        return "could be read as an option"
    return None


def _parse_url(url: str) -> Address | None:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    if not parts.scheme or not parts.path.strip("/"):
        return None
    if parts.scheme == "file":
        return Address("file", "", unquote(parts.path))
    if not parts.hostname:
        return None
    has_password = parts.password is not None or (parts.username is not None and parts.scheme != "ssh")
    return Address(parts.scheme.lower(), parts.hostname, parts.path, port, has_password)
