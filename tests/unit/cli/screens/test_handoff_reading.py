from orchestrate.cli.screens.handoff_reading import reading_document, reading_lines
from orchestrate.model.handoff import Handoff, MeasurementClaim
from orchestrate.model.vocabulary import FailureMode


def test_what_was_not_read_is_said_so():
    lines = reading_lines(Handoff(notes=("Status: the section is missing",)), task_type="worker")
    assert lines == [
        "handoff       no: none of its headings is there, a postmortem would be written beside it",
        "status        (not read)",
        "branch        (not read)",
        "verification  (not read)",
        "note          Status: the section is missing",
    ]


def test_everything_that_was_read_has_a_line():
    found = Handoff(
        structured=True, says_no_branch=True, failure_mode=FailureMode.OOM, pr_number=5, measurements_none=True
    )
    assert reading_lines(found, task_type="verifier") == [
        "branch        none, it says so",
        "verification  (not read)",
        "failure mode  oom",
        "pull request  #5",
        "measurements  none, it says so",
        "notes         none: nothing in it is odd",
    ]


def test_the_document_has_every_field():
    found = Handoff(measurements=(MeasurementClaim("a", "1", "→", "2"),), notes=("odd",))
    document = reading_document(found)
    assert document["measurements"] == [{"name": "a", "before": "1", "op": "→", "after": "2"}]
    assert (document["notes"], document["status"], document["saysNoBranch"]) == (["odd"], None, False)
