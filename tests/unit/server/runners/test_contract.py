from dataclasses import replace

from orchestrate.model.vocabulary import RunStatus
from orchestrate.model.wire import CreateAgent, LocalAgent
from orchestrate.server.records import AgentRecord, RunRecord
from orchestrate.server.runners.contract import LiveRun, Order

AGENT = AgentRecord("bc-1", "/bc-1/", "null", "2026", "run-1", {}, b"", {})
RUN = RunRecord("run-1", "bc-1", "null", RunStatus.RUNNING, "2026", "2026")
ORDER = Order(None, CreateAgent.model_validate({"prompt": {"text": "x"}}), LocalAgent(), "name", b"")


def test_news_that_were_taken_before_looking_are_never_missed():
    live = LiveRun(agent=AGENT, run=RUN, order=ORDER)
    taken = live.news

    live.announce()

    assert taken.is_set()
    assert not live.news.is_set()


def test_a_cancel_that_was_asked_for_before_a_restart_still_holds():
    assert not LiveRun(agent=AGENT, run=RUN, order=ORDER).cancel.is_set()
    assert LiveRun(agent=AGENT, run=replace(RUN, cancel_requested=True), order=ORDER).cancel.is_set()
