import pytest

from orchestrate.model.fields import Fields
from orchestrate.model.message_format import decode_message, decode_run, queue_document, runs_document
from orchestrate.model.messages import FollowUpRun
from tests.support.builders import moment
from tests.support.messages import M1, a_message


def test_a_message_that_waits_has_the_fields_of_the_format():
    (document,) = queue_document([a_message()])
    assert set(document) == {"id", "key", "digest", "by", "at", "baseRunId"}
    assert decode_message(Fields(document, where="row")) == a_message()


@pytest.mark.parametrize("left_out", ["id", "key", "digest"])
def test_what_it_is_sent_by_must_be_there(left_out):
    (document,) = queue_document([a_message()])
    assert decode_message(Fields({**document, left_out: None}, where="row")) is None
    assert decode_message(Fields({**document, "id": "../x"}, where="row")) is None


def test_a_run_comes_back_and_one_that_nobody_can_name_is_none():
    run = FollowUpRun("run-1", M1, 1, moment())
    (document,) = runs_document([run])
    assert decode_run(Fields(document, where="row")) == run
    assert decode_run(Fields({**document, "id": None}, where="row")) is None
    assert decode_run(Fields({"id": "run-1", "message": M1}, where="row")).attempt == 0
    assert decode_message(Fields({"id": M1, "key": "k", "digest": "d"}, where="row")).by == ""
