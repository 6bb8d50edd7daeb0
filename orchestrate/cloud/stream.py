"""Frames of a run's stream: what an event means, and counting each frame once over reconnects."""

from collections import OrderedDict, defaultdict, deque
from collections.abc import AsyncIterator, Mapping

import orjson

from orchestrate.cloud.sse import SseEvent, SseParser
from orchestrate.model.wire import Frame

#: Frames after which a stream has nothing more to say.
_LAST_EVENTS = frozenset({"result", "done"})
#: How many (id, event) pairs are remembered for each run; a replay from further back is counted again.
_REMEMBERED = 4096
_NOTHING: Mapping[str, object] = {}


def frame_of(event: SseEvent) -> Frame:
    """The event with its payload read; a payload that is no JSON object is empty."""
    payload = _payload(event.data) if event.data else _NOTHING
    if event.event == "tool_call" and "callId" not in payload:
        payload = _unwrapped(payload)
    return Frame(event.id, event.event, payload)


class FrameReader:
    """The frames in the chunks of one connection, one at a time."""

    def __init__(self, chunks: AsyncIterator[bytes]) -> None:
        #: True once the stream has said its last word.
        self.is_over = False
        self._chunks = chunks
        self._parser = SseParser()
        self._events = deque[SseEvent]()

    def __aiter__(self) -> AsyncIterator[Frame]:
        return self

    async def __anext__(self) -> Frame:
        while not self._events:
            self._events.extend(self._parser.feed(await anext(self._chunks)))
        event = self._events.popleft()
        self.is_over = self.is_over or event.event in _LAST_EVENTS
        return frame_of(event)


class SeenFrames:
    """Tells a new frame of one run from one that an earlier connection delivered already.

    Several frames may share an id, so a frame is known by its id, its event and its position among the frames of its
    connection with both; frames that share an id follow each other. A frame without an id cannot be known again and
    always counts as new.
    """

    def __init__(self) -> None:
        self._seen: OrderedDict[tuple[str, str], int] = OrderedDict()
        self._position: defaultdict[tuple[str, str], int] = defaultdict(int)
        self._current: str | None = None
        self._handled: str | None = None

    @property
    def resume_after(self) -> str | None:
        """The last id whose frames have all come, for ``Last-Event-ID``.

        The newest id is not it: frames that share it may still be on their way when the connection is cut.
        """
        return self._handled

    def on_connect(self, *, from_start: bool = False) -> None:
        """Note that a new connection begins; ``from_start`` forgets the id to resume after, not the frames."""
        self._position.clear()
        self._current = None
        if from_start:
            self._handled = None

    def is_new(self, frame: Frame) -> bool:
        """True the first time this frame comes; asked once for each frame, in the order they come."""
        if frame.id is None:
            return True
        if frame.id != self._current:
            self._handled = self._current or self._handled
            self._current = frame.id
            self._position.clear()
        return self._count((frame.id, frame.event))

    def _count(self, key: tuple[str, str]) -> bool:
        self._position[key] += 1
        if self._position[key] <= self._seen.get(key, 0):
            return False
        self._seen[key] = self._position[key]
        if len(self._seen) > _REMEMBERED:
            self._seen.popitem(last=False)
        return True


def _payload(data: bytes) -> Mapping[str, object]:
    try:
        payload = orjson.loads(data)
    except orjson.JSONDecodeError:
        return _NOTHING
    return payload if isinstance(payload, dict) else _NOTHING


def _unwrapped(payload: Mapping[str, object]) -> Mapping[str, object]:
    inner = payload.get("data")
    return inner if isinstance(inner, dict) else payload
