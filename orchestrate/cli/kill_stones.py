"""The tombstones of a kill: in every workspace of the tree that lies here, and beside the states that lie on git."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from orchestrate.cli.grown import Grown
from orchestrate.cli.kill_census import KillCensus
from orchestrate.errors import OrchestrateError
from orchestrate.model.names import WorkspaceId
from orchestrate.model.stops import Stop
from orchestrate.repo.state_branches import STATE_BRANCHES, state_branch
from orchestrate.repo.tombstones import GitTombstone
from orchestrate.store.loading import workspace_folder
from orchestrate.store.tombstone import write_stop


@dataclass(slots=True)
class Stones:
    """Where a tombstone stands, and where none could be put."""

    folders: list[str] = field(default_factory=list)
    refs: list[str] = field(default_factory=list)
    #: Why, by branch or folder.
    missing: dict[str, str] = field(default_factory=dict)

    def document(self) -> dict[str, object]:
        """For ``--json``; nothing before any was put."""
        fields: dict[str, object] = {}
        if self.folders or self.refs:
            fields["stopped"] = [*self.folders, *self.refs]
        if self.missing:
            fields["notStopped"] = [{"place": place, "reason": why} for place, why in self.missing.items()]
        return fields


async def stones_laid(census: KillCensus, stop: Stop) -> Stones:
    """Put them up, parents first: here at once, then on git, where a failure is told and holds nothing up."""
    stones = Stones()
    for place in census.places:
        write_stop(workspace_folder(place.folder), stop)
        stones.folders.append(str(place.folder))
    if census.files is None:
        return stones
    site = census.files.site
    for slug, workspace in dict(_published(census)).items():
        tombstone = GitTombstone(census.git, site, slug=slug, workspace=workspace)
        try:
            await tombstone.put(replace(stop, workspace=workspace))
        except OrchestrateError as error:
            stones.missing[tombstone.ref] = error.message
        else:
            stones.refs.append(tombstone.ref)
    return stones


def _published(census: KillCensus) -> Iterator[tuple[str, WorkspaceId | None]]:
    """Workspaces whose engines look at a branch of states; those of planners on their own branches end with their agents."""
    heads = {} if census.files is None else census.files.heads
    target = census.target
    for place in census.places[:1] if target.below is None else ():
        workspace = place.loaded.workspace
        if workspace is not None and state_branch(workspace.root_slug) in heads:
            yield workspace.root_slug, workspace.workspace_id
    for each in census.pushed:
        if each.owner is None and target.top is not None:
            continue
        if each.owner is None or _is_on_state_branch(each):
            yield each.picture.slug, each.crew.workspace


def _is_on_state_branch(grown: Grown) -> bool:
    return grown.origin is not None and grown.origin.branch.startswith(STATE_BRANCHES)
