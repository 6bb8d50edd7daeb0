"""An agent's own clone: how it is made, and what becomes of the work in it when the agent has ended.

Work is never thrown away: a clone is removed only if everything that was committed in it is on the remote and
nothing uncommitted is left.
"""

import hashlib
import re
from dataclasses import dataclass, replace
from pathlib import Path

import anyio

from orchestrate.server.git import ASK_SECONDS, TRANSFER_SECONDS, Git, GitFailed
from orchestrate.server.private_files import make_private_folder, remove_tree

#: Untracked files below it are no work that was forgotten; they are kept apart from the clone.
ARTIFACTS = "artifacts"

_LONGEST_SLUG = 50
_HASH_LENGTH = 8
_UNFIT = re.compile(r"[^a-z0-9]+")
_IDENTITY = {"user.name": "Orchestrate agent", "user.email": "agent@orchestrate.invalid"}
_SETTINGS = {
    "push.default": "current",
    "push.autoSetupRemote": "true",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "advice.detachedHead": "false",
}


@dataclass(frozen=True, slots=True)
class Clone:
    """Where an agent works, and from where it started."""

    path: Path
    url: str
    branch: str
    start: str
    #: Branches that nobody pushes to unasked: where it started from, and the remote's default.
    protected: frozenset[str]


@dataclass(frozen=True, slots=True)
class Settlement:
    """What became of an agent's commits."""

    #: The branch on the remote that has them; None if there are none, or they could not be pushed.
    branch: str | None
    notes: tuple[str, ...] = ()
    #: True if nothing would be lost with the clone.
    is_disposable: bool = False


def branch_name(agent_name: str, *, agent_id: str) -> str:
    """``cursor/<slug>-<hash>``: the last part of the agent's name, and what keeps it unique."""
    slug = _UNFIT.sub("-", agent_name.rpartition("/")[2].lower()).strip("-")[:_LONGEST_SLUG].strip("-")
    return f"cursor/{slug or 'agent'}-{hashlib.sha256(agent_id.encode()).hexdigest()[:_HASH_LENGTH]}"


async def make_clone(git: Git, clone: Clone, *, mirror: Path, branch: str | None = None) -> None:
    """Clone the mirror's objects by reference, with the real repository as ``origin``, whole or not at all.

    A branch of the clone's own is checked out; with ``branch`` that one, as the remote has it now.
    """
    unfinished = replace(clone, path=clone.path.with_name(f"{clone.path.name}.unfinished"))
    await remove_clone(unfinished.path)
    make_private_folder(unfinished.path)
    settings = [f"--config={name}={value}" for name, value in _SETTINGS.items()]
    by_reference = ("clone", "--quiet", "--shared", "--no-checkout", "--template=", *settings)
    await git.run(*by_reference, "--", str(mirror), str(unfinished.path))
    await git.run("remote", "set-url", "--", "origin", clone.url, at=unfinished.path)
    for name, value in (await _missing_identity(git, unfinished.path)).items():
        await git.run("config", "--local", "--", name, value, at=unfinished.path)
    start = clone.start if branch is None else await _tip(git, unfinished, branch)
    new_branch = ("checkout", "--quiet", "--no-track", "-b", branch or clone.branch)
    await git.run(*new_branch, start, "--", at=unfinished.path)
    unfinished.path.rename(clone.path)


async def settle(git: Git, clone: Clone) -> Settlement:
    """Push what was committed and not pushed, never by force, and tell where it is.

    Nothing is pushed to the branch that the agent started from, nor to the default branch: commits that were made
    there go to the agent's own branch.
    """
    try:
        return await _settle(git, clone)
    except GitFailed as error:
        return Settlement(None, notes=(f"what was committed could not be pushed: {error.reason}; it is kept here",))


async def is_on_the_remote(git: Git, clone: Clone) -> bool:
    """Whether nothing would be lost with the clone: nothing uncommitted, and all its commits have been on the remote.

    The remote is asked only about commits that are not known to have been there; where it cannot tell, the answer is no.
    """
    everything = ("fetch", "--quiet", "--no-tags", "--", clone.url, "+refs/heads/*:refs/remotes/origin/*")
    try:
        if await _uncommitted_notes(git, clone):
            return False
        if await _unpushed(git, clone):
            await git.run(*everything, at=clone.path, seconds=TRANSFER_SECONDS)
        return not await _unpushed(git, clone)
    except GitFailed:
        return False


async def remove_clone(path: Path) -> None:
    """Remove the folder, whatever is in it."""
    await anyio.to_thread.run_sync(remove_tree, path)


async def _missing_identity(git: Git, path: Path) -> dict[str, str]:
    """What the user has not configured and commits cannot do without."""
    try:
        listing = await git.run("config", "--name-only", "--get-regexp", r"^user\.(name|email)$", at=path)
    except GitFailed:
        listing = ""
    configured = {line.lower() for line in listing.split()}
    return {name: value for name, value in _IDENTITY.items() if name not in configured}


async def _tip(git: Git, clone: Clone, branch: str) -> str:
    try:
        return await _line(git, clone, "rev-parse", "--verify", "--quiet", f"refs/remotes/origin/{branch}^{{commit}}")
    except GitFailed as error:
        raise GitFailed(f"its branch {branch} is not on the remote any more") from error


async def _settle(git: Git, clone: Clone) -> Settlement:
    head = await _line(git, clone, "rev-parse", "--verify", "HEAD^{commit}")
    notes = await _uncommitted_notes(git, clone)
    if not await _line(git, clone, "rev-list", "--max-count=1", head, f"^{clone.start}"):
        return Settlement(None, notes=notes, is_disposable=not notes and not await _unpushed(git, clone))
    target = await _checked_out(git, clone) or clone.branch
    if target in clone.protected:
        target = clone.branch
    branch = await _find_on_remote(git, clone, head, target)
    if branch is None:
        count = await _line(git, clone, "rev-list", "--count", head, f"^{clone.start}")
        await git.run(
            "push", "--quiet", "--", clone.url, f"{head}:refs/heads/{target}", at=clone.path, seconds=TRANSFER_SECONDS
        )
        await git.run("update-ref", f"refs/remotes/origin/{target}", head, at=clone.path)
        notes += (f"pushed {count} commit{'' if count == '1' else 's'} that the agent had not pushed to {target}",)
        branch = target
    is_disposable = not await _uncommitted_notes(git, clone) and not await _unpushed(git, clone, head)
    return Settlement(branch, notes=notes, is_disposable=is_disposable)


async def _find_on_remote(git: Git, clone: Clone, head: str, target: str) -> str | None:
    """The branch on the remote that has the agent's last commit; the one of that name before all others."""
    names = [target, *(name for name in await _pushed_names(git, clone, head) if name not in clone.protected)]
    patterns = [f"refs/heads/{name}" for name in names]
    listing = await git.run("ls-remote", "--heads", "--", clone.url, *patterns, seconds=ASK_SECONDS)
    there = {ref.removeprefix("refs/heads/") for sha, ref in _pairs(listing) if sha == head}
    return next((name for name in names if name in there), None)


async def _pushed_names(git: Git, clone: Clone, head: str) -> list[str]:
    """Branches that this clone itself has pushed the commit to; another agent's branch may point there as well."""
    at_head = ("for-each-ref", "--format=%(refname)", f"--points-at={head}", "refs/remotes/origin")
    refs = [ref for ref in (await _line(git, clone, *at_head)).split("\n") if ref]
    how = {ref: await _line(git, clone, "reflog", "show", "--format=%gs", "--max-count=1", ref, "--") for ref in refs}
    return [ref.removeprefix("refs/remotes/origin/") for ref in refs if how[ref] == "update by push"]


async def _uncommitted_notes(git: Git, clone: Clone) -> tuple[str, ...]:
    status = await _line(git, clone, "status", "--porcelain", "--untracked-files=normal")
    if all(line.startswith(f"?? {ARTIFACTS}/") for line in status.split("\n") if line):
        return ()
    return (f"left uncommitted work behind in {clone.path}",)


async def _unpushed(git: Git, clone: Clone, *pushed: str) -> bool:
    """Whether any ref of the clone (other branches, a stash) has commits that the remote is not known to have."""
    known = ("--not", "--remotes=origin", clone.start, *pushed)
    return bool(await _line(git, clone, "rev-list", "--max-count=1", "--all", *known))


async def _checked_out(git: Git, clone: Clone) -> str | None:
    try:
        return await _line(git, clone, "symbolic-ref", "--quiet", "--short", "HEAD")
    except GitFailed:
        return None


async def _line(git: Git, clone: Clone, *arguments: str) -> str:
    return (await git.run(*arguments, at=clone.path)).strip()


def _pairs(listing: str) -> list[tuple[str, str]]:
    return [(sha, ref) for sha, _, ref in (line.partition("\t") for line in listing.split("\n")) if ref]
