"""Taking in a reply: on disk first, raw and redacted, and only then read."""

import hashlib
from collections.abc import Callable
from typing import TypeVar

import anyio.to_thread

from orchestrate.core.events import Reply, RunEnded
from orchestrate.model.handoff import Handoff
from orchestrate.model.names import RunId, placeholder_branch
from orchestrate.model.plan import Plan
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import FailureMode, RunStatus
from orchestrate.model.wire import Run
from orchestrate.ports import Archive
from orchestrate.text.failures import failure_mode_of
from orchestrate.text.handoffs import parse_handoff
from orchestrate.text.headers import handoff_header
from orchestrate.text.postmortems import Postmortem, render_postmortem
from orchestrate.text.redaction import Redactor
from orchestrate.text.templates import Templates

#: Replies up to this many characters are read on the event loop: a hop to a thread would cost more.
_QUICKLY_READ = 16_384

_Result = TypeVar("_Result")


class ReplyTaker:
    """Saves and reads replies."""

    def __init__(self, *, archive: Archive, redactor: Redactor, templates: Templates, plan: Callable[[], Plan]) -> None:
        self._archive = archive
        self._redactor = redactor
        self._templates = templates
        self._plan = plan

    async def take(self, row: TaskRow, run: Run) -> RunEnded:
        """The end of this run, with its reply on disk."""
        text = run.result or ""
        handoff = await _off_loop_if_long(text, lambda: self._read(row, run, text))
        redacted = await _off_loop_if_long(text, lambda: self._redactor.redact(text))
        mode = None if run.status == RunStatus.FINISHED else _failure_mode(row, run, handoff)
        path = await self._archive.save_reply(
            row.name,
            row.attempts,
            raw=text.encode(errors="replace"),
            handoff=f"{self._header(row, run, handoff)}\n{redacted}".encode(errors="replace"),
            postmortem=self._postmortem(row, run, handoff, mode),
        )
        return RunEnded(
            task=row.name,
            run_id=RunId(run.id),
            status=run.status,
            reply=Reply(
                path=path,
                digest=hashlib.sha256(text.encode(errors="replace")).hexdigest(),
                is_empty=not text.strip(),
                handoff=handoff,
            ),
            failure_mode=mode,
            message=None if run.error is None else self._redactor.redact(run.error.message),
        )
