"""What a kickoff asks for: a root planner of one goal, with an id that the same goal has again."""

import hashlib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from orchestrate.cli.delegation.input_checks import repository_key
from orchestrate.cli.first_plan import slug_of
from orchestrate.engine.requests import DEPTH_VARIABLE
from orchestrate.model.names import AgentId, agent_name
from orchestrate.model.wire import (
    METADATA_DEPTH,
    METADATA_GOAL,
    METADATA_KEY,
    METADATA_MAY_LAUNCH,
    METADATA_ROOT,
    CreateAgent,
    LocalAgent,
    ModelChoice,
    Prompt,
    Repo,
)
from orchestrate.text.prompts import render_root_prompt
from orchestrate.text.templates import Templates

#: The name space of root planners' ids; a constant, so that every machine derives the same ones.
_SPACE = uuid.UUID("5c1d1c5e-6a0b-4d0c-9d5a-2f6b7b0e4c11")
_DIGEST_LENGTH = 6


@dataclass(frozen=True, slots=True)
class KickoffJob:
    """A goal on a repository, checked."""

    goal: str
    repo: str
    ref: str
    #: Whose agents these are: another account may have the same goal.
    account: str
    model: str | None = None
    #: The agent program; local runtime only.
    agent: LocalAgent | None = None
    install: str = ""

    @property
    def digest(self) -> str:
        """What makes two kickoffs the same: goal, repository and ref, white space apart."""
        same = [" ".join(self.goal.split()), repository_key(self.repo), self.ref]
        return hashlib.sha256(orjson.dumps(same)).hexdigest()

    @property
    def slug(self) -> str:
        """The ``rootSlug`` of the plan to come."""
        return f"{slug_of(self.goal)}-{self.digest[:_DIGEST_LENGTH]}"

    def agent_id(self, number: int) -> AgentId:
        """The id of the planner that is the first, the second, ... of this goal."""
        return AgentId(f"bc-{uuid.uuid5(_SPACE, f'{self.account}/{self.digest}/{number}')}")

    def body(self, agent_id: AgentId, *, templates: Templates, models: Sequence[str]) -> bytes:
        """The create request."""
        request = CreateAgent(
            agent_id=agent_id,
            prompt=Prompt(text=self._prompt(agent_id, templates, models)),
            model=None if self.model is None else ModelChoice(id=self.model),
            name=agent_name(self.slug, "root"),
            repos=(Repo(url=self.repo, starting_ref=self.ref),),
            run_env_vars={DEPTH_VARIABLE: "0"},
            metadata={
                METADATA_ROOT: self.slug,
                METADATA_GOAL: self.digest,
                METADATA_DEPTH: "0",
                METADATA_KEY: agent_id,
                METADATA_MAY_LAUNCH: "true",
            },
            auto_create_pr=False,
            local_agent=self.agent,
        )
        return request.model_dump_json(by_alias=True, exclude_none=True).encode()

    def _prompt(self, agent_id: AgentId, templates: Templates, models: Sequence[str]) -> str:
        runtime = None if self.agent is None else {"kind": "local", "agent": self.agent.in_plan()}
        plan = {
            "goal": self.goal,
            "root_slug": self.slug,
            "repo_url": self.repo,
            "base_branch": self.ref,
            "self_agent_id": agent_id,
            "runtime": None if runtime is None else orjson.dumps(runtime).decode(),
        }
        return render_root_prompt(templates, plan=plan, models=models, install=self.install)
