"""The smaller parts of a plan: models, measurements, runtime, limits."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from orchestrate.model.plan_fields import (
    Amount,
    AmountFromZero,
    ByteBudget,
    Count,
    CountFromZero,
    Flag,
    Fraction,
    RegexFlags,
    Text,
    VariableName,
)
from orchestrate.model.plan_object import PlanObject
from orchestrate.model.vocabulary import FailureMode, RuntimeKind

#: Drift that a measured number may have when the plan says nothing.
DEFAULT_TOLERANCE = 0.1


class ModelParameter(PlanObject):
    """One setting of a model."""

    id: Text = Field(description="Name of the setting.", examples=["effort"])
    value: str = Field(description="Value of the setting.", examples=["high"])


class ModelSelection(PlanObject):
    """A model and its settings; a plan may give the id alone."""

    id: Text = Field(description="Id of the model, as the service's catalogue names it.", examples=["composer-2"])
    params: tuple[ModelParameter, ...] = Field(
        default=(), description="Settings of the model.", examples=[[{"id": "effort", "value": "high"}]]
    )


def _as_selection(value: object) -> object:
    return {"id": value} if isinstance(value, str) else value


def _as_list(value: object) -> object:
    return value if isinstance(value, list) else [value]


#: A model as a plan may write it: its id, or an object.
ModelInPlan = Annotated[ModelSelection, BeforeValidator(_as_selection, json_schema_input_type=Text | ModelSelection)]
_SeveralModels = Annotated[list[Text | ModelSelection], Field(min_length=1)]
#: A model, or models to fall back along.
ModelsInPlan = Annotated[
    tuple[ModelInPlan, ...],
    Field(min_length=1),
    BeforeValidator(_as_list, json_schema_input_type=Text | ModelSelection | _SeveralModels),
]


class LineCountParser(PlanObject):
    """The value is the number of lines that are not empty."""

    kind: Literal["wc-l"] = Field(description="Counts the lines that are not empty.", examples=["wc-l"])


class RegexParser(PlanObject):
    """The value is group 1 of the first match, else the whole match."""

    kind: Literal["regex"] = Field(description="Searches with a regular expression.", examples=["regex"])
    pattern: Text = Field(description="Group 1 is the value, else the whole match.", examples=["total: (\\d+)"])
    flags: RegexFlags = Field(default="", description="Flags as JavaScript writes them.", examples=["im"])


Parser = Annotated[LineCountParser | RegexParser, Field(discriminator="kind")]


class Measurement(PlanObject):
    """A number that the engine measures again on the branch that was handed off."""

    name: Text = Field(
        description="What is measured, as the handoff's `## Measurements` section names it.", examples=["bundle size"]
    )
    command: Text = Field(
        description="Shell line that prints the value, run in a fresh checkout.", examples=["wc -c < dist/app.js"]
    )
    parser: Parser = Field(
        default_factory=lambda: LineCountParser(kind="wc-l"),
        description="How the value is read from what the command prints.",
        examples=[{"kind": "regex", "pattern": "(\\d+) bytes"}],
    )
    tolerance_fraction: Fraction = Field(
        default=DEFAULT_TOLERANCE,
        description="Part by which a number may differ from the one claimed.",
        examples=[0.05],
    )
    network: Flag = Field(
        default=False, description="Whether the command may use the network; else it has none.", examples=[True]
    )


class Retry(PlanObject):
    """When a task that ended in error is launched again by itself."""

    attempts: Count = Field(description="Launches in all, the first one included.", examples=[2])
    on: tuple[FailureMode, ...] = Field(
        min_length=1, description="Failure modes after which it is tried again.", examples=[["network-drop", "oom"]]
    )
    backoff_sec: AmountFromZero | None = Field(
        default=None, description="Seconds to wait before the next launch.", examples=[60]
    )


class Environment(PlanObject):
    """Where the service runs an agent."""

    type: Literal["cloud", "pool", "machine"] = Field(
        description="The vendor's cloud, a pool of own workers, or one machine.", examples=["pool"]
    )
    name: Text | None = Field(default=None, description="Name of the pool or machine.", examples=["build-farm"])


class AgentProgram(PlanObject):
    """The program that is an agent of the local runtime, by name or as an argv; never a shell line."""

    name: Text | None = Field(default=None, description="A program that the engine knows.", examples=["scripted"])
    command: tuple[Text, ...] = Field(
        default=(),
        description="Program and arguments, run without a shell.",
        examples=[["my-agent", "--non-interactive"]],
    )
    prompt_via: Literal["stdin", "file"] = Field(
        default="stdin", description="How the program gets its prompt.", examples=["stdin"]
    )
    pass_env: tuple[VariableName, ...] = Field(
        default=(),
        description="Environment variables that the program gets beside the few that every agent has.",
        examples=[["MODEL_API_KEY"]],
    )
    timeout_sec: Amount | None = Field(
        default=None, description="Seconds after which the program is ended.", examples=[3600]
    )

    @model_validator(mode="after")
    def _names_one_program(self) -> "AgentProgram":
        if self.name is None and not self.command:
            raise ValueError("needs a name or a command")
        if self.name is not None and self.command:
            raise ValueError("has a name and a command; give one of them")
        return self


class Runtime(PlanObject):
    """Where agents run."""

    kind: RuntimeKind = Field(description="The vendor's cloud, or this machine.", examples=["local"])
    agent: AgentProgram | None = Field(
        default=None,
        description="The agent program of the local runtime.",
        examples=[{"command": ["my-agent"], "promptVia": "stdin"}],
    )


class Limits(PlanObject):
    """Bounds that the engine keeps; what is left out has no bound of the plan's."""

    max_concurrent: Count | None = Field(
        default=None, description="Agents of this plan that run at the same time.", examples=[8]
    )
    max_concurrent_per_repo: Count | None = Field(
        default=None, description="Agents that run on one repository at the same time.", examples=[4]
    )
    max_depth: CountFromZero | None = Field(
        default=None,
        description="Levels of agents; tasks of the root plan are the first. Subplanners need one more.",
        examples=[2],
    )
    max_agents: Count | None = Field(
        default=None, description="Agents that this plan may launch in all, retries included.", examples=[50]
    )
    budget_cents: CountFromZero | None = Field(
        default=None, description="Cents after which nothing new is launched.", examples=[2000]
    )
    reserve_cents: CountFromZero | None = Field(
        default=None, description="Cents set aside for each running agent whose cost is not known yet.", examples=[100]
    )
    task_timeout_sec: Amount | None = Field(
        default=None, description="Seconds after which a task that still runs is cancelled.", examples=[5400]
    )
    upstream_bytes: ByteBudget | None = Field(
        default=None,
        description="Bytes that the handoffs of upstream tasks take in one prompt, all together; 200,000 if left out.",
        examples=[60000],
    )


class SlackRef(PlanObject):
    """A message in Slack."""

    channel: Text = Field(description="Id of the channel.", examples=["C0123456789"])
    ts: Text = Field(description="Time stamp of the message.", examples=["1712345678.000100"])


class Dispatcher(PlanObject):
    """Who started the run."""

    first_name: Text = Field(description="First name, shown beside the run.", examples=["your first name"])
