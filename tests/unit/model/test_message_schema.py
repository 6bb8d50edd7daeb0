from orchestrate.model.message_format import queue_document
from orchestrate.model.message_schema import message_fields
from tests.support.messages import a_between_row


def test_every_field_of_a_message_is_in_its_schema():
    (document,) = queue_document(a_between_row().queue)
    assert set(document) <= set(message_fields())
