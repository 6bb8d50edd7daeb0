"""State on the branch that is checked out, where that belongs to the agent whose engine this is.

Nobody's unpushed commits are pushed, nothing is merged or rebased: where the branch and the remote differ by more than
states of ours, there is no place for the state here. The index gets our entries first and the branch moves after, so that
a commit of the user's in between carries the state with it and never takes it back. What was not pushed is taken back.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from orchestrate.errors import ServiceError, Unavailable
from orchestrate.repo.git import OVERTAKEN
from orchestrate.repo.plumbing import Plumbing, Tip
from orchestrate.repo.signatures import SUBJECT
from orchestrate.repo.site import Site

#: Files in the git folder while the user is in the middle of something.
_IN_THE_MIDDLE = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG", "index.lock")
_HEADS = "refs/heads/"


@dataclass(frozen=True, slots=True)
class OwnBranch:
    """The checked-out branch, whichever that is."""

    plumbing: Plumbing
    site: Site
    #: Never written to.
    base_branch: str

    async def free_tip(self) -> tuple[str, Tip] | None:
        """The branch and its head, if a state may be put on it now."""
        branch = await self.plumbing.line("symbolic-ref", "--quiet", "--short", "HEAD")
        if branch is None or branch == self.base_branch or self._is_in_the_middle():
            return None
        head = await self.plumbing.line("rev-parse", "--verify", "--quiet", f"{_HEADS}{branch}")
        if head is None or not await self._is_on_remote(branch, head):
            return None
        return branch, await self.plumbing.tip(head, below=self.site.folder)

    async def publish(self, branch: str, tip: Tip, commit: str, *, blobs: Mapping[str, str]) -> bool:
        """Move the branch to the commit and push it; False, with everything as it was, where somebody was faster."""
        before = await self.plumbing.index_entries(tuple(blobs))
        try:
            await self.plumbing.put_into_index(blobs)
        except Unavailable:  # somebody else is at the index now
            return False
        ref = f"{_HEADS}{branch}"
        try:
            await self.plumbing.run("update-ref", "-m", "orchestrate: state", ref, commit, tip.commit)
        except Unavailable:
            return False
        try:
            await self.plumbing.run("push", "--quiet", "--no-verify", "--", self.site.remote, f"{commit}:{ref}")
        except ServiceError as error:
            await self._take_back(ref, tip, commit, blobs=blobs, before=before)
            if error.code == OVERTAKEN:
                return False
            raise
        return True

    async def _take_back(
        self, ref: str, tip: Tip, commit: str, *, blobs: Mapping[str, str], before: Mapping[str, str]
    ) -> None:
        """As it was; a user who has committed on top keeps everything."""
        with suppress(Unavailable):
            await self.plumbing.run("update-ref", "-m", "orchestrate: not pushed", ref, tip.commit, commit)
            new = [path for path in blobs if path not in before]
            await self.plumbing.put_into_index(before, removed=new)

    def _is_in_the_middle(self) -> bool:
        return any((self.site.git_dir / name).exists() for name in _IN_THE_MIDDLE)

    async def _is_on_remote(self, branch: str, head: str) -> bool:
        """True if a push of this head pushes nobody's commits."""
        listed = await self.plumbing.run("ls-remote", "--heads", "--", self.site.remote)
        pairs = (line.partition("\t") for line in listed.splitlines())
        there = {ref.removeprefix(_HEADS): sha for sha, _, ref in pairs}
        if branch not in there:
            return head in there.values()
        return there[branch] == head or await self._is_ahead_by_states(there[branch], head)

    async def _is_ahead_by_states(self, theirs: str, head: str) -> bool:
        """True for states that a crash kept from being pushed."""
        is_behind = await self.plumbing.line("merge-base", "--is-ancestor", theirs, head) is not None
        subjects = await self.plumbing.line("log", "--format=%s", f"{theirs}..{head}") if is_behind else None
        return bool(subjects) and all(line.startswith(SUBJECT) for line in (subjects or "").splitlines())
