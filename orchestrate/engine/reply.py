"""Taking in a reply: on disk first, raw and redacted, and only then read."""

import hashlib
from dataclasses import dataclass, replace

from orchestrate.core.events import Reply, RunEnded
from orchestrate.engine.off_loop import off_loop_if_large
from orchestrate.model.handoff import Handoff
from orchestrate.model.names import RunId, Timestamp, placeholder_branch
from orchestrate.model.plan import Plan
from orchestrate.model.rows import TaskRow
from orchestrate.model.timestamps import epoch_seconds, seconds_between, to_timestamp
from orchestrate.model.vocabulary import FailureMode, RunStatus
from orchestrate.model.wire import Run, RunError
from orchestrate.ports import Archive
from orchestrate.text.failures import failure_mode_of
from orchestrate.text.handoffs import parse_handoff
from orchestrate.text.headers import handoff_header
from orchestrate.text.postmortems import Ending, render_failure, render_finished_without_handoff
from orchestrate.text.redaction import Redactor
from orchestrate.text.templates import Templates


@dataclass(frozen=True, slots=True)
class Draft:
    """A reply that was read as the stream told it, before the look at the run that confirms it."""

    text: str
    branches: tuple[str, ...]
    redacted: str
    handoff: Handoff

    def is_of(self, run: Run) -> bool:
        """Whether the run says what the stream had told of the reply."""
        return self.text == (run.result or "") and self.branches == _branches(run)


@dataclass(frozen=True, slots=True)
class _Reading:
    """What a reply comes to: the files to save, and what the machine is told."""

    raw: bytes
    file: bytes
    postmortem: tuple[str, bytes] | None
    digest: str
    handoff: Handoff
    mode: FailureMode | None


class ReplyTaker:
    """Saves and reads replies."""

    def __init__(self, plan: Plan, *, archive: Archive, redactor: Redactor, templates: Templates) -> None:
        self._plan = plan
        self._archive = archive
        self._redactor = redactor
        self._templates = templates

    async def draft(self, row: TaskRow, told: Run) -> Draft:
        """Read the reply of a run as it was told; nothing is saved, for it may be another in truth."""
        return await off_loop_if_large(lambda: self._drafted(row, told), size=len(told.result or ""))

    async def take(self, row: TaskRow, run: Run, *, draft: Draft | None = None) -> RunEnded:
        """The end of this run, with its reply on disk; a draft that fits saves the reading."""
        text = run.result or ""
        ready = draft if draft is not None and draft.is_of(run) else None
        reading = await off_loop_if_large(
            lambda: self._read(row, run, ready or self._drafted(row, run)), size=len(text)
        )
        path = await self._archive.save_reply(
            row.name,
            row.attempts,
            raw=reading.raw,
            handoff=reading.file,
            postmortem=reading.postmortem,
            follow_up=_follow_up_number(row),
        )
        return RunEnded(
            task=row.name,
            run_id=RunId(run.id),
            status=run.status,
            reply=Reply(path=path, digest=reading.digest, is_empty=not text.strip(), handoff=reading.handoff),
            failure_mode=reading.mode,
            message=None if run.error is None else _first_line(run.error.message),
            reported_branch=next(iter(_branches(run)), None),
            ended_at=_ended_at(run),
        )

    def _drafted(self, row: TaskRow, run: Run) -> Draft:
        text, branches = run.result or "", _branches(run)
        handoff = self._without_secrets(self._parsed(row, text, branches))
        return Draft(text=text, branches=branches, redacted=self._redactor.redact(text), handoff=handoff)

    def _read(self, row: TaskRow, run: Run, draft: Draft) -> _Reading:
        raw, redacted, handoff = draft.text.encode(errors="replace"), draft.redacted, draft.handoff
        mode = None if run.status == RunStatus.FINISHED else _failure_mode(run, handoff)
        return _Reading(
            raw=raw,
            file=f"{self._header(row, run, handoff)}\n{redacted}".encode(errors="replace"),
            postmortem=self._postmortem(row, run, handoff, mode, redacted),
            digest=hashlib.sha256(raw).hexdigest(),
            handoff=handoff,
            mode=mode,
        )

    def _parsed(self, row: TaskRow, text: str, branches: tuple[str, ...]) -> Handoff:
        """The values of the reply as it was written: a redacted branch would be none."""
        return parse_handoff(
            text,
            task_type=row.type,
            run_branches=branches,
            placeholder=placeholder_branch(self._plan.root_slug, row.name, task_type=row.type),
            repo_url=self._plan.repo_url,
        )

    def _without_secrets(self, handoff: Handoff) -> Handoff:
        """The values with their prose redacted; they go into the journal."""
        redact = self._redactor.redact
        claims = tuple(
            replace(claim, name=redact(claim.name), before=redact(claim.before), after=redact(claim.after))
            for claim in handoff.measurements
        )
        notes = tuple(map(redact, handoff.notes))
        if handoff.branch is not None and self._redactor.holds_secret(handoff.branch):
            handoff = replace(handoff, branch=None)
            notes = (*notes, "Branch: its name holds what looks like a secret; it was not taken")
        return replace(handoff, notes=notes, measurements=claims)

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
        return f"{row.name}-{name}.md", self._redactor.redact(text).encode(errors="replace")

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
            message=error.message or None,
            reply=redacted,
            url=row.url,
        )


def _first_line(message: str) -> str:
    """What the row says of an error; the postmortem has the whole of it."""
    return next((line.strip() for line in message.splitlines() if line.strip()), "")


def _follow_up_number(row: TaskRow) -> int:
    """Which follow-up of the attempt the row's present run is; 0 for the run that began with the agent."""
    ids = [each.id for each in row.runs if each.attempt == row.attempts]
    return ids.index(row.run_id) + 1 if row.run_id in ids else 0


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


def _ended_at(run: Run) -> Timestamp | None:
    """When the run ended by the service's clock; what it says later of the run moves ``updatedAt`` on."""
    began = epoch_seconds(run.created_at)
    if began is None or not run.duration_ms:
        return None if epoch_seconds(run.updated_at) is None else Timestamp(run.updated_at)
    return to_timestamp(began + run.duration_ms / 1000)


def _duration_seconds(run: Run) -> float | None:
    return run.duration_ms / 1000 if run.duration_ms else seconds_between(run.created_at, run.updated_at)
