"""The repository of a folder, and where it comes from: what a new plan has to know of it. Nothing is changed by asking."""

import posixpath
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from orchestrate.errors import ServiceError, Unavailable
from orchestrate.model.repo_url import repo_url_fault
from orchestrate.repo.address import address_fault
from orchestrate.repo.git import Git

_USUAL_REMOTE = "origin"
_HEAD_LINE = re.compile(r"ref: refs/heads/(\S+)\tHEAD")
#: Other spellings of ssh that git knows.
_SSH = ("ssh", "git+ssh", "ssh+git")


@dataclass(frozen=True, slots=True)
class Origin:
    """A repository on this machine and the remote that its work goes to."""

    #: The top folder of the checkout.
    top: Path
    #: None with a detached HEAD.
    current_branch: str | None = None
    has_commits: bool = True
    #: Name of the remote; None without one.
    remote: str | None = None
    #: The remote's address as git has it, possibly with credentials.
    url: str | None = None
    #: The remote's default branch, as far as it can be told.
    default_branch: str | None = None


async def origin_of(git: Git, folder: Path) -> Origin | None:
    """The repository that this folder is in, or None; Refused where git itself cannot be used there."""
    top = await _line(git, folder, "rev-parse", "--show-toplevel")
    if top is None:
        return None
    place = Path(top)
    current = await _line(git, place, "symbolic-ref", "--quiet", "--short", "HEAD")
    has_commits = await _line(git, place, "rev-parse", "--verify", "--quiet", "HEAD") is not None
    remote = await _remote(git, place, branch=current)
    if remote is None:
        return Origin(place, current, has_commits)
    return Origin(
        top=place,
        current_branch=current,
        has_commits=has_commits,
        remote=remote,
        url=await _line(git, place, "remote", "get-url", remote),
        default_branch=await _default_branch(git, place, remote=remote),
    )


async def default_branch_of(git: Git, url: str) -> str | None:
    """The default branch of a repository elsewhere; None where it does not say, or nobody answers."""
    if address_fault(url, protocols=git.protocols) is not None:
        return None
    try:
        said = await git.output(["ls-remote", "--symref", "--", url, "HEAD"])
    except ServiceError:
        return None
    return _head_in(said)


def network_address(url: str) -> str | None:
    """The address as a plan may have it, without credentials, query or fragment; None where no plan can name it.

    ``host:path`` means the path in the home folder there, or an absolute one, and is written so.
    """
    if "://" in url:
        address = _network_url(url)
    elif _is_path(url):
        return None
    else:
        address = url if "@" in url.partition(":")[0] else _ssh_url(*url.split(":", 1))
    return address if address is not None and repo_url_fault(address, local=False) is None else None


def local_path(url: str, *, top: Path) -> Path | None:
    """The folder on this machine that the address names, a relative one as git reads it in ``top``; None for others."""
    if url.startswith("file://"):
        return Path(unquote(urlsplit(url).path))
    return Path(posixpath.normpath(top / url)) if _is_path(url) else None


def _is_path(url: str) -> bool:
    """As git tells it: a colon before the first slash makes it an address."""
    return "://" not in url and ":" not in url.partition("/")[0]


def _network_url(url: str) -> str | None:
    try:
        parts = urlsplit(url)
        port = "" if parts.port is None else f":{parts.port}"
    except ValueError:
        return None
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    if parts.scheme == "https":
        return f"https://{host}{port}{parts.path}"
    if parts.scheme in _SSH:
        user = f"{parts.username}@" if parts.username else ""
        return f"ssh://{user}{host}{port}{parts.path}"
    return None


def _ssh_url(host: str, path: str) -> str:
    return f"ssh://{host}{path}" if path.startswith("/") else f"ssh://{host}/~/{path}"


async def _remote(git: Git, top: Path, *, branch: str | None) -> str | None:
    """The remote of the current branch, else ``origin``, else the first one."""
    names = (await _line(git, top, "remote", keep_lines=True) or "").splitlines()
    wanted = None if branch is None else await _line(git, top, "config", "--get", f"branch.{branch}.remote")
    return next((name for name in (wanted, _USUAL_REMOTE, *names) if name in names), None)


async def _default_branch(git: Git, top: Path, *, remote: str) -> str | None:
    """What the clone has noted; else what the remote says now."""
    noted = await _line(git, top, "symbolic-ref", "--quiet", "--short", f"refs/remotes/{remote}/HEAD")
    if noted is not None:
        return noted.removeprefix(f"{remote}/")
    try:
        said = await git.output(["-C", str(top), "ls-remote", "--symref", "--", remote, "HEAD"])
    except ServiceError:
        return None
    return _head_in(said)


def _head_in(said: bytes) -> str | None:
    found = _HEAD_LINE.match(said.decode("utf-8", "replace"))
    return None if found is None else found.group(1)


async def _line(git: Git, folder: Path, *arguments: str, keep_lines: bool = False) -> str | None:
    """What git prints there, without its end of line; None where it has no answer."""
    try:
        said = await git.output(["-C", str(folder), *arguments])
    except Unavailable:
        return None
    text = said.decode("utf-8", "surrogateescape")
    return text if keep_lines else text.removesuffix("\n")
