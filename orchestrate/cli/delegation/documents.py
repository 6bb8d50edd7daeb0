"""Agents and runs as fields of an answer; what the service has not said yet is left out."""

from orchestrate.cli.delegation.contract import present
from orchestrate.model.wire import METADATA_KEY, Agent, AgentUsage, BranchInfo, Cost, Run
from orchestrate.store.delegation_records import Delegation
from orchestrate.text.redaction import Redactor

#: Of a reply that stands in an answer; the whole of it is in the agent's own page.
_REPLY_CHARACTERS = 100_000


def agent_fields(agent: Agent) -> dict[str, object]:
    """The agent as the service has it."""
    repos = agent.repos or ()
    return present(
        {
            "agentId": agent.id,
            "name": agent.name,
            "agentStatus": agent.status.value,
            "repo": repos[0].url if repos else None,
            "ref": repos[0].starting_ref if repos else None,
            "url": agent.url or None,
            "createdAt": agent.created_at or None,
            "updatedAt": agent.updated_at or None,
            "latestRunId": agent.latest_run_id,
            "idempotencyKey": (agent.metadata or {}).get(METADATA_KEY),
        }
    )


def run_fields(run: Run) -> dict[str, object]:
    """The run as the service has it, with what it pushed as far as that is known."""
    error = None if run.error is None else present({"message": run.error.message, "code": run.error.code})
    return present(
        {
            "runId": run.id,
            "status": run.status.value,
            "isOver": run.status.is_terminal,
            "runCreatedAt": run.created_at or None,
            "runUpdatedAt": run.updated_at or None,
            "durationMs": run.duration_ms,
            "reply": None if run.result is None else _reply(run.result),
            "runError": error,
            **branch_fields(run),
        }
    )


def _reply(text: str) -> str:
    """What the agent said, without what has the shape of a secret."""
    return Redactor(()).redact(text[:_REPLY_CHARACTERS])


def branch_fields(run: Run) -> dict[str, object]:
    """``targetBranch`` and ``pullRequestUrl``, each only once the service has it."""
    branches: tuple[BranchInfo, ...] = () if run.git is None else run.git.branches
    return present(
        {
            "targetBranch": next((each.branch for each in branches if each.branch), None),
            "pullRequestUrl": next((each.pr_url for each in branches if each.pr_url), None),
        }
    )


def record_fields(record: Delegation) -> dict[str, object]:
    """What is kept here of an agent."""
    return present(
        {
            "idempotencyKey": record.key,
            "kind": record.kind.value,
            "phase": record.phase.value,
            "agentId": record.agent_id,
            "runId": record.run_id,
            "status": record.status,
            "runtime": record.runtime,
            "repo": record.repo,
            "ref": record.ref,
            "model": record.model,
            "name": record.name,
            "promptDigest": record.prompt_digest,
            "at": record.at,
            "updatedAt": record.updated_at,
        }
    )


def usage_fields(usage: AgentUsage) -> dict[str, object]:
    """Tokens and cents; a cost that is not there is not known yet, never nothing."""
    tokens = usage.total_usage.model_dump(by_alias=True, exclude_none=True)
    return present(
        {
            "tokens": tokens or None,
            "cost": _cost(usage.cost),
            "runs": [
                present(
                    {
                        "runId": run.id,
                        "tokens": run.usage.model_dump(by_alias=True, exclude_none=True) or None,
                        "cost": _cost(run.cost),
                    }
                )
                for run in usage.runs
            ],
        }
    )


def _cost(cost: Cost | None) -> dict[str, object] | None:
    return None if cost is None else (cost.model_dump(by_alias=True, exclude_none=True) or None)
