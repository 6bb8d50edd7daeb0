"""The prompt of a task as a launch at this moment would send it; nothing is launched and nothing is written."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import anyio
import orjson
from immutables import Map

from orchestrate.core.changes import Session, Settings as RunSettings
from orchestrate.core.events import PlanRead
from orchestrate.core.launching import intended, launch
from orchestrate.core.machine import step
from orchestrate.core.state import State
from orchestrate.engine.requests import RequestOptions, RequestWriter
from orchestrate.errors import InputRefused
from orchestrate.model.names import TaskName, WorkspaceId
from orchestrate.model.plan import Plan
from orchestrate.model.timestamps import to_timestamp
from orchestrate.store.attempts import AttemptFiles
from orchestrate.store.loading import LoadedState, workspace_folder
from orchestrate.system import SystemClock
from orchestrate.text.redaction import Redactor
from orchestrate.text.templates import Templates

#: Stands for the id that the first run draws.
NO_WORKSPACE = WorkspaceId("00000000-0000-4000-8000-000000000000")


class PromptRenderer:
    """Renders prompts of one workspace."""

    def __init__(
        self,
        plan: Plan,
        *,
        loaded: LoadedState,
        folder: Path,
        templates: Templates,
        options: RequestOptions | None = None,
        redactor: Redactor | None = None,
    ) -> None:
        self._plan = plan
        self._loaded = loaded
        self._folder = folder
        self._templates = templates
        self._options = options or RequestOptions(repo_url=plan.repo_url)
        self._redactor = redactor

    def prompt(self, task: TaskName) -> str:
        """The text; InputRefused when it cannot be rendered."""
        return str(anyio.run(self.request, task)["prompt"]["text"])

    async def request(self, task: TaskName) -> dict[str, Any]:
        """The whole create request but for what only a launch knows; InputRefused when it cannot be rendered."""
        state, writer = self._prepared
        row = intended(state, state.rows[task], at=to_timestamp(SystemClock().now()))
        body: dict[str, Any] = orjson.loads(await writer.render(row, launch(state, row).upstream))
        return body

    @cached_property
    def _prepared(self) -> tuple[State, RequestWriter]:
        """The state that an engine would have after it read the plan, with no slot to launch anything in."""
        at = to_timestamp(SystemClock().now())
        workspace = self._loaded.workspace_or(NO_WORKSPACE, root_slug=self._plan.root_slug)
        session = Session(settings=RunSettings(max_concurrent=0))
        before = State(workspace=workspace, session=session, rows=Map(self._loaded.rows))
        state, _ = step(before, PlanRead(at=at, plan=self._plan))
        writer = RequestWriter(
            self._plan,
            workspace_id=workspace.workspace_id,
            templates=self._templates,
            archive=_ReadOnlyArchive(AttemptFiles(workspace_folder(self._folder))),
            options=self._options,
            redactor=self._redactor,
        )
        return state, writer


@dataclass(frozen=True, slots=True)
class _ReadOnlyArchive:
    """The attempt files of a workspace whose lock is somebody else's."""

    files: AttemptFiles

    async def write_request(self, task: TaskName, attempt: int, body: bytes) -> None:
        """Never asked for: no request is sent."""
        raise InputRefused(f"the request of {task} (try {attempt}, {len(body)} bytes) is not to be written")

    async def read_request(self, task: TaskName, attempt: int) -> bytes | None:
        """The request of this attempt."""
        return self.files.read_request(task, attempt)

    async def save_reply(
        self,
        task: TaskName,
        attempt: int,
        *,
        raw: bytes,
        handoff: bytes,
        postmortem: tuple[str, bytes] | None = None,
        follow_up: int = 0,
    ) -> str:
        """Never asked for: nobody answers."""
        size = len(raw) + len(handoff) + (0 if postmortem is None else len(postmortem[1]))
        raise InputRefused(f"the reply of {task} (try {attempt}.{follow_up}, {size} bytes) is not to be written")

    async def read_handoff(self, task: TaskName) -> str | None:
        """The task's latest handoff."""
        data = self.files.read_handoff(task)
        return None if data is None else data.decode(errors="replace")
