"""Where a workspace's state is kept on git: the branch that is nobody's, and the folder there."""

STATE_BRANCHES = "orch-state/"
#: Where a workspace stands on its state's branch, whatever its folder is called here.
WORKSPACES = ".orchestrate/"


def state_branch(slug: str) -> str:
    """The branch that a workspace's state is published on."""
    return f"{STATE_BRANCHES}{slug}"
