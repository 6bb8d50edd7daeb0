"""One branch of the plan's repository that nobody checks out: fetched, and moved on without a checkout."""

from dataclasses import dataclass

from orchestrate.errors import ServiceError
from orchestrate.repo.git import OVERTAKEN
from orchestrate.repo.plumbing import Plumbing
from orchestrate.repo.site import Site

_HEADS = "refs/heads/"
QUIETLY = (
    "--quiet",
    "--no-tags",
    "--no-recurse-submodules",
    "--no-write-fetch-head",
    "--no-auto-maintenance",
    "--refmap=",
)


@dataclass(frozen=True, slots=True)
class RemoteBranch:
    """The branch, seen from a clone."""

    plumbing: Plumbing
    site: Site
    name: str

    @property
    def ref(self) -> str:
        """Its full name."""
        return f"{_HEADS}{self.name}"

    async def commit(self) -> str | None:
        """Its commit on the remote; None if there is no such branch."""
        listed = await self.plumbing.run("ls-remote", "--", self.site.remote, self.ref)
        ends = f"\t{self.ref}"
        return next((line.partition("\t")[0] for line in listed.splitlines() if line.endswith(ends)), None)

    async def fetched(self) -> str | None:
        """The same, with all objects."""
        commit = await self.commit()
        if commit is not None and not self.site.is_itself:
            await self.plumbing.run("fetch", *QUIETLY, "--", self.site.remote, self.ref)
        return commit

    async def is_moved(self, commit: str, *, before: str | None) -> bool:
        """It moved from there to this commit, on the remote; False where somebody was faster."""
        if self.site.is_itself:
            return await self.plumbing.line("update-ref", self.ref, commit, before or "") is not None
        try:
            await self.plumbing.run("push", "--quiet", "--no-verify", "--", self.site.remote, f"{commit}:{self.ref}")
        except ServiceError as error:
            if error.code == OVERTAKEN:
                return False
            raise
        return True
