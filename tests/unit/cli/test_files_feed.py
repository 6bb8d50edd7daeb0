import json

import pytest

from orchestrate.cli.files_feed import FilesFeed, plan_of_rows
from orchestrate.cli.locating import locate
from orchestrate.cli.picture import picture_of
from orchestrate.core.scheduling import hold_reason
from orchestrate.model.names import EngineId, TaskName
from orchestrate.model.records import Record
from orchestrate.model.rows import Andon, Attention, Workspace
from orchestrate.model.vocabulary import TaskStatus
from tests.support.builders import (
    SLUG,
    START,
    WORKSPACE,
    a_handed_off_row,
    a_row,
    a_running_row,
    a_task,
    moment,
)
from tests.support.workspaces import a_plan_document, write_journal, write_plan, write_state

CHAIN = (a_task("a"), a_task("b", depends_on=("a",), maxAttempts=2))


def record(seq, *rows, event=None, **fields):
    return Record(seq, EngineId("e"), moment(seq), event or {"type": "RunEnded"}, rows=rows, **fields)


@pytest.fixture
def feed(tmp_path):
    def make() -> FilesFeed:
        return FilesFeed(picture_of(locate(str(tmp_path), needs_plan=False), now=START))

    return make


def test_what_was_there_before_is_the_first_publication(tmp_path, feed):
    write_plan(tmp_path, a_plan_document(*CHAIN))
    write_state(tmp_path, (a_running_row("a"), a_row("b", depends_on=("a",))))
    first = feed().first()
    assert {row.name for row in first.rows} == {"a", "b"}
    assert dict(first.state.waiting) == {"b": 1}
    assert first.state.counts[TaskStatus.RUNNING] == 1
    assert first.state.plan.task(TaskName("b")).max_attempts == 2


def test_records_become_publications_and_nothing_is_decided(tmp_path, feed):
    write_plan(tmp_path, a_plan_document(*CHAIN))
    write_state(tmp_path, (a_running_row("a"), a_row("b", depends_on=("a",))))
    made = feed()
    assert made.news() is None
    told = record(1, a_handed_off_row("a"), attention=(Attention(moment(), "a: look"),))
    write_journal(tmp_path, [told])
    publication, records = made.news()
    assert records == (told,)
    assert publication.rows == told.rows
    assert publication.attention == told.attention
    assert dict(made.state.waiting) == {"b": 0}
    assert made.state.rows[TaskName("b")].status == TaskStatus.PENDING
    assert made.news() is None


def test_a_raised_andon_is_seen(tmp_path, feed):
    write_plan(tmp_path, a_plan_document(*CHAIN))
    write_state(tmp_path, (a_row("a"),))
    made = feed()
    write_journal(tmp_path, [record(1, workspace=Workspace(WORKSPACE, SLUG, andon=Andon(raised_at=moment())))])
    made.news()
    assert hold_reason(made.state) == "the andon is raised"


def test_a_plan_that_the_engine_read_again_is_read_again(tmp_path, feed):
    write_plan(tmp_path, a_plan_document(*CHAIN))
    write_state(tmp_path, (a_row("a"), a_row("b", depends_on=("a",))))
    made = feed()
    write_plan(tmp_path, a_plan_document(a_task("a"), a_task("c", depends_on=("a",))))
    write_journal(tmp_path, [record(1, a_row("c", depends_on=("a",)), event={"type": "PlanRead"})])
    made.news()
    assert set(made.plan.tasks_by_name) == {"a", "c"}
    assert made.state.waiting["c"] == 1


def test_before_the_first_run_the_plans_tasks_wait(tmp_path, feed):
    write_plan(tmp_path, a_plan_document(*CHAIN))
    made = feed()
    assert dict(made.state.counts) == {TaskStatus.PENDING: 2}
    write_journal(
        tmp_path,
        [record(1, workspace=Workspace(WORKSPACE, SLUG)), record(2, a_row("a"), a_row("b", depends_on=("a",)))],
    )
    made.news()
    assert made.state.workspace.workspace_id == WORKSPACE
    assert dict(made.state.counts) == {TaskStatus.PENDING: 2}


@pytest.mark.parametrize("plan", [None, "{", "[]", json.dumps(a_plan_document())])
def test_without_a_plan_that_can_be_used_the_rows_say_what_there_is(tmp_path, feed, plan):
    if plan is not None:
        (tmp_path / "plan.json").write_text(plan)
    rows = (a_running_row("a"), a_row("b", depends_on=("a", "gone")), a_row("old", status=TaskStatus.PRUNED))
    write_state(tmp_path, rows)
    made = feed()
    assert made.plan.root_slug == SLUG
    assert list(made.plan.tasks_by_name) == ["a", "b"]
    assert dict(made.state.waiting) == {"b": 2}


def test_a_workspace_that_was_reset_is_read_anew(tmp_path, feed):
    write_plan(tmp_path, a_plan_document(*CHAIN))
    write_journal(tmp_path, [record(1, a_running_row("a"), workspace=Workspace(WORKSPACE, SLUG))])
    made = feed()
    (tmp_path / "journal.jsonl").unlink()
    publication, records = made.news()
    assert records == ()
    assert made.state.counts.get(TaskStatus.RUNNING, 0) == 0
    assert publication.state is made.state


def test_a_plan_of_rows_has_what_surfaces_ask_for():
    plan = plan_of_rows([a_row("a")], slug="x")
    assert (plan.task(TaskName("a")).max_attempts, plan.limits.max_concurrent, plan.is_local) == (None, None, False)
