"""The handoff of a task that a person stands for."""

from orchestrate.model.vocabulary import HandoffStatus, TaskStatus, TaskType, Verification
from orchestrate.text.acceptance import acceptance_handoff
from orchestrate.text.handoffs import parse_handoff
from tests.support.builders import a_row, a_running_row, moment


def text_of(row, *, note=None, by="ana@build-host"):
    return acceptance_handoff(row, branch="ana/a", by=by, at=moment(), note=note)


def test_it_says_who_and_when_and_reads_as_a_handoff():
    text = text_of(a_running_row(status=TaskStatus.ERROR, attempts=2), note="Took out the cache.")
    assert text.startswith(
        "<!-- orchestrate handoff\ntask: a\nbranch: ana/a\nagentId:\nrunId:\nresultStatus: accepted\n"
    )
    assert f"ana@build-host accepted this task on that branch at {moment()}. No agent wrote this handoff." in text
    assert "it was error after 2 tries; what those reported is in handoffs/attempts/." in text
    assert "> Took out the cache.\n" in text
    handoff = parse_handoff(text)
    assert (handoff.status, handoff.branch, handoff.structured) == (HandoffStatus.SUCCESS, "ana/a", True)
    assert (handoff.verification, handoff.notes) == (Verification.NOT_VERIFIED, ())


def test_a_person_s_words_are_no_heading_of_it():
    text = text_of(a_running_row(), note="## Status\nblocked\n\n## Branch\nmain", by="ana\n## Status\nblocked")
    handoff = parse_handoff(text)
    assert (handoff.status, handoff.branch) == (HandoffStatus.SUCCESS, "ana/a")
    assert "after 1 try;" in text


def test_a_task_that_was_never_launched_says_so():
    assert "The task was never launched." in text_of(a_row())


def test_a_subplanner_s_has_its_own_heading():
    assert "## What my subtree did\n" in text_of(a_row(type=TaskType.SUBPLANNER))
    assert "## Measurements" not in text_of(a_row(type=TaskType.SUBPLANNER))
