"""An engine that only answers what other processes ask: the same loop on the same files, launching nothing.

Most requests need no service. One that cancels what runs does: then the engine stays until that is confirmed.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import NoReturn

import anyio

from orchestrate.cli.git_state import PUSH_SECONDS
from orchestrate.cli.single_errors import single_errors
from orchestrate.cli.surroundings import secrets_in
from orchestrate.cli.template_files import load_templates
from orchestrate.cli.wiring import Job, Service, engine_of, new_engine_id
from orchestrate.core.changes import Settings as RunSettings
from orchestrate.model.names import AgentId, RunId, TaskName
from orchestrate.model.plan import Plan
from orchestrate.model.vocabulary import RuntimeKind
from orchestrate.model.wire import Agent, AgentPage, AgentUsage, Created, Frame, Run
from orchestrate.ports import AgentService, Publication
from orchestrate.repo.git import DEADLINE_SECONDS, Git
from orchestrate.repo.site import Site, site_of
from orchestrate.store.workspace import WorkspaceStore
from orchestrate.system import SystemClock


async def answer_requests(
    plan: Plan,
    *,
    folder: Path,
    repo_url: str,
    variables: Mapping[str, str],
    service: Service | None = None,
    shows_state: bool = False,
) -> None:
    """Take the workspace, answer all that waits in its inbox, and leave; InputRefused if another engine has it.

    ``shows_state``: others are to know at once what came of it.
    """
    git = Git(variables, deadline_seconds=PUSH_SECONDS if shows_state else DEADLINE_SECONDS)
    job = Job(
        plan=plan,
        folder=folder,
        repo_url=repo_url,
        settings=RunSettings(
            max_concurrent=1,
            answers_only=True,
            has_service=service is not None,
        ),
        templates=load_templates(None),
        git=git,
        site=await _site(git, plan, folder=folder, repo_url=repo_url) if shows_state else None,
        secrets=(*secrets_in(variables), *(() if service is None else service.secrets)),
    )
    if service is None:
        await _answer(job, client=_NoService(), service=Service(kind=RuntimeKind.CLOUD, url="", key=""))
        return
    async with service.client() as client:
        await _answer(job, client=client, service=service)


async def _site(git: Git, plan: Plan, *, folder: Path, repo_url: str) -> Site | None:
    found = await site_of(git, folder, repo_url=repo_url)
    return found if isinstance(found, Site) and plan.sync_state_to_git else None


async def _answer(job: Job, *, client: AgentService, service: Service) -> None:
    engine_id, clock = new_engine_id(), SystemClock()
    store = await WorkspaceStore.open(job.folder, root_slug=job.plan.root_slug, engine_id=engine_id, now=clock.now())
    try:
        engine = engine_of(job, store=store, client=client, service=service, surface=_NoSurface(), engine_id=engine_id)
        with single_errors():
            async with anyio.create_task_group() as beside:
                beside.start_soon(store.keep_beating, clock)
                await engine.run()
                beside.cancel_scope.cancel()
    finally:
        await store.close()


class _NoService:
    """A service that is never called: whoever only answers launches nothing and watches nothing."""

    async def create_agent(self, body: bytes, *, key: str) -> Created:
        """Not called."""
        _refuse(body, key)

    async def get_agent(self, agent_id: AgentId) -> Agent:
        """Not called."""
        _refuse(agent_id)

    async def usage(self, agent_id: AgentId) -> AgentUsage:
        """Not called."""
        _refuse(agent_id)

    async def first_run(self, agent_id: AgentId) -> Run | None:
        """Not called."""
        _refuse(agent_id)

    async def get_run(self, agent_id: AgentId, run_id: RunId) -> Run:
        """Not called."""
        _refuse(agent_id, run_id)

    def stream_run(
        self, agent_id: AgentId, run_id: RunId, *, last_event_id: str | None = None
    ) -> AbstractAsyncContextManager[AsyncIterator[Frame]]:
        """Not called."""
        _refuse(agent_id, run_id, last_event_id)

    async def cancel_run(self, agent_id: AgentId, run_id: RunId) -> None:
        """Not called."""
        _refuse(agent_id, run_id)

    async def agent_page(self, *, cursor: str | None = None, include_archived: bool = False) -> AgentPage:
        """Not called."""
        _refuse(cursor, include_archived)

    async def list_runs(self, agent_id: AgentId) -> Sequence[Run]:
        """Not called."""
        _refuse(agent_id)

    async def create_run(self, agent_id: AgentId, body: bytes, *, key: str) -> Run:
        """Not called."""
        _refuse(agent_id, body, key)

    async def unarchive_agent(self, agent_id: AgentId) -> None:
        """Not called."""
        _refuse(agent_id)

    async def archive_agent(self, agent_id: AgentId) -> None:
        """Not called."""
        _refuse(agent_id)


class _NoSurface:
    """Nobody looks on."""

    def publish(self, publication: Publication) -> None:
        """Show nothing."""

    def saw_activity(self, task: TaskName, doing: str | None) -> None:
        """Show nothing."""


def _refuse(*_asked: object) -> NoReturn:
    raise AssertionError("an engine that only answers requests called the service")
