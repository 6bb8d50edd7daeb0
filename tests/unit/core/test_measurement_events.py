"""What was measured, as the journal tells it."""

from orchestrate.core.facts import facts_of
from orchestrate.core.measurement_events import MeasurementsTaken
from orchestrate.model.rows import Measured
from orchestrate.model.vocabulary import MeasurementOutcome
from tests.support.builders import moment


def test_the_journal_tells_each_outcome():
    measured = Measured("size", MeasurementOutcome.MATCH, moment(), "as claimed", "5ea", "5", 0.5)
    facts = facts_of(MeasurementsTaken(task="a", sha="5ea", measured=(measured,)))
    assert facts["measured"][0] == {
        "name": "size",
        "outcome": "match",
        "detail": "as claimed",
        "sha": "5ea",
        "value": "5",
        "drift": 0.5,
    } | {key: value for key, value in facts["measured"][0].items() if key == "at"}
