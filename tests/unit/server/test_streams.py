import json

from hypothesis import given, strategies as st

from orchestrate.model.vocabulary import RunStatus
from orchestrate.server.records import RunRecord
from orchestrate.server.runners.contract import Transcript
from orchestrate.server.streams import (
    REPLY_BYTES,
    Position,
    Step,
    error_frame,
    frames_after,
    is_within,
    read_position,
    reply_of,
)


class Memory:
    def __init__(self, content):
        self.content = content

    def size(self):
        return len(self.content)

    def read(self, offset, *, limit):
        return self.content[offset : offset + max(limit, 0)]


def transcript(stdout=b"", stderr=b""):
    return Transcript(Memory(stdout), Memory(stderr))


def run(status=RunStatus.RUNNING, *, said=None, **fields):
    sizes = {} if said is None else {"stdout_bytes": said.stdout.size(), "stderr_bytes": said.stderr.size()}
    values = {"runner": "command", "created_at": "c", "updated_at": "u", "started_at": "s", **sizes, **fields}
    return RunRecord("run-1", "bc-1", status=status, **values)


def frames(piece):
    parsed = []
    for block in piece.decode().split("\n\n")[:-1]:
        fields = dict(line.split(": ", 1) for line in block.split("\n"))
        parsed.append((fields["event"], fields.get("id"), json.loads(fields["data"])))
    return parsed


def all_frames(record, said, position=Position()):  # noqa: B008  immutable
    result = []
    while True:
        piece, position = frames_after(position, run=record, transcript=said)
        if not piece:
            return result
        result += frames(piece)


def test_a_run_that_is_being_made_says_so():
    assert all_frames(run(RunStatus.CREATING, started_at=None), transcript()) == [
        ("status", "0.0.1", {"status": "CREATING"})
    ]


def test_a_run_tells_its_life_in_order():
    said = transcript(b"reply", b"line\nhalf")

    assert all_frames(run(RunStatus.FINISHED, said=said, duration_ms=5.0), said) == [
        ("status", "0.0.2", {"status": "RUNNING"}),
        ("thinking", "0.9.2", {"text": "line\nhalf"}),
        ("assistant", "5.9.2", {"text": "reply"}),
        ("status", "5.9.3", {"status": "FINISHED"}),
        ("result", "5.9.4", {"status": "FINISHED", "durationMs": 5.0, "result": "reply"}),
        ("done", "5.9.5", {}),
    ]


def test_an_error_is_told_twice():
    record = run(RunStatus.ERROR, error_message="why", error_code="agent_exit")

    (_, status, result, _) = all_frames(record, transcript())

    assert status[2] == {"status": "ERROR", "message": "why"}
    assert result[2]["error"] == {"message": "why", "code": "agent_exit"}


def test_half_a_line_of_activity_waits_while_the_run_lives():
    said = transcript(stderr=b"whole\nhalf")

    assert all_frames(run(), said)[1:] == [("thinking", "0.6.2", {"text": "whole\n"})]


def test_a_progress_bar_is_made_of_lines():
    assert all_frames(run(), transcript(stderr=b"10%\r20%\r3"))[1:] == [("thinking", "0.8.2", {"text": "10%\r20%\r"})]


def test_an_endless_line_of_activity_is_sent_in_pieces():
    said = transcript(stderr=b"x" * 100_000)

    assert [len(frame[2]["text"]) for frame in all_frames(run(), said)[1:]] == [65_536]
    ended = all_frames(run(RunStatus.FINISHED, said=said), said)
    assert sum(len(frame[2]["text"]) for frame in ended if frame[0] == "thinking") == 100_000


def test_half_a_character_waits_while_the_run_lives_and_is_replaced_at_its_end():
    said = transcript(b"a\xc3")

    assert all_frames(run(), said)[1:] == [("assistant", "1.0.2", {"text": "a"})]
    assert all_frames(run(RunStatus.FINISHED, said=said), said)[1] == ("assistant", "2.0.2", {"text": "a\ufffd"})


def test_what_a_leftover_process_adds_after_the_end_is_no_part_of_the_run():
    record = run(RunStatus.FINISHED, stdout_bytes=3)

    assert all_frames(record, transcript(b"endmore", b"more"))[-2][2]["result"] == "end"


@given(st.binary(max_size=200), st.binary(max_size=200), st.data())
def test_resuming_after_any_frame_gives_exactly_the_rest(stdout, stderr, data):
    said = transcript(stdout, stderr)
    record = run(RunStatus.FINISHED, said=said)
    whole = all_frames(record, said)
    number = data.draw(st.integers(0, len(whole) - 1))

    position = read_position(whole[number][1])

    assert position is not None
    assert is_within(position, run=record, transcript=said)
    assert all_frames(record, said, position) == whole[number + 1 :]


@given(st.text(max_size=50), st.integers(0, 300))
def test_what_arrives_in_two_parts_is_told_as_one_text(text, cut):
    raw = text.encode()
    first, position = frames_after(Position(step=Step.RUNNING), run=run(), transcript=transcript(raw[:cut]))
    said = transcript(raw)
    rest = all_frames(run(RunStatus.FINISHED, said=said), said, position)

    told = "".join(frame[2]["text"] for frame in [*frames(first), *rest] if frame[0] == "assistant")
    assert told == text


def test_ids_are_read_back():
    assert read_position(str(Position(12, 3, Step.RUNNING))) == Position(12, 3, Step.RUNNING)
    for wrong in ("", "1", "1.2", "1.2.3.4", "a.b.c", "-1.0.0", "1.1.6", "٣.0.0", f"{10**19}.0.0", " 1.0.0"):
        assert read_position(wrong) is None


def test_a_position_beyond_what_was_said_is_not_within():
    assert not is_within(Position(1, 0), run=run(), transcript=transcript())
    assert not is_within(Position(0, 1), run=run(), transcript=transcript())
    assert is_within(Position(1, 1), run=run(), transcript=transcript(b"x", b"y"))


def test_there_is_no_reply_before_the_end():
    assert reply_of(run(), transcript(b"x")) is None


def test_the_end_of_a_long_reply_begins_with_a_whole_character():
    said = transcript("ä".encode() * (REPLY_BYTES // 2) + b"x")

    reply = reply_of(run(RunStatus.FINISHED, said=said), said)

    assert reply == "ä" * (REPLY_BYTES // 2 - 1) + "x"


def test_bytes_without_any_character_are_all_replaced():
    said = transcript(b"\x80" * (REPLY_BYTES + 1))

    assert set(reply_of(run(RunStatus.FINISHED, said=said), said)) == {"\ufffd"}


def test_the_reply_of_a_record_goes_before_the_transcript():
    assert reply_of(run(RunStatus.FINISHED, reply="own"), transcript(b"x")) == "own"


def test_an_error_frame_has_no_id():
    assert frames(error_frame("code", "words")) == [("error", None, {"code": "code", "message": "words"})]
