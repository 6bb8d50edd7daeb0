"""Which branches a remote has: one question for many of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from orchestrate.model.names import is_valid_ref
from orchestrate.repo.git import Git

#: Names in one call; so many fit into any system's limit for arguments.
_MOST_IN_A_CALL = 500


@dataclass(frozen=True, slots=True)
class RemoteHeads:
    """Asks the remote; what cannot be the name of a branch is not there."""

    git: Git
    url: str

    async def heads(self, names: Sequence[str]) -> Mapping[str, str]:
        """Those of these branches that are there, with their commits; ServiceError where nobody can tell."""
        sound = sorted({name for name in names if is_valid_ref(name)})
        found: dict[str, str] = {}
        for first in range(0, len(sound), _MOST_IN_A_CALL):
            found |= await self.git.remote_heads(self.url, sound[first : first + _MOST_IN_A_CALL])
        return found
