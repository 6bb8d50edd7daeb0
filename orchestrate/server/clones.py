"""An agent's own clone: how it is made, and what becomes of the work in it when the agent has ended.

Work is never thrown away: a clone is removed only if everything that was committed in it is on the remote and
nothing uncommitted is left.
"""

import hashlib
import re
from dataclasses import dataclass, replace
from pathlib import Path

import anyio

from orchestrate.model.names import is_valid_ref
from orchestrate.server.clone_git import CloneGit, opened_clone
from orchestrate.server.git import ASK_SECONDS, TRANSFER_SECONDS, Git, GitFailed
from orchestrate.server.private_files import make_private_folder, remove_tree

#: Untracked files below it are no work that was forgotten; they are kept apart from the clone.
ARTIFACTS = "artifacts"

_LONGEST_SLUG = 50
_HASH_LENGTH = 8
_UNFIT = re.compile(r"[^a-z0-9]+")
#: Submodules are repositories that the agent configured; no program of theirs is run to look into them.
_STATUS = ("status", "--porcelain", "--untracked-files=normal", "--ignore-submodules=dirty")
_SUBMODULE = "160000 "
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
        async with opened_clone(git, clone.path) as its_git:
            return await _settle(git, its_git, clone)
    except GitFailed as error:
        return Settlement(None, notes=(f"what was committed could not be pushed: {error.reason}; it is kept here",))


async def is_on_the_remote(git: Git, clone: Clone) -> bool:
    """Whether nothing would be lost with the clone: nothing uncommitted, and all its commits have been on the remote.

    The remote is asked only about commits that are not known to have been there; where it cannot tell, the answer is no.
    """
    quiet = ("--quiet", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance")
    try:
        async with opened_clone(git, clone.path) as its_git:
            if await _notes_on_files(its_git):
                return False
            if await _unpushed(its_git, clone):
                everything = ("--", clone.url, "+refs/heads/*:refs/remotes/origin/*")
                await its_git.run("fetch", *quiet, *everything, seconds=TRANSFER_SECONDS)
            return not await _unpushed(its_git, clone)
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
    question = ("rev-parse", "--verify", "--quiet", f"refs/remotes/origin/{branch}^{{commit}}")
    try:
        return (await git.run(*question, at=clone.path)).strip()
    except GitFailed as error:
        raise GitFailed(f"its branch {branch} is not on the remote any more") from error


async def _settle(git: Git, its_git: CloneGit, clone: Clone) -> Settlement:
    head = await its_git.line("rev-parse", "--verify", "HEAD^{commit}")
    notes = await _notes_on_files(its_git)
    if not await its_git.line("rev-list", "--max-count=1", head, f"^{clone.start}"):
        return Settlement(None, notes=notes, is_disposable=not notes and not await _unpushed(its_git, clone))
    target = await _target(its_git, clone)
    branch = await _find_on_remote(git, its_git, clone, head, target)
    if branch is None:
        count = await its_git.line("rev-list", "--count", head, f"^{clone.start}")
        where = ("--", clone.url, f"{head}:refs/heads/{target}")
        await its_git.run("push", "--quiet", "--no-recurse-submodules", *where, seconds=TRANSFER_SECONDS)
        await its_git.run("update-ref", f"refs/remotes/origin/{target}", head)
        notes += (f"pushed {count} commit{'' if count == '1' else 's'} that the agent had not pushed to {target}",)
        branch = target
    is_disposable = not await _notes_on_files(its_git) and not await _unpushed(its_git, clone, head)
    return Settlement(branch, notes=notes, is_disposable=is_disposable)


async def _target(its_git: CloneGit, clone: Clone) -> str:
    """The branch to push to: what is checked out, if that is fit to be anybody's; else the agent's own."""
    try:
        checked_out = await its_git.line("symbolic-ref", "--quiet", "--short", "HEAD")
    except GitFailed:
        return clone.branch
    is_fit = is_valid_ref(checked_out) and checked_out not in clone.protected
    return checked_out if is_fit else clone.branch


async def _find_on_remote(git: Git, its_git: CloneGit, clone: Clone, head: str, target: str) -> str | None:
    """The branch on the remote that has the agent's last commit; the one of that name before all others."""
    names = [target, *(name for name in await _pushed_names(its_git, head) if name not in clone.protected)]
    patterns = [f"refs/heads/{name}" for name in names]
    listing = await git.run("ls-remote", "--heads", "--", clone.url, *patterns, seconds=ASK_SECONDS)
    there = {ref.removeprefix("refs/heads/") for sha, ref in _pairs(listing) if sha == head}
    return next((name for name in names if name in there), None)


async def _pushed_names(its_git: CloneGit, head: str) -> list[str]:
    """Branches that this clone itself has pushed the commit to; another agent's branch may point there as well."""
    at_head = ("for-each-ref", "--format=%(refname)", f"--points-at={head}", "refs/remotes/origin")
    refs = [ref for ref in (await its_git.line(*at_head)).split("\n") if ref]
    how = {ref: await its_git.line("reflog", "show", "--format=%gs", "--max-count=1", ref, "--") for ref in refs}
    return [ref.removeprefix("refs/remotes/origin/") for ref in refs if how[ref] == "update by push"]


async def _notes_on_files(its_git: CloneGit) -> tuple[str, ...]:
    """What of the files may be work that nobody else has."""
    status = await its_git.line(*_STATUS)
    notes: tuple[str, ...] = ()
    if not all(line.startswith(f"?? {ARTIFACTS}/") for line in status.split("\n") if line):
        notes += (f"left uncommitted work behind in {its_git.path}",)
    if await _has_submodules(its_git):
        notes += (f"the submodules in {its_git.path} were not looked into; it is kept",)
    return notes


async def _has_submodules(its_git: CloneGit) -> bool:
    """Whether the agent has checked any out."""
    listing = await its_git.run("ls-files", "--stage", "-z")
    names = [entry.partition("\t")[2] for entry in listing.split("\0") if entry.startswith(_SUBMODULE)]
    return any((its_git.path / name / ".git").exists() for name in names)


async def _unpushed(its_git: CloneGit, clone: Clone, *pushed: str) -> bool:
    """Whether any ref of the clone (other branches, a stash) has commits that the remote is not known to have."""
    known = ("--not", "--remotes=origin", clone.start, *pushed)
    return bool(await its_git.line("rev-list", "--max-count=1", "--all", *known))


def _pairs(listing: str) -> list[tuple[str, str]]:
    return [(sha, ref) for sha, _, ref in (line.partition("\t") for line in listing.split("\n")) if ref]
