import pytest

from orchestrate.cloud.sse import SseEvent
from orchestrate.cloud.stream import FrameReader, SeenFrames, frame_of
from orchestrate.model.wire import Frame


@pytest.mark.parametrize(
    ("event", "data", "expected"),
    [
        ("status", b'{"status":"RUNNING"}', {"status": "RUNNING"}),
        ("tool_call", b'{"data":{"callId":"c","name":"edit"}}', {"callId": "c", "name": "edit"}),  # wrapped
        ("tool_call", b'{"callId":"c","data":{"x":1}}', {"callId": "c", "data": {"x": 1}}),  # not wrapped
        ("tool_call", b'{"data":[1]}', {"data": [1]}),
        ("status", b'{"data":{"x":1}}', {"data": {"x": 1}}),  # only tool calls come wrapped
        ("done", b"", {}),
        ("status", b"not json", {}),
        ("status", b'{"text":"\xff"}', {}),
        ("status", b"[1]", {}),
        ("status", b"null", {}),
        ("status", b"[" * 5000, {}),
    ],
)
def test_the_payload_of_a_frame(event, data, expected):
    assert frame_of(SseEvent("1", event, data)) == Frame("1", event, expected)


async def test_a_reader_gives_frame_by_frame_and_knows_the_last_word():
    async def chunks():
        yield b'id: 1\nevent: status\ndata: {"status":"RUNNING"}\n\nid: 2\nevent: res'
        yield b'ult\ndata: {"status":"FINISHED"}\n\n'

    reader = FrameReader(chunks())
    assert await anext(reader) == Frame("1", "status", {"status": "RUNNING"})
    assert not reader.is_over
    assert [frame async for frame in reader] == [Frame("2", "result", {"status": "FINISHED"})]
    assert reader.is_over


def _new(seen, *frames):
    return [frame for frame in frames if seen.is_new(Frame(*frame))]


def test_frames_that_share_an_id_all_count():
    twins = [("1", "assistant"), ("1", "interaction_update"), ("1", "assistant")]
    assert _new(SeenFrames(), *twins) == twins


def test_a_frame_that_comes_again_after_a_reconnect_does_not_count():
    seen = SeenFrames()
    _new(seen, ("1", "status"), ("2", "assistant"), ("2", "assistant"))
    seen.on_connect()
    again = [("2", "assistant"), ("2", "assistant"), ("2", "interaction_update"), ("3", "assistant")]
    assert _new(seen, *again) == again[2:]


def test_a_whole_replay_counts_nothing_twice():
    seen, frames = SeenFrames(), [(str(number), "assistant") for number in range(100)]
    _new(seen, *frames)
    seen.on_connect(from_start=True)
    assert _new(seen, *frames, ("100", "assistant")) == [("100", "assistant")]


def test_frames_without_an_id_always_count():
    seen = SeenFrames()
    _new(seen, (None, "heartbeat"))
    seen.on_connect()
    assert _new(seen, (None, "heartbeat")) == [(None, "heartbeat")]


def test_a_stream_is_resumed_after_the_last_id_that_is_surely_complete():
    seen = SeenFrames()
    assert seen.resume_after is None
    _new(seen, ("1", "assistant"))
    assert seen.resume_after is None  # more frames of 1 may have been on their way
    _new(seen, ("2", "assistant"))
    assert seen.resume_after == "1"
    seen.on_connect()
    _new(seen, ("2", "assistant"))
    assert seen.resume_after == "1"
    _new(seen, ("2", "interaction_update"), ("3", "assistant"))
    assert seen.resume_after == "2"


def test_a_start_from_the_beginning_forgets_where_to_resume():
    seen = SeenFrames()
    _new(seen, ("1", "assistant"), ("2", "assistant"))
    seen.on_connect(from_start=True)
    assert seen.resume_after is None


def test_the_memory_of_a_long_stream_is_bounded():
    seen = SeenFrames()
    _new(seen, *((str(number), "assistant") for number in range(10_000)))
    assert len(seen._seen) == 4096
