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
from orchestrate.model.timestamps import seconds_between
from orchestrate.model.vocabulary import FailureMode, RunStatus
from orchestrate.model.wire import Run, RunError
from orchestrate.ports import Archive
from orchestrate.text.failures import failure_mode_of
from orchestrate.text.handoffs import parse_handoff
from orchestrate.text.headers import handoff_header
from orchestrate.text.postmortems import Ending, render_failure, render_finished_without_handoff
from orchestrate.text.redaction import Redactor
from orchestrate.text.templates import Templates

#: Replies up to this many characters are read on the event loop: a hop to a thread would cost more.
_QUICKLY_READ = 16_384

_Result = TypeVar("_Result")


class ReplyTaker:
    """Saves and reads replies."""

    def __init__(self, plan: Plan, *, archive: Archive, redactor: Redactor, templates: Templates) -> None:
        self._plan = plan
        self._archive = archive
        self._redactor = redactor
        self._templates = templates

    async def take(self, row: TaskRow, run: Run) -> RunEnded:
        """The end of this run, with its reply on disk."""
        text = run.result or ""
        handoff = await _off_loop_if_long(text, lambda: self._read(row, run, text))
        redacted = await _off_loop_if_long(text, lambda: self._redactor.redact(text))
        mode = None if run.status == RunStatus.FINISHED else _failure_mode(run, handoff)
        path = await self._archive.save_reply(
            row.name,
            row.attempts,
            raw=text.encode(errors="replace"),
            handoff=f"{self._header(row, run, handoff)}\n{redacted}".encode(errors="replace"),
            postmortem=self._postmortem(row, run, handoff, mode, redacted),
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

    def _read(self, row: TaskRow, run: Run, text: str) -> Handoff:
        return parse_handoff(
            text,
            task_type=row.type,
            run_branches=_branches(run),
            placeholder=placeholder_branch(self._plan.root_slug, row.name),
            repo_url=self._plan.repo_url,
        )

    def _header(self, row: TaskRow, run: Run, handoff: Handoff) -> str:
        return handoff_header(
            task=row.name,
            branch=handoff.branch,
            agent_id=row.agent_id,
            run_id=row.run_id,
            result_status=run.status.lower(),
            finished_at=run.updated_at,
        )

    def _postmortem(
        self, row: TaskRow, run: Run, handoff: Handoff, mode: FailureMode | None, redacted: str
    ) -> tuple[str, bytes] | None:
        """What is written on the agent's behalf where it left no handoff; None where it did, or was cancelled."""
        if run.status == RunStatus.CANCELLED or (run.status == RunStatus.FINISHED and handoff.structured):
            return None
        ending = self._ending(row, run, mode, redacted)
        if run.status == RunStatus.FINISHED:
            text, name = render_finished_without_handoff(self._templates, ending=ending), "finished-no-handoff"
        else:
            text, name = render_failure(self._templates, ending=ending), "failure"
        return f"{row.name}-{name}.md", text.encode(errors="replace")

    def _ending(self, row: TaskRow, run: Run, mode: FailureMode | None, redacted: str) -> Ending:
        error = run.error or RunError()
        return Ending(
            task=row.name,
            attempt=row.attempts,
            agent_id=row.agent_id or "",
            run_id=run.id,
            run_status=run.status,
            starting_ref=row.starting_ref,
            branch=next(iter(_branches(run)), None),
            started_at=row.started_at,
            finished_at=run.updated_at,
            duration_seconds=_duration_seconds(run),
            failure_mode=mode or FailureMode.UNKNOWN,
            code=error.code,
            message=self._redactor.redact(error.message) or None,
            reply=redacted,
            url=row.url,
        )


def _branches(run: Run) -> tuple[str, ...]:
    branches = () if run.git is None else run.git.branches
    return tuple(info.branch for info in branches if info.branch)


def _failure_mode(run: Run, handoff: Handoff) -> FailureMode | None:
    """From typed evidence; a cancelled run has not failed."""
    if run.status == RunStatus.CANCELLED:
        return None
    error = run.error or RunError()
    mode = failure_mode_of(
        run_status=run.status, code=error.code, message=error.message, duration_seconds=_duration_seconds(run)
    )
    return mode if mode != FailureMode.UNKNOWN else handoff.failure_mode or mode


def _duration_seconds(run: Run) -> float | None:
    return run.duration_ms / 1000 if run.duration_ms else seconds_between(run.created_at, run.updated_at)


async def _off_loop_if_long(text: str, work: Callable[[], _Result]) -> _Result:
    return work() if len(text) <= _QUICKLY_READ else await anyio.to_thread.run_sync(work)
