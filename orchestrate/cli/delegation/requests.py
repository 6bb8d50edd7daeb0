"""The requests of delegations: the same job under the same key is the same bytes."""

from dataclasses import dataclass, field

from orchestrate.cli.delegation.input_checks import repository_key
from orchestrate.engine.requests import DEPTH_VARIABLE
from orchestrate.model.names import IdempotencyKey, Timestamp
from orchestrate.model.vocabulary import RuntimeKind
from orchestrate.model.wire import (
    METADATA_ATTEMPT,
    METADATA_DEPTH,
    METADATA_KEY,
    CreateAgent,
    CreateRun,
    LocalAgent,
    ModelChoice,
    Prompt,
    Repo,
)
from orchestrate.store.delegation_records import Delegation, Kind, Phase, agent_id_of, digest_of


@dataclass(frozen=True, slots=True)
class Job:
    """What one agent is to do, checked."""

    key: str
    repo: str
    prompt: str = field(repr=False)
    ref: str | None
    model: str | None
    name: str | None
    has_pull_request: bool
    max_active: int
    runtime: RuntimeKind
    #: How deep the agent will be.
    depth: int
    #: The agent program; local runtime only.
    agent: LocalAgent | None = None


def draft_of(job: Job, *, at: Timestamp, account: str) -> Delegation:
    """The record of this job before it is reserved."""
    return Delegation(
        key=IdempotencyKey(job.key),
        kind=Kind.DELEGATE,
        scope=repository_key(job.repo),
        agent_id=agent_id_of(job.key, generation=0, account=account),
        phase=Phase.RESERVED,
        at=at,
        updated_at=at,
        runtime=job.runtime.value,
        repo=job.repo,
        ref=job.ref,
        model=job.model,
        name=job.name,
        prompt_digest=digest_of(job.prompt),
        prompt_bytes=len(job.prompt.encode()),
    )


def create_body(job: Job, record: Delegation) -> bytes:
    """The create request."""
    request = CreateAgent(
        agent_id=record.agent_id,
        prompt=Prompt(text=job.prompt),
        model=None if job.model is None else ModelChoice(id=job.model),
        name=job.name,
        repos=(Repo(url=job.repo, starting_ref=job.ref),),
        run_env_vars={DEPTH_VARIABLE: str(job.depth)},
        metadata={
            METADATA_KEY: record.key,
            METADATA_ATTEMPT: str(record.generation + 1),
            METADATA_DEPTH: str(job.depth),
        },
        auto_create_pr=job.has_pull_request,
        local_agent=job.agent,
    )
    return request.model_dump_json(by_alias=True, exclude_none=True).encode()


def follow_up_body(prompt: str, *, model: str | None, depth: int) -> bytes:
    """The request for another run; what was for the first run alone is told again."""
    request = CreateRun(
        prompt=Prompt(text=prompt),
        model=None if model is None else ModelChoice(id=model),
        env_vars={DEPTH_VARIABLE: str(depth)},
    )
    return request.model_dump_json(by_alias=True, exclude_none=True).encode()
