"""The frames of a run's stream, computed from what the run has said and how it stands.

A frame's id is ``<bytes of stdout>.<bytes of stderr>.<step>``: how far a client is that has handled the frame. So an id
resumes exactly, also after a restart of the server, and nothing has to be kept for it. Stdout becomes ``assistant``
frames. Stderr becomes ``thinking`` frames of whole lines: it is text of the program that is no reply, and the
contract has no word that fits better; its ``tool_call`` would claim to know of a tool.
"""

import codecs
from enum import IntEnum
from typing import NamedTuple

import orjson

from orchestrate.model.vocabulary import RunStatus
from orchestrate.server.records import RunRecord, outcome_answer
from orchestrate.server.runners.contract import Source, Transcript

#: The longest reply that is kept: its end.
REPLY_BYTES = 5_000_000
HEARTBEAT = b"event: heartbeat\ndata: {}\n\n"

_CHUNK_BYTES = 65_536
_MOST_DIGITS = 18


class Step(IntEnum):
    """What a stream has said beside the output."""

    NOTHING = 0
    CREATING = 1
    RUNNING = 2
    ENDED = 3
    RESULT = 4
    DONE = 5


class Position(NamedTuple):
    """How far a client is."""

    stdout: int = 0
    stderr: int = 0
    step: Step = Step.NOTHING

    def __str__(self) -> str:
        """The position as a frame's id."""
        return f"{self.stdout}.{self.stderr}.{int(self.step)}"


def read_position(text: str) -> Position | None:
    """The position that an id of ours stands for; None for anything else."""
    parts = text.split(".")
    if len(parts) != 3 or not all(part.isascii() and part.isdigit() and len(part) <= _MOST_DIGITS for part in parts):  # noqa: PLR2004  an id has three parts
        return None
    stdout, stderr, step = map(int, parts)
    return Position(stdout, stderr, Step(step)) if step <= Step.DONE else None


def is_within(position: Position, *, run: RunRecord, transcript: Transcript) -> bool:
    """Whether a stream of this run can have been there."""
    stdout, stderr = _sizes(run, transcript)
    return position.stdout <= stdout and position.stderr <= stderr


def reply_of(run: RunRecord, transcript: Transcript) -> str | None:
    """The last message of a run that has ended: the last 5 MB of its stdout."""
    if not run.status.is_terminal:
        return None
    if run.reply is not None:
        return run.reply
    start = max(run.stdout_bytes - REPLY_BYTES, 0)
    tail = transcript.stdout.read(start, limit=run.stdout_bytes - start)
    return (_from_whole_character(tail) if start else tail).decode(errors="replace")


def frames_after(position: Position, *, run: RunRecord, transcript: Transcript) -> tuple[bytes, Position]:
    """What is there to be sent to a client at that position, a bounded piece of it, and where the client is then."""
    frames: list[bytes] = []
    position = _open(frames, position, run)
    ends = _sizes(run, transcript)
    has_ended = run.status.is_terminal
    position = _add_activity(frames, position, source=transcript.stderr, end=ends[1], has_ended=has_ended)
    position = _add_reply(frames, position, source=transcript.stdout, end=ends[0], has_ended=has_ended)
    if has_ended and (position.stdout, position.stderr) >= ends:
        position = _close(frames, position, run, transcript)
    return b"".join(frames), position


def error_frame(code: str, message: str) -> bytes:
    """The frame that ends a stream which cannot be given."""
    return _frame("error", {"code": code, "message": message})


def _open(frames: list[bytes], position: Position, run: RunRecord) -> Position:
    if position.step < Step.RUNNING and run.started_at is not None:
        return _say(frames, position, Step.RUNNING, "status", {"status": RunStatus.RUNNING})
    if position.step < Step.CREATING:
        return _say(frames, position, Step.CREATING, "status", {"status": RunStatus.CREATING})
    return position


def _close(frames: list[bytes], position: Position, run: RunRecord, transcript: Transcript) -> Position:
    if position.step < Step.ENDED:
        why = {"message": run.error_message} if run.error_message else {}
        position = _say(frames, position, Step.ENDED, "status", {"status": run.status, **why})
    if position.step < Step.RESULT:
        outcome = outcome_answer(run, reply=reply_of(run, transcript))
        position = _say(frames, position, Step.RESULT, "result", {"status": run.status, **outcome})
    if position.step < Step.DONE:
        position = _say(frames, position, Step.DONE, "done", {})
    return position


def _say(frames: list[bytes], position: Position, step: Step, event: str, data: dict[str, object]) -> Position:
    position = position._replace(step=step)
    frames.append(_frame(event, data, position))
    return position


def _add_reply(frames: list[bytes], position: Position, *, source: Source, end: int, has_ended: bool) -> Position:
    chunk = source.read(position.stdout, limit=min(end - position.stdout, _CHUNK_BYTES))
    is_last = has_ended and position.stdout + len(chunk) >= end
    text, used = _decode(chunk, is_last=is_last)
    if used == 0:
        return position
    position = position._replace(stdout=position.stdout + used)
    frames.append(_frame("assistant", {"text": text}, position))
    return position


def _add_activity(frames: list[bytes], position: Position, *, source: Source, end: int, has_ended: bool) -> Position:
    chunk = source.read(position.stderr, limit=min(end - position.stderr, _CHUNK_BYTES))
    is_last = has_ended and position.stderr + len(chunk) >= end
    lines = max(chunk.rfind(b"\n"), chunk.rfind(b"\r")) + 1
    if lines == 0 and (is_last or len(chunk) == _CHUNK_BYTES):
        lines = len(chunk)
    text, used = _decode(chunk if is_last else chunk[:lines], is_last=is_last)
    if used == 0:
        return position
    position = position._replace(stderr=position.stderr + used)
    frames.append(_frame("thinking", {"text": text}, position))
    return position


def _sizes(run: RunRecord, transcript: Transcript) -> tuple[int, int]:
    if run.status.is_terminal:
        return run.stdout_bytes, run.stderr_bytes
    return transcript.stdout.size(), transcript.stderr.size()


def _decode(chunk: bytes, *, is_last: bool) -> tuple[str, int]:
    """The text of the whole characters and how many bytes it took; a cut one at the end waits unless nothing follows."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    text = decoder.decode(chunk, is_last)
    return text, len(chunk) - len(decoder.getstate()[0])


def _from_whole_character(tail: bytes) -> bytes:
    for start in range(min(len(tail), 4)):
        if tail[start] & 0xC0 != 0x80:  # noqa: PLR2004  10xxxxxx is the middle of a UTF-8 character
            return tail[start:]
    return tail


def _frame(event: str, data: dict[str, object], position: Position | None = None) -> bytes:
    head = f"event: {event}\n" if position is None else f"id: {position}\nevent: {event}\n"
    return b"%sdata: %s\n\n" % (head.encode(), orjson.dumps(data))
