"""Where a workspace lies in a clone, and which remote of it is the plan's repository. Nothing is asked over the network."""

from dataclasses import dataclass
from pathlib import Path

from orchestrate.errors import ServiceError
from orchestrate.repo.address import address_fault, repository_key
from orchestrate.repo.git import Git
from orchestrate.repo.origin import local_path


@dataclass(frozen=True, slots=True)
class Site:
    """A workspace in a clone of the plan's repository."""

    #: The top folder of the checkout.
    top: Path
    git_dir: Path
    #: What git fetches from and pushes to: a remote's name, or the repository itself.
    remote: str
    #: The workspace below ``top``, with slashes.
    folder: str
    #: True where the plan's repository is this very one: then there is nothing to fetch.
    is_itself: bool = False


@dataclass(frozen=True, slots=True)
class NoSite:
    """Why nothing can be kept on git from there."""

    reason: str


async def site_of(git: Git, folder: Path, *, repo_url: str) -> Site | NoSite:
    """The workspace's place in a clone of the plan's repository."""
    try:
        said = await git.output(["-C", str(folder), "rev-parse", "--show-toplevel", "--absolute-git-dir"])
        lines = said.decode("utf-8", "surrogateescape").splitlines()
        top, git_dir = (Path(each) for each in lines)
        remotes = await _remotes(git, top)
    except (ServiceError, ValueError):
        return NoSite("the workspace is in no git repository")
    place = _place(folder, top, git_dir)
    if place is None:
        return NoSite("the workspace is no folder of the checkout")
    wanted = _key(repo_url, top=folder)
    own = _key(str(top), top=top)
    if wanted in (own, _key(str(git_dir), top=top)):
        return Site(top, git_dir, str(top), place, is_itself=True)
    for name, url in remotes:
        if _key(url, top=top) == wanted and not name.startswith("-"):
            return Site(top, git_dir, name, place)
    return NoSite(f"the workspace's repository has no remote that is the plan's repoUrl ({_shown(repo_url, git)})")


async def _remotes(git: Git, top: Path) -> list[tuple[str, str]]:
    try:
        said = await git.output(["-C", str(top), "config", "-z", "--get-regexp", r"^remote\..*\.url$"])
    except ServiceError:
        return []
    pairs = (item.partition("\n") for item in said.decode("utf-8", "surrogateescape").split("\0") if item)
    return [(key.removeprefix("remote.").removesuffix(".url"), url) for key, _, url in pairs]


def _key(url: str, *, top: Path) -> str:
    """The same text for every form of an address; a path on this machine without its symlinks."""
    path = local_path(url, top=top)
    return repository_key(url) if path is None else repository_key(str(path.resolve()))


def _place(folder: Path, top: Path, git_dir: Path) -> str | None:
    """The folder below the top of the checkout; None for the top itself and for git's own folder."""
    here, whole = folder.resolve(), top.resolve()
    if here == whole or not here.is_relative_to(whole) or here.is_relative_to(git_dir.resolve()):
        return None
    return here.relative_to(whole).as_posix()


def _shown(url: str, git: Git) -> str:
    """The address without what must not be shown."""
    return url if address_fault(url, protocols=git.protocols) is None else repository_key(url)
