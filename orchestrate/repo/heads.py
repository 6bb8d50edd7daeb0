"""Which branches a remote has: one question for many of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from orchestrate.model.names import is_valid_ref
from orchestrate.repo.git import Git

#: Names that a call can bear: so many fit into any system's limit for arguments. The remote tells git of all its
#: branches in any case, so that for more of them all are asked for.
_MOST_IN_A_CALL = 500


@dataclass(frozen=True, slots=True)
class RemoteHeads:
    """Asks the remote; what cannot be the name of a branch is not there."""

    git: Git
    url: str

    async def heads(self, names: Sequence[str]) -> Mapping[str, str]:
        """Those of these branches that are there, with their commits; ServiceError where nobody can tell."""
        sound = sorted({name for name in names if is_valid_ref(name)})
        if not sound:
            return {}
        found = await self.git.remote_heads(self.url, sound if len(sound) <= _MOST_IN_A_CALL else ())
        return {name: found[name] for name in sound if name in found}
