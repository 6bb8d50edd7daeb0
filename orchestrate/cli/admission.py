"""How much is looked at before a run starts: all of it before tasks that are new here, little before going on."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import anyio.to_thread

from orchestrate.cli.checks.findings import Finding, Verdict
from orchestrate.cli.checks.key import check_key
from orchestrate.cli.checks.models import read_catalogue
from orchestrate.cli.preflight import Intent, Report, preflight
from orchestrate.cli.rendering import PromptRenderer
from orchestrate.cloud.client import CloudClient
from orchestrate.engine.requests import RequestOptions
from orchestrate.model.catalogue import Catalogue
from orchestrate.model.plan import Plan
from orchestrate.model.vocabulary import TaskStatus
from orchestrate.repo.git import Git
from orchestrate.store.journal import JOURNAL
from orchestrate.store.loading import LoadedState, read_workspace
from orchestrate.store.snapshot import STATE
from orchestrate.text.templates import Templates


@dataclass(frozen=True, slots=True)
class Admission:
    """Looks at one run, in one workspace."""

    intent: Intent
    folder: Path
    templates: Templates
    git: Git

    @property
    def is_new_workspace(self) -> bool:
        """True where nothing was run yet: then all is looked at before the first file is written."""
        return not any((self.folder / name).exists() for name in (STATE, JOURNAL))

    async def of_new_workspace(self, client: CloudClient) -> Report:
        """Everything there is to look at."""
        read = partial(read_workspace, self.folder, root_slug=self.intent.plan.root_slug)
        return await self._whole(client, await anyio.to_thread.run_sync(read))

    async def of(self, loaded: LoadedState, client: CloudClient) -> Report:
        """Everything if a task is new here, else whether the service takes the key, and which models it has."""
        if any(task.name not in loaded.rows for task in self.intent.plan.tasks):
            return await self._whole(client, loaded)
        key = await check_key(client, kind=self.intent.kind)
        if key.verdict is Verdict.FAULT or _is_over(self.intent.plan, loaded):
            return Report((key,))
        catalogue, warnings = await read_catalogue(client)
        return Report((key, *warnings), catalogue)

    async def of_edit(self, edited: Intent, catalogue: Catalogue) -> tuple[Finding, ...]:
        """What the tasks need that a changed plan adds to this run; the service is not asked again."""
        read = partial(read_workspace, self.folder, root_slug=edited.plan.root_slug)
        renderer = self._renderer(edited.plan, await anyio.to_thread.run_sync(read))
        report = await preflight(edited, client=None, catalogue=catalogue, git=self.git, renderer=renderer)
        return report.findings

    async def _whole(self, client: CloudClient, loaded: LoadedState) -> Report:
        renderer = self._renderer(self.intent.plan, loaded)
        return await preflight(self.intent.after(loaded.rows), client=client, git=self.git, renderer=renderer)

    def _renderer(self, plan: Plan, loaded: LoadedState) -> PromptRenderer:
        options = RequestOptions(repo_url=self.intent.url, depth=self.intent.depth)
        return PromptRenderer(plan, loaded=loaded, folder=self.folder, templates=self.templates, options=options)


def _is_over(plan: Plan, loaded: LoadedState) -> bool:
    return all(loaded.rows[task.name].status is TaskStatus.HANDED_OFF for task in plan.tasks)
