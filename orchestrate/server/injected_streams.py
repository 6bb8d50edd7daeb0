"""Streams that go wrong: what is sent is taken apart into frames, and the frames are cut, repeated or withheld."""

from collections.abc import Iterator

from starlette.types import Message, Send

from orchestrate.server.fault_plan import Deed, Rule
from orchestrate.server.streams import HEARTBEAT

_END = b"\n\n"


class BrokenOff(Exception):
    """The stream has had its last frame."""


def spoiled(send: Send, rule: Rule) -> Send:
    """``send`` for a stream that this rule is about."""
    left = rule.frames

    async def send_spoiled(message: Message) -> None:
        nonlocal left
        if message["type"] != "http.response.body":
            await send(message)
            return
        for frame in _frames(message.get("body", b"")):
            if rule.do is Deed.CUT and left == 0:
                raise BrokenOff
            left -= 1
            await send({"type": "http.response.body", "body": _instead(frame, rule), "more_body": True})
        is_cut = rule.do is Deed.CUT and left == 0
        if is_cut:
            raise BrokenOff
        if not message.get("more_body", False):
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    return send_spoiled


def _frames(piece: bytes) -> Iterator[bytes]:
    """A server of ours sends whole frames in each piece."""
    return (part + _END for part in piece.split(_END) if part)


def _instead(frame: bytes, rule: Rule) -> bytes:
    match rule.do:
        case Deed.REPEAT:
            return frame * rule.copies
        case Deed.HEARTBEATS:
            return HEARTBEAT
        case _:
            return frame
