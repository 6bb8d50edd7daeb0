"""Failed pushes are counted and told in measure; the run goes on, unless a newer engine has the workspace."""

from orchestrate.core.changes import Phase
from orchestrate.core.effects import EndRun
from orchestrate.core.events import PlanRead
from orchestrate.core.publishing_events import EngineSuperseded, StateNotPublished, StatePublished
from orchestrate.model.rows import Unpublished
from tests.support.builders import a_plan, a_running_row, an_unread_state, moment
from tests.support.playbook import Playbook

REF = "orch-state/shop"
SILENT = StateNotPublished(ref=REF, reason="git push: timed out")


def running():
    return Playbook(an_unread_state(a_running_row("a"))).tell(PlanRead(plan=a_plan("a")))


def test_failures_in_a_row_are_counted_and_told_at_the_third():
    book = running()
    told = []
    for _ in range(4):
        book.tell(SILENT).asks()
        told.append(book.attention())
    assert book.state.workspace.unpublished == Unpublished(moment(2), 4, REF, "git push: timed out")
    assert [len(each) for each in told] == [0, 0, 1, 0]
    assert told[2][0].startswith(f"state was not pushed to {REF} (git push: timed out, 3 times); the run goes on.")


def test_a_refusal_is_told_at_once_and_only_once():
    refused = StateNotPublished(ref=REF, reason="403", is_refused=True)
    book = running().tell(refused)
    assert book.attention()[0].startswith(f"state was not pushed to {REF} (403); the run goes on.")
    assert book.tell(refused).attention() == []


def test_a_push_that_works_again_ends_the_count():
    book = running().tell(SILENT).tell(StatePublished(ref=REF))
    assert book.state.workspace.unpublished is None
    assert book.attention() == [f"state is on {REF} again, after 1 failed pushes."]
    book.tell(StatePublished(ref=REF)).changes_nothing()


def test_an_older_engine_leaves_and_its_agents_go_on():
    book = running().tell(EngineSuperseded(ref=REF)).asks(EndRun(exit_code=1))
    assert book.state.session.phase == Phase.ENDED
    assert "this one stops" in book.attention()[0]
    book.leaves("a", run_id=book.row("a").run_id, status="running")


def test_one_that_leaves_already_only_tells():
    book = running().tell(EngineSuperseded(ref=REF))
    assert len(book.tell(EngineSuperseded(ref=REF)).asks().attention()) == 1
