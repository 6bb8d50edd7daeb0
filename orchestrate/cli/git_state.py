"""Whether a run keeps its state on git, and where."""

from collections.abc import Callable
from pathlib import Path

from orchestrate.model.plan import Plan
from orchestrate.repo.git import Git
from orchestrate.repo.site import NoSite, Site, site_of

#: A push of a state is small; git that takes longer is stuck.
PUSH_SECONDS = 60.0


async def state_site(
    git: Git, plan: Plan, *, folder: Path, repo_url: str, is_new: bool, tell: Callable[[str], None]
) -> Site | None:
    """Where the state is kept on git; None where it is not, which is told where it was asked for or is new."""
    if not plan.sync_state_to_git and plan.is_root:
        return None
    found = await site_of(git, folder, repo_url=repo_url)
    if not isinstance(found, NoSite):
        return found
    if is_new and plan.sync_state_to_git and "sync_state_to_git" in plan.model_fields_set:
        tell(f"the state is not kept on git: {found.reason}")
    return None
