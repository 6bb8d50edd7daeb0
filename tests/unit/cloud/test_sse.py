from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from orchestrate.cloud import sse
from orchestrate.cloud.sse import SseEvent, SseParser
from orchestrate.errors import ProtocolBroken

ODD = (
    "\ufeff: a comment\r\n"
    "retry: 3000\n"
    'id: 1\revent: assistant\rdata: {"text":"é\u2028\u0085😀"}\r\r'
    "data\n\n"
    "event: heartbeat\n\n"
    "id: 2\r\ndata:one\r\ndata: two\r\ndata:  three\r\n\r\n"
    "event: done\ndata: {}\n\n"
    "data: never finished"
).encode()
ODD_EVENTS = [
    SseEvent("1", "assistant", '{"text":"é\u2028\u0085😀"}'.encode()),
    SseEvent("1", "message", b""),
    SseEvent("1", "heartbeat", b""),
    SseEvent("2", "message", b"one\ntwo\n three"),
    SseEvent("2", "done", b"{}"),
]


def _parse(*chunks):
    parser = SseParser()
    return [event for chunk in chunks for event in parser.feed(chunk)]


@given(st.lists(st.integers(0, len(ODD)), max_size=40))
def test_the_events_do_not_depend_on_where_chunks_are_cut(cuts):
    places = [0, *sorted(cuts), len(ODD)]
    assert _parse(*(ODD[start:end] for start, end in pairwise(places))) == ODD_EVENTS


def test_one_byte_at_a_time_gives_the_same_events():
    assert _parse(*(ODD[place : place + 1] for place in range(len(ODD)))) == ODD_EVENTS


@given(
    st.lists(
        st.sampled_from([b"\r", b"\n", b"\r\n", b"data: x", b"data", b": c", b"id:1", b"event: done", b"\xef\xbb\xbf"])
    )
)
def test_any_stream_gives_the_same_events_whole_and_in_bytes(pieces):
    stream = b"".join(pieces)
    assert _parse(stream) == _parse(*(stream[place : place + 1] for place in range(len(stream))))


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        (b"data: a\n\n", [SseEvent(None, "message", b"a")]),
        (b"data:a\n\n", [SseEvent(None, "message", b"a")]),  # one space after the colon is optional,
        (b"data:  a\n\n", [SseEvent(None, "message", b" a")]),  # and only one is taken away
        (b"data:a:b\n\n", [SseEvent(None, "message", b"a:b")]),
        (b"data: a\ndata\ndata: b\n\n", [SseEvent(None, "message", b"a\n\nb")]),
        (b"data: a", []),  # no blank line, no event
        (b"event: status\n\n", []),  # no data, no event
        (b"event: status\n\ndata: a\n\n", [SseEvent(None, "message", b"a")]),  # and its name is forgotten
        (b"event: done\n\n", [SseEvent(None, "done", b"")]),  # but these mean something without
        (b"event: heartbeat\n\n", [SseEvent(None, "heartbeat", b"")]),
        (b"id: 7\n\ndata: a\n\n", [SseEvent("7", "message", b"a")]),  # an id stays until the next one
        (b"id: 7\nid\ndata: a\n\n", [SseEvent(None, "message", b"a")]),  # or until it is taken back
        (b"id: 7\nid: a\0b\ndata: a\n\n", [SseEvent("7", "message", b"a")]),
        (b"Data: a\n data: b\nwords: c\n\n", []),  # names count letter by letter
        (b"\n\n\n: only comments\n\n", []),
        (b"data: \xff\n\n", [SseEvent(None, "message", b"\xff")]),
        (b"event: a\x85b\xe2\x80\xa8c\ndata: x\n\n", [SseEvent(None, "a\ufffdb\u2028c", b"x")]),
        (b"data: a\x0b\x0cb\x1c\n\n", [SseEvent(None, "message", b"a\x0b\x0cb\x1c")]),  # these end no line
        (
            b"\xef\xbb\xbfdata: a\n\n\xef\xbb\xbfdata: b\n\n",
            [SseEvent(None, "message", b"a")],
        ),  # one mark, at the start
        (b"", []),
    ],
)
def test_odd_streams(stream, events):
    assert _parse(stream) == events


@pytest.mark.parametrize(
    ("line", "retry"), [(b"1500", 1500), (b"soon", None), (b"", None), (b"9" * 40, None), (b"-1", None)]
)
def test_the_wait_before_a_reconnect_is_kept_if_it_is_a_number(line, retry):
    parser = SseParser()
    parser.feed(b"retry: " + line + b"\n")
    assert parser.retry == retry


@pytest.mark.parametrize(
    "chunk", [b"data: " + b"x" * 50, b"data: " + b"x" * 50 + b"\n", b"data:" + b"xxxx" * 10 + b"\ndata:" + b"x" * 30]
)
def test_an_endless_line_or_event_breaks_the_stream(monkeypatch, chunk):
    monkeypatch.setattr(sse, "LONGEST_EVENT", 45)
    with pytest.raises(ProtocolBroken) as caught:
        _parse(chunk)
    assert caught.value.code == "event_too_long"


def test_many_events_of_the_longest_size_are_no_endless_event(monkeypatch):
    monkeypatch.setattr(sse, "LONGEST_EVENT", 10)
    assert len(_parse(*[b"data:123456\n\n"] * 5)) == 5
