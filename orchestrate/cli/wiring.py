"""The composition root: an engine on real adapters, for one workspace and one service."""

import base64
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import orjson
from immutables import Map

from orchestrate.cli.checks.prompt_limits import prompt_limit
from orchestrate.cli.git_state import PUSH_SECONDS
from orchestrate.cloud.client import CloudClient
from orchestrate.core.changes import Session, Settings as RunSettings
from orchestrate.core.state import State
from orchestrate.engine.assembly import Engine, Outside, Pace, Showing, Start, assemble
from orchestrate.engine.requests import RequestOptions
from orchestrate.model.catalogue import ANY_MODEL, Catalogue
from orchestrate.model.names import EngineId, WorkspaceId, is_valid_ref
from orchestrate.model.plan import Plan
from orchestrate.model.timestamps import to_timestamp
from orchestrate.model.vocabulary import RuntimeKind
from orchestrate.model.wire import PASS_ENV_HEADER, LocalAgent
from orchestrate.ports import AgentService, PlanFile, Surface
from orchestrate.repo.bench import RemoteBench
from orchestrate.repo.changed_files import RemoteDifferences
from orchestrate.repo.cord import GitCord
from orchestrate.repo.git import Git
from orchestrate.repo.heads import RemoteHeads
from orchestrate.repo.publishing import GitMedium
from orchestrate.repo.signatures import Signature
from orchestrate.repo.site import Site
from orchestrate.repo.state_branches import WORKSPACES, state_branch
from orchestrate.repo.tombstones import GitTombstone
from orchestrate.store.loading import LoadedState
from orchestrate.store.workspace import WorkspaceStore
from orchestrate.system import SystemClock
from orchestrate.text.prompts import DEFAULT_INSTALL
from orchestrate.text.redaction import Redactor
from orchestrate.text.templates import Templates

CLOUD_URL = "https://api.cursor.com"

#: Our own server tells at once whether an agent is there, and has no limit of calls.
_LOCAL_PACE = Pace(look_up_seconds=0.0, seconds_a_run=0.05)


@dataclass(frozen=True, slots=True)
class Service:
    """Which service an engine talks to, and how."""

    kind: RuntimeKind
    url: str
    key: str = field(repr=False)
    #: The agent program; local runtime only.
    agent: LocalAgent | None = None
    #: Values of the agent program's ``passEnv``.
    pass_env: Mapping[str, str] = field(default_factory=dict, repr=False)
    #: True for the local server of this user, which the run may start again.
    is_own_server: bool = False

    @property
    def secrets(self) -> tuple[str, ...]:
        """Values that never reach a file of ours or a prompt."""
        return (self.key, *self.pass_env.values())

    def client(self) -> CloudClient:
        """A client with this key."""
        headers = {}
        if self.pass_env:
            headers[PASS_ENV_HEADER] = base64.b64encode(orjson.dumps(dict(self.pass_env))).decode()
        return CloudClient(base_url=self.url, api_key=self.key, extra_headers=headers, now=SystemClock().now)


@dataclass(frozen=True, slots=True)
class Job:
    """A plan in its workspace, and how it is to be run."""

    plan: Plan
    folder: Path
    repo_url: str
    settings: RunSettings
    templates: Templates
    git: Git
    #: None where the plan is read once.
    plan_file: PlanFile | None = None
    #: How deep this engine is in the tree of planners.
    depth: int = 0
    #: Values that never reach a file of ours or a prompt.
    secrets: tuple[str, ...] = ()
    #: The models of the service.
    catalogue: Catalogue = ANY_MODEL
    #: Where the state is kept on git; None where it is not.
    site: Site | None = None
    #: Launch nothing while the tree's andon is unknown.
    is_andon_strict: bool = False
    #: How planners install this engine where they run.
    install: str = DEFAULT_INSTALL


def engine_of(
    job: Job, *, store: WorkspaceStore, client: AgentService, service: Service, surface: Surface, engine_id: EngineId
) -> Engine:
    """The engine of this job, in a workspace whose lock the store holds."""
    loaded = store.loaded
    state, is_first = _state(job, loaded)
    redactor = Redactor(job.secrets)
    store.show_without(redactor)
    store.order_rows(task.name for task in job.plan.tasks)
    return assemble(
        Start(
            engine_id=engine_id,
            state=state,
            seq=loaded.journal_seq,
            plan=job.plan,
            is_first=is_first,
            notes=loaded.notes,
        ),
        outside=Outside(
            service=client,
            ledger=store,
            archive=store,
            clock=SystemClock(),
            surface=surface,
            requests=store,
            differences=RemoteDifferences(job.git, job.repo_url, clone=job.folder),
            heads=RemoteHeads(job.git, job.repo_url),
            bench=RemoteBench(job.git, job.repo_url, not_bare=_not_bare(job, service)),
            plan_file=job.plan_file,
            showing=_showing(job, store, workspace_id=state.workspace.workspace_id, engine_id=engine_id),
            cord=_cord(job, workspace_id=state.workspace.workspace_id),
            is_andon_strict=job.is_andon_strict,
            tombstone=_tombstone(job, workspace_id=state.workspace.workspace_id),
        ),
        request_options=RequestOptions(
            repo_url=job.repo_url,
            local_agent=service.agent,
            depth=job.depth,
            catalogue=job.catalogue,
            install=job.install,
            prompt_limit=prompt_limit(service.kind),
        ),
        templates=job.templates,
        redactor=redactor,
        pace=_LOCAL_PACE if service.kind is RuntimeKind.LOCAL else Pace(),
    )


def _not_bare(job: Job, service: Service) -> str | None:
    """Why code that agents wrote may not run here without a sandbox; None where they themselves run here."""
    if service.kind is RuntimeKind.LOCAL or job.depth > 0 or job.settings.measures:
        return None
    return "there is no bwrap to run it in, and agents run elsewhere; add --measure to run it on this machine as it is"


def _showing(job: Job, store: WorkspaceStore, *, workspace_id: WorkspaceId, engine_id: EngineId) -> Showing | None:
    if job.site is None or not job.plan.sync_state_to_git:
        return None
    medium = GitMedium(
        replace(job.git, deadline_seconds=PUSH_SECONDS),
        job.site,
        slug=job.plan.root_slug,
        base_branch=job.plan.base_branch,
        signature=Signature(workspace_id, engine_id, to_timestamp(SystemClock().now())),
        may_use_checkout=job.plan.self_agent_id is not None,
    )
    return Showing(store, medium)


def _cord(job: Job, *, workspace_id: WorkspaceId) -> GitCord | None:
    """Where the tree's andon is: in the root's state, which a root itself publishes."""
    plan = job.plan
    if job.site is None or job.settings.answers_only:
        return None
    branch, path = plan.andon_state_ref, plan.andon_state_path
    if plan.is_root:
        branch, path = state_branch(plan.root_slug), f"{WORKSPACES}{plan.root_slug}/state.json"
    if branch is None or path is None or not is_valid_ref(branch):
        return None
    git = replace(job.git, deadline_seconds=PUSH_SECONDS)
    return GitCord(git, job.site, branch=branch, path=path, workspace=workspace_id)


def _tombstone(job: Job, *, workspace_id: WorkspaceId) -> GitTombstone | None:
    """Where a kill from elsewhere shows; who only answers requests launches nothing that it could stop."""
    if job.site is None or job.settings.answers_only:
        return None
    git = replace(job.git, deadline_seconds=PUSH_SECONDS)
    return GitTombstone(git, job.site, slug=job.plan.root_slug, workspace=workspace_id)


def new_engine_id() -> EngineId:
    """An id that no other engine has."""
    return EngineId(str(uuid.uuid4()))


def _state(job: Job, loaded: LoadedState) -> tuple[State, bool]:
    """The state that the files have, and whether the workspace gets its id only now."""
    workspace = loaded.workspace_or(WorkspaceId(str(uuid.uuid4())), root_slug=job.plan.root_slug)
    state = State(workspace=workspace, session=Session(job.settings), rows=Map(loaded.rows))
    return state, loaded.workspace is None
