import pytest

from orchestrate.model.call_classes import CallClass
from orchestrate.server.fault_plan import Deed, Rule
from orchestrate.server.injected_streams import BrokenOff, spoiled
from orchestrate.server.streams import HEARTBEAT

PIECE = b"event: a\n\nevent: b\n\n"


async def sent_by(rule, *, more_body=False):
    sent = []

    async def send(message):
        sent.append(message)

    altered = spoiled(send, rule)
    await altered({"type": "http.response.start", "status": 200, "headers": []})
    try:
        await altered({"type": "http.response.body", "body": PIECE, "more_body": more_body})
    except BrokenOff:
        sent.append("broken")
    assert sent[0]["type"] == "http.response.start"
    return [message if message == "broken" else message["body"] for message in sent[1:]]


def a_rule(deed, **fields):
    return Rule(do=deed, call=CallClass.STREAM, **fields)


@pytest.mark.parametrize(
    ("rule", "bodies"),
    [
        (a_rule(Deed.CUT), ["broken"]),
        (a_rule(Deed.CUT, frames=1), [b"event: a\n\n", "broken"]),
        (a_rule(Deed.CUT, frames=2), [b"event: a\n\n", b"event: b\n\n", "broken"]),
        (a_rule(Deed.REPEAT), [b"event: a\n\n" * 2, b"event: b\n\n" * 2, b""]),
        (a_rule(Deed.HEARTBEATS), [HEARTBEAT, HEARTBEAT, b""]),
    ],
)
async def test_frames_are_cut_repeated_or_withheld(rule, bodies):
    assert await sent_by(rule) == bodies


async def test_a_stream_that_goes_on_is_not_ended():
    assert await sent_by(a_rule(Deed.CUT, frames=3), more_body=True) == [b"event: a\n\n", b"event: b\n\n"]
