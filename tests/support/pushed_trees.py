"""Trees of planners as they stand on a remote: states on branches, written without any engine.

::

    tree = PushedTree(make_remote(tmp_path / "remote.git"))
    tree.push("orch-state/shop", "shop", [planner("sub", branch="cursor/sub-1")])
    tree.push("cursor/sub-1", "sub", [a_running_row("leaf")], of=agent_of("sub"))
"""

import json
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from orchestrate.model.names import WorkspaceId, agent_id_for
from orchestrate.model.row_format import encode_row
from orchestrate.model.rows import TaskRow, Workspace
from orchestrate.model.states import encode_state
from orchestrate.model.vocabulary import TaskType
from tests.support.builders import a_running_row
from tests.support.repositories import Remote, git


def workspace_of(slug: str) -> WorkspaceId:
    """The id of the one workspace of this slug."""
    return WorkspaceId(str(uuid.uuid5(uuid.NAMESPACE_URL, slug)))


def agent_in(slug: str, task: str, attempt: int = 1) -> str:
    """The agent of this workspace's task."""
    return agent_id_for(workspace_of(slug), task, attempt)


def planner(slug: str, name: str, **fields: object) -> TaskRow:
    """A running subplanner of this workspace."""
    return a_running_row(name, type=TaskType.SUBPLANNER, agent_id=agent_in(slug, name), **fields)


def worker(slug: str, name: str, **fields: object) -> TaskRow:
    """A running worker of this workspace."""
    return a_running_row(name, agent_id=agent_in(slug, name), **fields)


def state_of(slug: str, rows: Iterable[TaskRow], *, seq: int = 1) -> bytes:
    """A state as an engine publishes it."""
    encoded = [encode_row(row) for row in rows]
    return encode_state(
        Workspace(workspace_of(slug), slug), rows=encoded, attention=(), journal_seq=seq, journal_offset=0
    )


@dataclass(frozen=True)
class PushedTree:
    """A remote with states on it."""

    remote: Remote

    def push(
        self, branch: str, slug: str, rows: Iterable[TaskRow], *, of: str | None = None, seq: int = 1, **plan: object
    ) -> None:
        """A workspace's state and plan; ``of`` is the planner's agent."""
        rows = [replace(row, parent_agent_id=of) if of and row.agent_id else row for row in rows]
        document = {
            "goal": "g",
            "rootSlug": slug,
            "baseBranch": "main",
            "repoUrl": self.remote.url,
            "tasks": [{"name": row.name, "type": row.type, "scopedGoal": "x"} for row in rows],
            **({} if of is None else {"selfAgentId": of}),
            **plan,
        }
        folder = f".orchestrate/{slug}"
        files = {f"{folder}/state.json": state_of(slug, rows, seq=seq), f"{folder}/plan.json": json.dumps(document)}
        self.put(branch, files)

    def put(self, branch: str, files: Mapping[str, str | bytes], *, links: Mapping[str, str] | None = None) -> None:
        """A commit with these files, and symlinks, on what the branch has."""
        work = self.remote.path.parent / "push-work"
        if not work.exists():
            git("clone", "--quiet", self.remote.url, str(work), at=self.remote.path.parent)
        git("fetch", "--quiet", "origin", at=work)
        start = f"origin/{branch}" if branch in self.remote.heads() else "origin/main"
        git("checkout", "--quiet", "-B", branch, start, at=work)
        for name, text in files.items():
            path = work / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        for name, target in (links or {}).items():
            (work / name).parent.mkdir(parents=True, exist_ok=True)
            (work / name).symlink_to(target)
        git("add", "--all", "--force", at=work)
        git("commit", "--quiet", "--allow-empty", "--message", "state", at=work)
        git("push", "--quiet", "origin", f"HEAD:refs/heads/{branch}", at=work)
