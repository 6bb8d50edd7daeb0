"""What the server keeps of agents and runs, and how that looks on the wire."""

from collections.abc import Mapping
from dataclasses import dataclass

from orchestrate.model.names import AgentId, RunId, Timestamp
from orchestrate.model.vocabulary import AgentStatus, RunStatus


@dataclass(frozen=True, slots=True)
class AgentRecord:
    """An agent, as its table row has it."""

    id: AgentId
    #: Ids from the eldest ancestor down to the agent itself, each between slashes: ``/bc-a/bc-b/``.
    lineage: str
    runner: str
    created_at: Timestamp
    latest_run_id: RunId
    #: The part of the answer that never changes: name, env, repos, autoCreatePR, metadata.
    profile: Mapping[str, object]
    #: The bytes of the create request.
    request: bytes
    #: What the runner found out before the agent was admitted: the commit to start from, the branch.
    placement: Mapping[str, str]
    #: What its runs pushed, the latest first, as it looks on the wire.
    branches: tuple[Mapping[str, str], ...] = ()
    archived_at: Timestamp | None = None
    #: When somebody last archived or unarchived it.
    touched_at: Timestamp | None = None
    #: Rises with every agent of the server; orders lists.
    number: int = 0

    @property
    def depth(self) -> int:
        """How many agents stand above this one."""
        return self.lineage.count("/") - 2


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run, as its table row has it."""

    id: RunId
    agent_id: AgentId
    #: Which runner carries it out.
    runner: str
    status: RunStatus
    created_at: Timestamp
    updated_at: Timestamp
    #: None as long as nothing was started.
    started_at: Timestamp | None = None
    duration_ms: float | None = None
    #: The reply, where it is no spool file.
    reply: str | None = None
    error_message: str | None = None
    error_code: str | None = None
    branch: str | None = None
    repo_url: str | None = None
    #: Sizes of the spool files at the end: what a leftover process adds later is no part of the run.
    stdout_bytes: int = 0
    stderr_bytes: int = 0
    cancel_requested: bool = False
    #: The bytes of the follow-up request; None for an agent's first run.
    request: bytes | None = None
    #: What the agent program reported of its usage, as it looks on the wire; None if it reported nothing.
    usage: Mapping[str, object] | None = None
    #: The agent's branches, over all its runs.
    branches: tuple[Mapping[str, str], ...] = ()
    #: Rises with every run of the server; orders lists.
    number: int = 0


def with_branch(
    known: tuple[Mapping[str, str], ...], *, repo_url: str | None, branch: str | None
) -> tuple[Mapping[str, str], ...]:
    """An agent's branches once another of its runs has ended, the latest first."""
    if repo_url is None:
        return known
    if branch is None:
        return known or ({"repoUrl": repo_url},)
    entry = {"repoUrl": repo_url, "branch": branch}
    return (entry, *(other for other in known if "branch" in other and other != entry))


def agent_answer(agent: AgentRecord, *, latest: RunRecord | None) -> dict[str, object]:
    """The agent on the wire."""
    return {
        "id": agent.id,
        **agent.profile,
        "status": _agent_status(agent, latest),
        "url": f"local:{agent.id}",
        "createdAt": agent.created_at,
        "updatedAt": last_change(agent, latest=latest),
        "latestRunId": agent.latest_run_id,
    }


def last_change(agent: AgentRecord, *, latest: RunRecord | None) -> Timestamp:
    """When the agent or its latest run last changed."""
    return max(
        agent.created_at, agent.touched_at or agent.created_at, latest.updated_at if latest else agent.created_at
    )


def run_answer(run: RunRecord, *, reply: str | None) -> dict[str, object]:
    """The run on the wire; what is not known yet is left out."""
    answer: dict[str, object] = {
        "id": run.id,
        "agentId": run.agent_id,
        "status": run.status,
        "createdAt": run.created_at,
        "updatedAt": run.updated_at,
    }
    return answer | outcome_answer(run, reply=reply)


def outcome_answer(run: RunRecord, *, reply: str | None) -> dict[str, object]:
    """How the run ended, as far as it has; shared by the run and the stream's last frame."""
    outcome: dict[str, object] = {}
    if run.duration_ms is not None:
        outcome["durationMs"] = run.duration_ms
    if reply is not None:
        outcome["result"] = reply
    if run.error_message is not None:
        outcome["error"] = {"message": run.error_message, "code": run.error_code or "unknown"}
    if run.branches:
        outcome["git"] = {"branches": run.branches}
    return outcome


def _agent_status(agent: AgentRecord, latest: RunRecord | None) -> AgentStatus:
    if agent.archived_at is not None:
        return AgentStatus.ARCHIVED
    busy = latest is not None and not latest.status.is_terminal
    return AgentStatus.ACTIVE if busy else AgentStatus.IDLE
