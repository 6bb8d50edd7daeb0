"""The skill for agents says what is so; its commands, links and JSON are checked with those of the docs."""

import re

import pytest

from orchestrate.model.checking import parse_plan
from orchestrate.model.vocabulary import FailureMode, HandoffStatus, TaskType, Verification
from orchestrate.text.handoffs import parse_handoff
from tests.support.documents import document, documents
from tests.support.wheel import PROJECT

SKILL = PROJECT / "skills/orchestrate"
LONGEST_DESCRIPTION = 1024


def test_readers_of_skills_find_name_and_description() -> None:
    head = re.match(r"---\nname: (.+)\ndescription: >-\n((?:  .+\n)+)---\n", (SKILL / "SKILL.md").read_text())

    assert head is not None
    assert head[1] == SKILL.name
    assert len(head[2]) < LONGEST_DESCRIPTION


def test_its_pages_are_checked_with_the_docs_and_each_is_linked() -> None:
    pages = {page.path for page in documents() if SKILL in page.path.parents}
    linked = {(SKILL / target).resolve() for target in document("skills/orchestrate/SKILL.md").links()}

    assert pages == {*linked, SKILL / "SKILL.md"}
    assert len([command for page in documents() if page.path in pages for command in page.commands()]) > 10


def test_its_plan_is_sound() -> None:
    (block,) = document("skills/orchestrate/references/planner.md").blocks("json")

    assert parse_plan(block.encode())[1] == []


def test_its_handoffs_are_read_as_they_are_meant() -> None:
    worker, verifier = document("skills/orchestrate/references/handoffs.md").blocks("markdown")

    done = parse_handoff(worker, task_type=TaskType.WORKER)
    checked = parse_handoff(verifier, task_type=TaskType.VERIFIER)

    assert (done.status, done.branch) == (HandoffStatus.SUCCESS, "cursor/writer-1f2a")
    assert done.verification is Verification.UNIT_TEST_VERIFIED
    assert (checked.verification, checked.branch) == (Verification.VERIFIER_FAILED, None)
    assert (done.notes, checked.notes) == ((), ())


@pytest.mark.parametrize("words", [HandoffStatus, Verification, FailureMode])
def test_it_names_every_word_of_a_handoff(words) -> None:
    text = (SKILL / "references/handoffs.md").read_text()

    assert [word.value for word in words if f"`{word.value}`" not in text and f": {word.value}`" not in text] == []
