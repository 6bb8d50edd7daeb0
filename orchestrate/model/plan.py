"""The plan: the task graph as ``plan.json`` has it, parsed once and never changed.

A plan made by ``model.checking.parse_plan`` is sound as a whole: names are unique, references resolve, there is
no cycle. In Python the attributes are snake_case, in the file camelCase.
"""

from collections.abc import Mapping
from functools import cached_property

from pydantic import Field, ValidationInfo, field_validator

from orchestrate.model.names import TaskName
from orchestrate.model.plan_fields import (
    Amount,
    Count,
    CountFromZero,
    Flag,
    NameText,
    Rank,
    Ref,
    Reference,
    RepositoryPath,
    SlugText,
    Text,
)
from orchestrate.model.plan_object import PlanObject
from orchestrate.model.plan_parts import (
    AgentProgram,
    Dispatcher,
    Environment,
    Limits,
    LineCountParser,
    Measurement,
    ModelInPlan,
    ModelParameter,
    ModelSelection,
    ModelsInPlan,
    Parser,
    RegexParser,
    Retry,
    Runtime,
    SlackRef,
)
from orchestrate.model.vocabulary import OnBlocked, OnUnstructured, RuntimeKind, TaskType

__all__ = [
    "AgentProgram",
    "Dispatcher",
    "Environment",
    "Limits",
    "LineCountParser",
    "Measurement",
    "ModelParameter",
    "ModelSelection",
    "Parser",
    "Plan",
    "RegexParser",
    "Retry",
    "Runtime",
    "SlackRef",
    "Task",
]


class Task(PlanObject):
    """One piece of work for one agent."""

    name: NameText = Field(
        description="Kebab-case name; part of the branch, of the agent's name and of file names.",
        examples=["fix-date-parsing"],
    )
    type: TaskType = Field(
        description="worker does the work, subplanner plans a subtree of its own, verifier checks another task.",
        examples=["worker"],
    )
    scoped_goal: Text = Field(
        description="What is to be true when the task is done; the agent steers by it.",
        examples=["Dates in ISO 8601 are parsed; the test suite is green."],
    )
    brief: str | None = Field(
        default=None, description="Markdown that the prompt carries as it is.", examples=["See docs/dates.md."]
    )
    paths_allowed: tuple[Text, ...] = Field(
        default=(), description="Globs of what the task may change.", examples=[["src/dates/**"]]
    )
    paths_forbidden: tuple[Text, ...] = Field(
        default=(), description="Globs of what the task must leave alone.", examples=[["src/export/**"]]
    )
    acceptance: tuple[str, ...] = Field(
        default=(), description="What must hold for the task to count as done.", examples=[["All tests pass."]]
    )
    verify: str | None = Field(
        default=None, description="How the result is checked, in Markdown.", examples=["Run `pytest -q`."]
    )
    starting_ref: Ref | None = Field(
        default=None,
        description="Ref that the agent starts from; else a verifier starts at its target, all others at baseBranch.",
        examples=["release/2.0"],
    )
    verifies: Reference | None = Field(
        default=None, description="For a verifier: the task that it checks.", examples=["fix-date-parsing"]
    )
    depends_on: tuple[Reference, ...] = Field(
        default=(),
        validate_default=True,
        description="Tasks that must have handed off before; a verifier's target is added by itself.",
        examples=[["api-schema"]],
    )
    model: ModelInPlan | None = Field(
        default=None, description="Model of the agent, by id or with settings.", examples=["composer-2"]
    )
    max_attempts: Count | None = Field(default=None, description="Launches in all, the first included.", examples=[2])
    max_agents: Count | None = Field(
        default=None,
        description="For a subplanner: agents that its subtree may launch in all; else an equal part of what is left.",
        examples=[12],
    )
    budget_cents: CountFromZero | None = Field(
        default=None,
        description="For a subplanner: cents that its subtree may spend; else an equal part of what is left.",
        examples=[800],
    )
    open_pr: Flag = Field(
        default=False, alias="openPR", description="The worker opens a draft pull request.", examples=[True]
    )
    measurements: tuple[Measurement, ...] = Field(
        default=(),
        description="What is measured again after the handoff.",
        examples=[[{"name": "TODOs left", "command": "grep -rn TODO src"}]],
    )
    slack_ts: str | None = Field(
        default=None, description="Time stamp of the task's message in Slack.", examples=["1712345678.000200"]
    )
    retry: Retry | None = Field(
        default=None,
        description="When an error is tried again without anybody asking.",
        examples=[{"attempts": 2, "on": ["network-drop"], "backoffSec": 60}],
    )
    timeout_sec: Amount | None = Field(
        default=None, description="Seconds after which the run is cancelled.", examples=[5400]
    )
    env: Environment | None = Field(default=None, description="Where this agent runs.", examples=[{"type": "cloud"}])
    priority: Rank = Field(
        default=0, description="Among ready tasks the higher one goes first, then the order of the plan.", examples=[10]
    )
    on_blocked: OnBlocked = Field(
        default=OnBlocked.HOLD,
        description="Whether tasks behind this one wait or go on when its handoff says blocked.",
        examples=["release"],
    )
    on_unstructured: OnUnstructured | None = Field(
        default=None,
        description="What the task is when its run finished without a handoff; else what the plan says for all tasks.",
        examples=["error"],
    )
    cpus: Amount | None = Field(
        default=None, description="Processors that the agent takes on this machine.", examples=[2]
    )
    memory_mb: Count | None = Field(
        default=None, description="Megabytes of memory that the agent takes on this machine.", examples=[4096]
    )

    @field_validator("depends_on")
    @classmethod
    def _waits_for_its_target(cls, names: tuple[TaskName, ...], info: ValidationInfo) -> tuple[TaskName, ...]:
        target = info.data.get("verifies")
        every = names if target is None else (*names, target)
        return tuple(dict.fromkeys(every))


class Plan(PlanObject):
    """A whole ``plan.json``."""

    schema_address: str | None = Field(
        default=None,
        alias="$schema",
        description="Where editors find this schema.",
        examples=["schema/plan.schema.json"],
    )
    goal: Text = Field(
        description="What the user wants, in the user's words.", examples=["Export every report as CSV."]
    )
    summary: Text | None = Field(default=None, description="The goal in one line.", examples=["CSV export"])
    dispatcher: Dispatcher | None = Field(
        default=None, description="Who started the run.", examples=[{"firstName": "your first name"}]
    )
    root_slug: SlugText = Field(
        description="Kebab-case name of the whole run; part of branches and agent names.", examples=["csv-export"]
    )
    base_branch: Ref = Field(description="Branch that tasks start from unless they say otherwise.", examples=["main"])
    pr_base: Ref | None = Field(
        default=None, description="Branch that pull requests go to; else baseBranch.", examples=["develop"]
    )
    repo_url: Text = Field(
        description="The repository: https://, ssh:// or user@host:path; a path or file:// with the local runtime.",
        examples=["https://git.example.org/team/project.git"],
    )
    acceptance_criteria: tuple[str, ...] = Field(
        default=(), description="What must hold in the end.", examples=[["Every report has a CSV button."]]
    )
    sync_state_to_git: Flag = Field(
        default=True, description="Whether plan, state and handoffs are published on a state branch.", examples=[False]
    )
    slack_channel: Text | None = Field(
        default=None, description="Slack channel that follows the run.", examples=["C0123456789"]
    )
    slack_kickoff_ref: SlackRef | None = Field(
        default=None,
        description="The message that the run's thread hangs on.",
        examples=[{"channel": "C0123456789", "ts": "1712345678.000100"}],
    )
    andon_state_ref: Ref | None = Field(
        default=None, description="Ref whose state file carries the root's andon.", examples=["orch-state/csv-export"]
    )
    andon_state_path: RepositoryPath | None = Field(
        default=None,
        description="Path of that state file in the repository.",
        examples=[".orchestrate/csv-export/state.json"],
    )
    self_agent_id: Text | None = Field(
        default=None,
        description="Agent id of the planner that runs this plan.",
        examples=["bc-00000000-0000-4000-8000-000000000001"],
    )
    tasks: tuple[Task, ...] = Field(
        min_length=1,
        description="The task graph.",
        examples=[[{"name": "fix-date-parsing", "type": "worker", "scopedGoal": "ISO 8601 dates are parsed."}]],
    )
    runtime: Runtime | None = Field(default=None, description="Where agents run.", examples=[{"kind": "cloud"}])
    limits: Limits = Field(
        default_factory=Limits, description="Bounds that the engine keeps.", examples=[{"maxConcurrent": 8}]
    )
    on_unstructured: OnUnstructured | None = Field(
        default=None,
        description="What a task is when its run finished without a handoff; left out: an empty message is an error,"
        " text without the headings is handed off.",
        examples=["error"],
    )
    env: Environment | None = Field(
        default=None, description="Where agents run unless a task says otherwise.", examples=[{"type": "cloud"}]
    )
    models: Mapping[TaskType, ModelsInPlan] = Field(
        default_factory=dict,
        description="The model of each task type, or several to fall back along.",
        examples=[{"worker": ["composer-2", "composer-1"], "verifier": "composer-2"}],
    )

    @property
    def is_root(self) -> bool:
        """True for a plan that no other plan stands above."""
        return self.andon_state_ref is None and self.andon_state_path is None

    @property
    def is_local(self) -> bool:
        """True if the plan itself asks for the local runtime."""
        return self.runtime is not None and self.runtime.kind is RuntimeKind.LOCAL

    @cached_property
    def tasks_by_name(self) -> Mapping[TaskName, Task]:
        """Every task under its name."""
        return {task.name: task for task in self.tasks}

    def task(self, name: TaskName) -> Task:
        """The task of that name; KeyError if the plan has none."""
        return self.tasks_by_name[name]
