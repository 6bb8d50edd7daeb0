"""The create request of a launch: the prompt with what upstream tasks handed off, and what the service needs beside it."""

from dataclasses import dataclass, replace

import orjson

from orchestrate.core.branches import has_real_branch, names_branch
from orchestrate.engine.off_loop import off_loop_if_large
from orchestrate.errors import InputRefused
from orchestrate.model.catalogue import ANY_MODEL, Catalogue
from orchestrate.model.grants import Grant, tag_of
from orchestrate.model.model_choice import Chosen, NoModel, choose
from orchestrate.model.names import AgentId, WorkspaceId, agent_name
from orchestrate.model.plan import Plan, Task
from orchestrate.model.rows import Launch, TaskRow
from orchestrate.model.vocabulary import TaskType
from orchestrate.model.wire import (
    METADATA_ATTEMPT,
    METADATA_DEPTH,
    METADATA_GRANT,
    METADATA_KEY,
    METADATA_MAY_LAUNCH,
    METADATA_MODEL,
    METADATA_PARENT,
    METADATA_ROOT,
    METADATA_TASK,
    METADATA_WORKSPACE,
    CreateAgent,
    Environment,
    LocalAgent,
    ModelChoice,
    ModelParameter,
    Prompt,
    Repo,
)
from orchestrate.ports import Archive
from orchestrate.text.prompts import DEFAULT_INSTALL, PromptContext, Upstream, render_prompt
from orchestrate.text.redaction import Redactor
from orchestrate.text.templates import Templates

#: Tells an agent's own tools how deep it is; they refuse to delegate from inside.
DEPTH_VARIABLE = "ORCHESTRATE_AGENT_DEPTH"


#: Tells the engine of a subplanner which agent it runs in, whatever the plan there says.
PLANNER_VARIABLE = "ORCHESTRATE_PLANNER_ID"


@dataclass(frozen=True, slots=True)
class RequestOptions:
    """What a request needs beside plan and row."""

    #: The repository as the service is told it.
    repo_url: str
    #: The agent program; None in the cloud.
    local_agent: LocalAgent | None = None
    #: How deep this engine is in the tree of planners.
    depth: int = 0
    #: The models of the service: names are read against it, and planners choose from it.
    catalogue: Catalogue = ANY_MODEL
    #: How a planner installs this engine where it runs.
    install: str = DEFAULT_INSTALL
    #: The most bytes of a prompt that the service takes; None where nobody knows.
    prompt_limit: int | None = None


class RequestWriter:
    """Makes the bytes of create requests."""

    def __init__(
        self,
        plan: Plan,
        *,
        workspace_id: WorkspaceId,
        templates: Templates,
        archive: Archive,
        options: RequestOptions,
        redactor: Redactor | None = None,
    ) -> None:
        self._plan = plan
        self._workspace_id = workspace_id
        self._templates = templates
        self._archive = archive
        self._options = options
        self._redactor = redactor or Redactor()

    def under(self, plan: Plan | None) -> "RequestWriter":
        """The writer for the plan in force; None for the one that it was made with."""
        if plan is None or plan is self._plan:
            return self
        return RequestWriter(
            plan,
            workspace_id=self._workspace_id,
            templates=self._templates,
            archive=self._archive,
            options=self._options,
            redactor=self._redactor,
        )

    async def render(self, row: TaskRow, upstream: tuple[TaskRow, ...]) -> bytes:
        """The whole request of this row's intent; InputRefused when its prompt cannot be rendered."""
        task = self._plan.task(row.name)
        upstreams = tuple([await self._upstream(before) for before in upstream])
        size = sum(len(each.handoff_text) for each in upstreams)
        return await off_loop_if_large(lambda: self._rendered(task, row, upstreams), size=size)

    def _rendered(self, task: Task, row: TaskRow, upstreams: tuple[Upstream, ...]) -> bytes:
        redact = self._redactor.redact  # a handoff of another engine may hold what ours would have taken out
        safe = tuple(replace(each, handoff_text=redact(each.handoff_text)) for each in upstreams)
        prompt = self._prompt(task, row, safe)
        return self._request(task, row, prompt).model_dump_json(by_alias=True, exclude_none=True).encode()

    def _prompt(self, task: Task, row: TaskRow, upstreams: tuple[Upstream, ...]) -> str:
        own, parent = _intent(row).agent_id, self._plan.self_agent_id
        context = PromptContext(
            starting_ref=row.starting_ref,
            agent_id=own,
            parent_agent_id=None if parent is None else AgentId(parent),
            depth=self._options.depth + 1,
            upstreams=upstreams,
            models=self._options.catalogue.ids,
            install=self._options.install,
            repo_url=self._options.repo_url,
            runtime=_runtime_below(self._options.local_agent),
        )
        prompt = render_prompt(self._templates, plan=self._plan, task=task, context=context)
        limit = self._options.prompt_limit
        if limit is not None and len(prompt.encode(errors="replace")) > limit:
            raise InputRefused(f"the prompt is larger than the {limit:,} bytes that the service takes")
        return prompt

    async def _upstream(self, row: TaskRow) -> Upstream:
        is_there = None if row.on_remote is None else row.on_remote.is_there
        return Upstream(
            task=row.name,
            branch=row.branch if has_real_branch(self._plan, row) else None,
            status=row.handoff_status,
            handoff_text=await self._archive.read_handoff(row.name) or "",
            pr_number=row.pr_number,
            verification=row.verification if row.verdicts else row.self_report,
            whole_text=row.handoff_path,
            head_sha=row.head_sha if is_there else None,
            missing_branch=row.branch if is_there is False and names_branch(self._plan, row) else None,
        )

    def _request(self, task: Task, row: TaskRow, prompt: str) -> CreateAgent:
        intent, chosen = _intent(row), _chosen(self._plan, task, self._options.catalogue)
        return CreateAgent(
            agent_id=intent.agent_id,
            prompt=Prompt(text=prompt),
            model=_model(chosen),
            name=agent_name(self._plan.root_slug, row.name),
            repos=(Repo(url=self._options.repo_url, starting_ref=row.starting_ref),),
            env=_environment(self._plan, task),
            run_env_vars=self._variables(task, intent),
            metadata=self._metadata(task, row, chosen),
            auto_create_pr=task.open_pr and task.type == TaskType.WORKER,
            local_agent=self._options.local_agent,
        )

    def _variables(self, task: Task, intent: Launch) -> dict[str, str]:
        """What the agent's own tools read of where they are."""
        variables = {DEPTH_VARIABLE: str(self._options.depth + 1)}
        if task.type == TaskType.SUBPLANNER:
            variables[PLANNER_VARIABLE] = intent.agent_id
        return variables

    def _metadata(self, task: Task, row: TaskRow, chosen: Chosen) -> dict[str, str]:
        intent = _intent(row)
        metadata = {
            METADATA_WORKSPACE: self._workspace_id,
            METADATA_ROOT: self._plan.root_slug,
            METADATA_TASK: task.name,
            METADATA_ATTEMPT: str(intent.attempt),
            METADATA_PARENT: self._plan.self_agent_id or "",
            METADATA_DEPTH: str(self._options.depth + 1),
            METADATA_KEY: intent.idempotency_key,
            METADATA_MODEL: _other_name(chosen),
        }
        if task.type == TaskType.SUBPLANNER:
            metadata[METADATA_MAY_LAUNCH] = "true"
            metadata[METADATA_GRANT] = tag_of(_granted(row))
        return {name: value for name, value in metadata.items() if value}


def _runtime_below(agent: LocalAgent | None) -> str | None:
    """``runtime`` in the plans of subplanners: their agents are what they are; None in the cloud, which needs no word."""
    return None if agent is None else orjson.dumps({"kind": "local", "agent": agent.in_plan()}).decode()


def _granted(row: TaskRow) -> Grant:
    """What this attempt of a subplanner is given; nothing is bounded where the row keeps no share for it."""
    attempt = _intent(row).attempt
    return next((share.grant for share in row.shares if share.attempt == attempt), Grant())


def _intent(row: TaskRow) -> Launch:
    assert row.launch is not None, row
    return row.launch


def _chosen(plan: Plan, task: Task, catalogue: Catalogue) -> Chosen:
    """The task's model; InputRefused where the account has none of those that the plan names."""
    found = choose(plan, task, catalogue)
    if isinstance(found, NoModel):
        raise InputRefused(found.words(), hint=found.hint)
    return found


def _other_name(chosen: Chosen) -> str:
    """The plan's word for the model, where the request says another; empty where it says the same, or none."""
    return "" if chosen.selection is None or chosen.selection.id == chosen.named else chosen.named


def _model(chosen: Chosen) -> ModelChoice | None:
    selection = chosen.selection
    if selection is None:
        return None
    params = tuple(ModelParameter(id=each.id, value=each.value) for each in selection.params)
    return ModelChoice(id=selection.id, params=params or None)


def _environment(plan: Plan, task: Task) -> Environment | None:
    chosen = task.env or plan.env
    return None if chosen is None else Environment(type=chosen.type, name=chosen.name)
