"""Where an agent works and leaves things, from what is kept of it."""

from orchestrate.server.artifacts import ArtifactFolders
from orchestrate.server.clone_git import opened_clone
from orchestrate.server.clones import ARTIFACTS, Clone, branch_name
from orchestrate.server.git import Git, GitFailed
from orchestrate.server.records import AgentRecord
from orchestrate.server.state import StateFolder


def clone_of(agent: AgentRecord, folder: StateFolder) -> Clone | None:
    """The agent's clone, whether it is there now or not; None if the agent has no repository."""
    place = agent.placement
    if "url" not in place:
        return None
    return Clone(
        path=folder.clone(agent.id),
        url=place["url"],
        branch=branch_name(str(agent.profile["name"]), agent_id=agent.id),
        start=place["start"],
        protected=frozenset((place["startingRef"].removeprefix("refs/heads/"), place["defaultBranch"])),
    )


async def artifact_folders(git: Git, agent: AgentRecord, folder: StateFolder) -> ArtifactFolders:
    """Where the agent leaves files for people; what its repository had under that name before is no artifact."""
    clone = clone_of(agent, folder)
    in_clone = folder.clone(agent.id) / ARTIFACTS
    tracked: frozenset[str] = frozenset()
    if clone is not None and in_clone.exists():
        tracked = await _tracked(git, clone)
    return ArtifactFolders(own=folder.artifacts(agent.id), in_clone=in_clone, not_its_own=tracked)


async def _tracked(git: Git, clone: Clone) -> frozenset[str]:
    try:
        async with opened_clone(git, clone.path) as its_git:
            listing = await its_git.run("ls-tree", "-r", "-z", "--name-only", clone.start, "--", f"{ARTIFACTS}/")
    except GitFailed:
        return frozenset()
    return frozenset(filter(None, listing.split("\0")))
