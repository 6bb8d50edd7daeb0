import hashlib

import pytest

from orchestrate.engine.reply import ReplyTaker
from orchestrate.errors import StorageFailed
from orchestrate.model.vocabulary import FailureMode, HandoffStatus, RunStatus, Verification
from orchestrate.model.wire import BranchInfo, GitInfo, Run, RunError
from orchestrate.text.redaction import REDACTED, Redactor
from tests.support.builders import a_plan, a_running_row, agent_of, run_of
from tests.support.engine_room import SECRET, handoff, templates
from tests.support.memory_store import MemoryArchive

ROW = a_running_row(attempt=2)


def a_run(result=None, *, status=RunStatus.FINISHED, branch=None, **fields):
    git = None if branch is None else GitInfo(branches=(BranchInfo(branch=None), BranchInfo(branch=branch)))
    times = {"created_at": "2026-03-04T05:00:00Z", "updated_at": "2026-03-04T05:01:30Z"}
    return Run(
        id=run_of("a", 2), agent_id=agent_of("a", 2), status=status, result=result, git=git, **{**times, **fields}
    )


class Taking:
    def __init__(self):
        self.archive = MemoryArchive()
        redactor = Redactor([SECRET])
        self.taker = ReplyTaker(a_plan("a"), archive=self.archive, redactor=redactor, templates=templates())

    async def take(self, run):
        return await self.taker.take(ROW, run)


async def test_a_reply_is_saved_as_it_came_and_answered_by_its_digest_and_values():
    taking, text = Taking(), handoff("cursor/a-1f2a")
    ended = await taking.take(a_run(text))
    assert taking.archive.replies["a", 2] == text.encode()
    assert (ended.task, ended.run_id, ended.status) == ("a", run_of("a", 2), RunStatus.FINISHED)
    assert (ended.failure_mode, ended.message) == (None, None)
    assert ended.reply.path == "handoffs/a.md"
    assert ended.reply.digest == hashlib.sha256(text.encode()).hexdigest()
    assert not ended.reply.is_empty
    assert ended.reply.handoff.status is HandoffStatus.SUCCESS
    assert ended.reply.handoff.branch == "cursor/a-1f2a"
    assert ended.reply.handoff.verification is Verification.UNIT_TEST_VERIFIED
    assert taking.archive.postmortems == {}


async def test_the_handoff_file_has_a_header_and_the_message_unchanged():
    taking, text = Taking(), handoff("cursor/a-1f2a")
    await taking.take(a_run(text))
    header, _, body = taking.archive.handoffs["a"].partition("-->\n\n")
    assert body == text
    for line in ("task: a", "branch: cursor/a-1f2a", f"agentId: {agent_of('a', 2)}", "resultStatus: finished"):
        assert line in header


async def test_a_branch_that_the_run_reports_serves_where_the_reply_names_none():
    ended = await Taking().take(a_run("## Status\nsuccess\n", branch="cursor/a-1f2a"))
    assert ended.reply.handoff.branch == "cursor/a-1f2a"


async def test_nothing_is_answered_before_the_reply_is_saved():
    taking = Taking()

    async def full(*_names, **_files):
        raise StorageFailed("no space left")

    taking.archive.save_reply = full
    with pytest.raises(StorageFailed):
        await taking.take(a_run(handoff()))


async def test_an_empty_reply_is_told_as_empty_and_gets_a_postmortem():
    for text in (None, "", " \n\t"):
        taking = Taking()
        ended = await taking.take(a_run(text))
        assert ended.reply.is_empty
        assert list(taking.archive.postmortems) == ["a-finished-no-handoff.md"]


async def test_an_unstructured_reply_gets_a_postmortem_with_its_text():
    taking = Taking()
    ended = await taking.take(a_run("I did some things."))
    assert not ended.reply.handoff.structured
    assert "I did some things." in taking.archive.postmortems["a-finished-no-handoff.md"].decode()


@pytest.mark.parametrize("status", [RunStatus.ERROR, RunStatus.EXPIRED])
async def test_a_failed_run_gets_a_postmortem_and_a_failure_mode(status):
    taking = Taking()
    error = RunError(message="\nkilled: out of memory\nbefore that:\nworking", code="oom_killed")
    ended = await taking.take(a_run(handoff(), status=status, error=error))
    assert ended.message == "killed: out of memory"
    assert ended.failure_mode is (FailureMode.OOM if status is RunStatus.ERROR else FailureMode.CAP_HIT)
    text = taking.archive.postmortems["a-failure.md"].decode()
    assert "killed: out of memory\nbefore that:\nworking" in text
    assert run_of("a", 2) in text


async def test_a_failed_run_without_any_evidence_has_an_unknown_failure():
    ended = await Taking().take(a_run(status=RunStatus.ERROR))
    assert (ended.failure_mode, ended.message) == (FailureMode.UNKNOWN, None)


async def test_the_length_of_a_run_is_evidence_whoever_measures_it():
    seventy_five_minutes = 75 * 60 * 1000.0
    measured = await Taking().take(a_run(status=RunStatus.ERROR, duration_ms=seventy_five_minutes))
    reckoned = await Taking().take(a_run(status=RunStatus.ERROR, updated_at="2026-03-04T06:15:00Z"))
    assert measured.failure_mode is reckoned.failure_mode is FailureMode.CAP_HIT


async def test_a_cancelled_run_has_neither_postmortem_nor_failure():
    taking = Taking()
    ended = await taking.take(a_run("as far as I came", status=RunStatus.CANCELLED))
    assert ended.failure_mode is None
    assert taking.archive.postmortems == {}
    assert taking.archive.replies["a", 2] == b"as far as I came"


async def test_secrets_reach_neither_handoff_nor_postmortem_nor_journal():
    taking = Taking()
    text = f"I used {SECRET}.\n\n## Measurements\n- {SECRET}: {SECRET} → 2 {SECRET}\n"
    ended = await taking.take(a_run(text, status=RunStatus.ERROR, error=RunError(message=f"bad {SECRET}")))
    assert SECRET not in taking.archive.handoffs["a"]
    assert SECRET.encode() not in taking.archive.postmortems["a-failure.md"]
    assert SECRET.encode() in taking.archive.replies["a", 2]
    assert SECRET not in repr(ended.reply)


async def test_a_branch_that_holds_a_secret_is_not_taken():
    ended = await Taking().take(a_run(handoff(f"cursor/{SECRET}")))
    assert ended.reply.handoff.branch is None
    assert ended.reply.handoff.notes[-1] == "Branch: its name holds what looks like a secret; it was not taken"


async def test_a_secret_in_a_note_about_the_reply_is_redacted():
    taking = Taking()
    ended = await taking.take(a_run(f"## Status\nsuccess\n\n## Branch\nit is {SECRET} on top of main\n"))
    assert SECRET not in repr(ended.reply)
    assert any(REDACTED in note for note in ended.reply.handoff.notes)


async def test_a_reply_of_five_megabytes_is_taken_in_whole():
    taking = Taking()
    text = handoff("cursor/a-1f2a") + "\n## Notes\n" + (200 * "words " + "\n") * 4_200
    assert len(text) > 5_000_000
    ended = await taking.take(a_run(text))
    assert taking.archive.replies["a", 2] == text.encode()
    assert ended.reply.handoff.branch == "cursor/a-1f2a"


async def test_half_of_a_surrogate_pair_is_no_reason_to_lose_a_reply():
    taking = Taking()
    ended = await taking.take(a_run(handoff() + "\ud83d"))
    assert taking.archive.replies["a", 2].endswith(b"?")
    assert ended.reply.handoff.structured


async def test_a_draft_that_fits_is_what_is_taken():
    taking, run = Taking(), a_run(handoff("cursor/a-1f2a"), branch="cursor/a-1f2a")
    draft = await taking.taker.draft(ROW, run)
    assert taking.archive.replies == {}
    drafted, plain = await taking.taker.take(ROW, run, draft=draft), await Taking().take(run)
    assert drafted == plain
    assert drafted.reply.handoff is draft.handoff


@pytest.mark.parametrize(
    "told", [a_run("## Status\nblocked\n", branch="cursor/a-1f2a"), a_run(handoff("cursor/a-1f2a"), branch="cursor/b")]
)
async def test_a_draft_of_another_reply_or_branch_is_not_used(told):
    taking, run = Taking(), a_run(handoff("cursor/a-1f2a"), branch="cursor/a-1f2a")
    ended = await taking.taker.take(ROW, run, draft=await taking.taker.draft(ROW, told))
    assert ended == await Taking().take(run)
    assert taking.archive.replies["a", 2] == handoff("cursor/a-1f2a").encode()


@pytest.mark.parametrize(
    ("fields", "ended_at"),
    [
        ({}, "2026-03-04T05:01:30Z"),
        ({"duration_ms": 30_500}, "2026-03-04T05:00:30.500Z"),
        ({"duration_ms": 30_500, "created_at": "once"}, "2026-03-04T05:01:30Z"),
        ({"updated_at": "later"}, None),
    ],
)
async def test_a_run_ended_as_long_after_its_beginning_as_it_lasted(fields, ended_at):
    assert (await Taking().take(a_run(handoff(), **fields))).ended_at == ended_at
