"""The wire contract of the Cloud Agents API v1, shared by our client and our server.

Unknown fields of answers are ignored and optional ones may be missing: the service grows. Requests are strict.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from orchestrate.model.vocabulary import AgentStatus, RunStatus

#: Metadata keys of our launches; they come back on get and list.
METADATA_WORKSPACE = "orchestrateWorkspace"
METADATA_ROOT = "orchestrateRoot"
METADATA_TASK = "orchestrateTask"
METADATA_ATTEMPT = "orchestrateAttempt"
METADATA_PARENT = "orchestrateParent"
METADATA_DEPTH = "orchestrateDepth"
METADATA_KEY = "orchestrateKey"
#: What a root planner was kicked off for, as a digest.
METADATA_GOAL = "orchestrateGoal"
#: The model as the plan names it, where the request has another name for it: an alias, or a default.
METADATA_MODEL = "orchestrateModel"
#: ``"true"`` on an agent that may launch agents of its own: our server gives it a token for its subtree.
METADATA_MAY_LAUNCH = "orchestrateMayLaunch"
#: What a planner may take for agents of its own, as ``model.grants`` writes it.
METADATA_GRANT = "orchestrateGrant"

IDEMPOTENCY_HEADER = "Idempotency-Key"
REQUEST_ID_HEADER = "x-request-id"
#: Our server only: values of ``passEnv`` names, base64 of a JSON object; never written to disk by the engine.
PASS_ENV_HEADER = "X-Orchestrate-Pass-Env"  # noqa: S105  a header's name, no secret
#: The largest request that our server reads.
BODY_BYTES = 8 * 1024 * 1024


class WireModel(BaseModel):
    """An answer of the service: camelCase on the wire, unknown fields ignored."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore", frozen=True)


class RequestModel(BaseModel):
    """A request to the service: camelCase on the wire, unknown fields refused."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True)


class BranchInfo(WireModel):
    """A branch that a run pushed; ``branch`` absent means "not known yet"."""

    repo_url: str = ""
    branch: str | None = None
    pr_url: str | None = None


class GitInfo(WireModel):
    """What the service knows of an agent's branches."""

    branches: tuple[BranchInfo, ...] = ()


class RunError(WireModel):
    """Why a run ended in error."""

    message: str = ""
    code: str | None = None


class Run(WireModel):
    """One execution of one prompt."""

    id: str
    agent_id: str
    request_id: str | None = None
    status: RunStatus
    created_at: str
    updated_at: str
    duration_ms: float | None = None
    result: str | None = None
    error: RunError | None = None
    git: GitInfo | None = None


class Repo(RequestModel):
    """A repository that an agent works on."""

    model_config = ConfigDict(extra="ignore")

    url: str
    starting_ref: str | None = None
    pr_url: str | None = None


class Environment(RequestModel):
    """Where an agent runs."""

    model_config = ConfigDict(extra="ignore")

    type: Literal["cloud", "pool", "machine"] = "cloud"
    name: str | None = None


class Agent(WireModel):
    """A durable unit of work on one or more repositories."""

    id: str
    name: str | None = None
    status: AgentStatus
    env: Environment | None = None
    repos: tuple[Repo, ...] | None = None
    auto_create_pr: Annotated[bool | None, Field(alias="autoCreatePR")] = None
    metadata: dict[str, str] | None = None
    url: str = ""
    created_at: str = ""
    updated_at: str = ""
    latest_run_id: str | None = None


class Created(WireModel):
    """The answer to create agent."""

    agent: Agent
    run: Run


class RunPage(WireModel):
    """A page of an agent's runs."""

    items: tuple[Run, ...]
    next_cursor: str | None = None


class AgentPage(WireModel):
    """A page of the agents that a key reaches, newest first."""

    items: tuple[Agent, ...]
    next_cursor: str | None = None


class RunCreated(WireModel):
    """The answer to create run."""

    run: Run


class Artifact(WireModel):
    """A file that an agent left for people; ``path`` is what a download is asked for by."""

    path: str
    size_bytes: int
    updated_at: str = ""


class ArtifactPage(WireModel):
    """An agent's artifacts."""

    items: tuple[Artifact, ...]


class ArtifactLink(WireModel):
    """Where an artifact can be fetched for a short while, without a key."""

    url: str
    expires_at: str


class TokenUsage(WireModel):
    """Tokens; what is absent is not known, never none."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    total_tokens: int | None = None


class Cost(WireModel):
    """Cents; what is absent is not known yet, never nothing."""

    raw_cost_cents: float | None = None
    charged_cents: float | None = None


class RunUsage(WireModel):
    """What one run took."""

    id: str
    usage_uuid: str | None = None
    usage: TokenUsage = TokenUsage()
    cost: Cost | None = None


class AgentUsage(WireModel):
    """What an agent took, over its runs."""

    total_usage: TokenUsage = TokenUsage()
    cost: Cost | None = None
    runs: tuple[RunUsage, ...] = ()


class Repository(WireModel):
    """A repository that a key reaches."""

    url: str


class RepositoryPage(WireModel):
    """All repositories that a key reaches."""

    items: tuple[Repository, ...]


class SettingValue(WireModel):
    """One value that a setting of a model may have."""

    value: str
    display_name: str = ""


class ModelSetting(WireModel):
    """A setting of a model; one without values may have any."""

    id: str
    display_name: str = ""
    values: tuple[SettingValue, ...] = ()


class Model(WireModel):
    """A model of the catalogue."""

    id: str
    display_name: str = ""
    description: str | None = None
    aliases: tuple[str, ...] = ()
    parameters: tuple[ModelSetting, ...] = ()


class ModelPage(WireModel):
    """The catalogue of models."""

    items: tuple[Model, ...]


class Me(WireModel):
    """Whose key it is."""

    api_key_name: str
    user_id: str | int | None = None
    user_email: str | None = None
    user_first_name: str | None = None
    user_last_name: str | None = None
    created_at: str = ""


class Prompt(RequestModel):
    """What an agent is told."""

    text: str
    images: tuple[dict[str, object], ...] | None = None


class ModelParameter(RequestModel):
    """One setting of a model."""

    id: str
    value: str


class ModelChoice(RequestModel):
    """The model that an agent uses."""

    id: str
    params: tuple[ModelParameter, ...] | None = None


class LocalAgent(RequestModel):
    """Our server only: the agent program of this agent.

    ``command`` is an argv, run without a shell, for the runner ``command``; the other runners are built in and need
    none. ``pass_env`` are names of environment variables; their values come in a header.
    """

    command: tuple[str, ...] = ()
    runner: Literal["command", "scripted", "null"] = "command"
    prompt_via: Literal["stdin", "file"] = "stdin"
    pass_env: tuple[str, ...] = ()
    timeout_sec: float | None = None

    def in_plan(self) -> dict[str, object]:
        """The same as ``runtime.agent`` of a plan; what goes without saying is left out."""
        named: dict[str, object] = {"command": self.command} if self.runner == "command" else {"name": self.runner}
        habits = {"promptVia": self.prompt_via, "passEnv": self.pass_env, "timeoutSec": self.timeout_sec}
        unsaid = {"promptVia": "stdin", "passEnv": (), "timeoutSec": None}
        return named | {field: value for field, value in habits.items() if value != unsaid[field]}


class CreateAgent(RequestModel):
    """The body of create agent."""

    agent_id: str | None = None
    prompt: Prompt
    model: ModelChoice | None = None
    name: str | None = None
    repos: tuple[Repo, ...] | None = None
    env: Environment | None = None
    env_vars: dict[str, str] | None = None
    run_env_vars: dict[str, str] | None = None
    metadata: dict[str, str] | None = None
    mcp_servers: tuple[dict[str, object], ...] | None = None
    custom_subagents: tuple[dict[str, object], ...] | dict[str, object] | None = None
    work_on_current_branch: bool | None = None
    auto_create_pr: Annotated[bool | None, Field(alias="autoCreatePR")] = None
    open_as_cursor_github_app: bool | None = None
    skip_reviewer_request: bool | None = None
    mode: Literal["agent", "plan"] | None = None
    local_agent: LocalAgent | None = None


class CreateRun(RequestModel):
    """The body of create run: a follow-up to an agent that is not at work."""

    prompt: Prompt
    model: ModelChoice | None = None
    mcp_servers: tuple[dict[str, object], ...] | None = None
    env_vars: dict[str, str] | None = None
    mode: Literal["agent", "plan"] | None = None


class ErrorBody(WireModel):
    """What an error answer says."""

    code: str = ""
    message: str = ""
    help_url: str | None = None
    provider: str | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """One item of a run's stream; ``id`` is what resumes after it, None before the first."""

    id: str | None
    event: str
    #: The payload; empty where there is none or it could not be read.
    data: Mapping[str, object] = field(default_factory=dict)
