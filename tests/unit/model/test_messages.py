from tests.support.messages import a_message


def test_a_message_waits_until_something_is_said_of_it():
    message = a_message()
    assert (message.due_at, message.sent_at, message.run_id, message.step) == (None, None, None, 0)
