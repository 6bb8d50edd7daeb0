"""Clean checkouts of one commit of a remote branch, each in a folder of its own.

The commit is fetched once into a bare repository that no command of a plan ever writes to; git is never run in a folder
that such a command has touched. No hook, submodule, filter or configuration of this machine has a part in a checkout.
"""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

import anyio
import anyio.to_thread

from orchestrate.errors import Refused
from orchestrate.model.names import is_valid_ref
from orchestrate.repo.address import address_fault
from orchestrate.repo.git import Git

_QUIET = ("--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--no-auto-maintenance")
_NO_HOOKS = ("-c", "core.hooksPath=/dev/null")


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit that is on this machine for as long as somebody needs it."""

    git: Git
    #: The bare repository.
    store: Path
    #: Where checkouts are made.
    folder: Path
    sha: str

    async def check_out(self, name: str) -> Path:
        """A new folder with the files of this commit, as a repository of its own."""
        place = self.folder / name
        alone = Git(_alone(self.git), deadline_seconds=self.git.deadline_seconds, protocols=frozenset({"file"}))
        quiet = ("--quiet", "--shared", "--no-checkout", "--no-tags", "--template=")
        await alone.output([*_NO_HOOKS, "clone", *quiet, "--", str(self.store), str(place)])
        await alone.output([*_NO_HOOKS, "-C", str(place), "checkout", "--quiet", "--detach", self.sha])
        return place


@asynccontextmanager
async def fetched(git: Git, url: str, *, branch: str, sha: str) -> AsyncIterator[Commit]:
    """This commit of the branch; Refused or Unavailable where it cannot be had."""
    fault = address_fault(url, protocols=git.protocols)
    if fault is not None:
        raise Refused(f"the repository's address {fault}", code="invalid_address")
    if not is_valid_ref(branch):
        raise Refused(f"{branch!r} is no name of a branch", code="invalid_ref")
    folder = Path(await anyio.to_thread.run_sync(lambda: mkdtemp(prefix="orchestrate-measure-")))
    try:
        store = folder / "store.git"
        await git.output(["init", "--quiet", "--bare", "--template=", "--", str(store)])
        source = f"+refs/heads/{branch}:refs/heads/measured"
        await git.output([*_NO_HOOKS, "-C", str(store), "fetch", *_QUIET, "--", url, source])
        await git.output(["-C", str(store), "rev-parse", "--verify", "--quiet", f"{sha}^{{commit}}"])
        yield Commit(git, store, folder, sha)
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(lambda: removed(folder))


def removed(folder: Path) -> None:
    """Take the folder away, also what a command has made hard to remove."""
    for path in [folder, *(each for each in folder.rglob("*") if each.is_dir() and not each.is_symlink())]:
        path.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)


def _alone(git: Git) -> dict[str, str]:
    """An environment in which git finds no configuration but that of the repository."""
    path = git.environment.get("PATH", "/usr/bin:/bin")
    return {"PATH": path, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_LFS_SKIP_SMUDGE": "1"}
