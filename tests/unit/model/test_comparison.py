from orchestrate.model.comparison import Comparison
from orchestrate.model.vocabulary import MeasurementOutcome


def test_a_comparison_is_what_it_says():
    comparison = Comparison(MeasurementOutcome.MATCH, 0.0, "as claimed")
    assert (comparison.outcome, comparison.drift, comparison.detail) == ("match", 0.0, "as claimed")
