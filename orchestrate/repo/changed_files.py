"""Which files the branches of one repository changed."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from orchestrate.repo.differences import difference
from orchestrate.repo.git import Git


@dataclass(frozen=True, slots=True)
class RemoteDifferences:
    """Asks the remote; each question fetches into a repository of its own that is removed again."""

    git: Git
    url: str
    #: A folder of the user's: if it is in a clone of the same repository, its objects are not fetched again.
    clone: Path | None = None

    async def changed_files(self, *, branch: str, start: str) -> Sequence[str]:
        """Every file that the branch changed since it left ``start``; ServiceError where nobody can tell."""
        async with difference(self.git, self.url, branch=branch, start=start, clone=self.clone) as found:
            return await found.files()
