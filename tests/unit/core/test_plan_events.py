from orchestrate.core.facts import facts_of
from orchestrate.core.plan_events import PlanNotTaken


def test_the_journal_tells_why():
    assert facts_of(PlanNotTaken(message="a fault")) == {"type": "PlanNotTaken", "message": "a fault"}
