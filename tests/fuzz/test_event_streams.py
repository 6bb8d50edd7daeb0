"""Whatever a stream brings, however it is cut: the same events, each counted once, and no error but ours."""

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from orchestrate.cloud.sse import SseEvent, SseParser
from orchestrate.cloud.stream import SeenFrames, frame_of
from orchestrate.errors import ProtocolBroken
from orchestrate.model.wire import Frame
from tests.support.fuzzing import fuzzed, odd_text

PIECES = (
    b"\r", b"\n", b"\r\n", b"\n\n", b":", b": keep-alive\n\n", b"id: 1\n", b"id\n", b"id: \0\n", b"event: result\n",
    b"event: tool_call\n", b"event: done\n\n", b"event: heartbeat\n\n", b"data\n", b"data: {}\n\n", b'data: {"text":"',
    b'"}\n\n', b"data: [1]\n\n", b"data: {\n", b"retry: 5\n", b"retry: \xc2\xb2\n", b"\xef\xbb\xbf", "\u2028\u0085\u00e9".encode(),
    b"\xff\xfe", b"data: \xf0\x9f\x98", b"\x80\n\n", b"data: 1e999\n\n", b"data: " + b"[" * 2000 + b"\n\n",
)  # fmt: skip
streams = st.lists(st.one_of(st.sampled_from(PIECES), st.binary(max_size=6)), max_size=30).map(b"".join)


def parsed(chunks: Sequence[bytes]) -> list[SseEvent]:
    parser = SseParser()
    return [event for chunk in chunks for event in parser.feed(chunk)]


@fuzzed
@given(streams, st.lists(st.integers(0, 400), max_size=12))
def test_garbage_gives_the_same_frames_however_it_is_cut(stream, cuts):
    places = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    events = parsed([stream])

    assert parsed([stream[start:end] for start, end in pairwise(places)]) == events
    assert all(isinstance(frame_of(event).data, dict) for event in events)


@fuzzed
@given(streams, odd_text)
def test_an_event_comes_through_whatever_came_before_it(stream, text):
    event = (
        b"\n\nid: last\nevent: assistant\ndata: "
        + text.encode("utf-8", "replace").replace(b"\r", b"").replace(b"\n", b"")
        + b"\n\n"
    )

    last = parsed([stream + event])[-1]

    assert (last.id, last.event) == ("last", "assistant")
    assert last.data == event.split(b"data: ", 1)[1][:-2]


@fuzzed
@given(st.data())
def test_each_frame_counts_once_wherever_the_connection_is_cut(data):
    """The service sends from the frame after ``Last-Event-ID`` on, or, told no id, from the first."""
    ids = data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=8))
    sent = [
        Frame(f"{number}", event, {})
        for number, count in enumerate(ids)
        for event in data.draw(st.lists(st.sampled_from(["assistant", "tool_call"]), min_size=count, max_size=count))
    ]
    seen, counted = SeenFrames(), []
    for _ in range(data.draw(st.integers(0, 5))):
        counted += delivered(seen, sent, length=data.draw(st.integers(0, len(sent))))
    counted += delivered(seen, sent, length=len(sent))

    assert counted == sent


def delivered(seen: SeenFrames, sent: Sequence[Frame], *, length: int) -> list[Frame]:
    """The new ones among the frames of one more connection that breaks after so many."""
    seen.on_connect()
    after = seen.resume_after
    start = 0 if after is None else 1 + max(place for place, frame in enumerate(sent) if frame.id == after)
    return [frame for frame in sent[start : start + length] if seen.is_new(frame)]


@pytest.mark.parametrize("size", [1000, 100_000])
def test_an_endless_event_breaks_the_stream_however_long_its_lines_are(size):
    parser, line = SseParser(), b"data: " + b"x" * size + b"\n"

    with pytest.raises(ProtocolBroken):
        take_many(parser, line * (1_000_000 // size), times=18)


def take_many(parser: SseParser, chunk: bytes, *, times: int) -> None:
    for _ in range(times):
        assert parser.feed(chunk) == []
