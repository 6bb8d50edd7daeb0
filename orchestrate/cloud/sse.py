"""Server-sent events, read by the WHATWG rules from chunks that are cut anywhere. No input, no output.

Two things differ from a browser. Events named in ``BARE_EVENTS`` are delivered without data too: the service sends
``heartbeat`` and ``done`` so. And a line or an event beyond ``LONGEST_EVENT`` bytes breaks the stream instead of
filling the memory.
"""

from typing import NamedTuple

from orchestrate.errors import ProtocolBroken

#: Events that mean something without data.
BARE_EVENTS = frozenset({"heartbeat", "done"})
#: Bytes; the largest honest event is a final message of some megabytes.
LONGEST_EVENT = 16 * 1024 * 1024

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
#: A longer wait than this many digits of milliseconds is a mistake of the service.
_RETRY_DIGITS = 9
#: What an event is called that names itself nothing.
_UNNAMED = "message"


class SseEvent(NamedTuple):
    """One event; ``id`` is the last id that the stream gave so far, ``data`` is UTF-8 as it came."""

    id: str | None
    event: str
    data: bytes


class SseParser:
    """Turns the bytes of one connection into events; the cost of a byte does not depend on how chunks are cut."""

    def __init__(self) -> None:
        #: Milliseconds that the service asks to wait before a reconnect, if it said so.
        self.retry: int | None = None
        self._id: str | None = None
        self._event = ""
        self._data: list[bytes] = []
        self._data_size = 0
        self._unfinished: list[bytes] = []
        self._unfinished_size = 0
        self._at_start = True
        self._after_carriage_return = False

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """The events that these bytes complete; an event is complete at the blank line after it."""
        if self._after_carriage_return and chunk:
            self._after_carriage_return = False
            chunk = chunk.removeprefix(b"\n")
        end = max(chunk.rfind(b"\n"), chunk.rfind(b"\r")) + 1
        if not end:
            self._keep(chunk)
            return []
        whole = b"".join((*self._unfinished, chunk[:end]))
        self._unfinished.clear()
        self._unfinished_size = 0
        self._keep(chunk[end:])
        self._after_carriage_return = end == len(chunk) and whole.endswith(b"\r")
        return self._take_lines(whole)

    def _keep(self, unfinished: bytes) -> None:
        if unfinished:
            self._unfinished.append(unfinished)
            self._unfinished_size += len(unfinished)
            self._check_size()

    def _take_lines(self, whole: bytes) -> list[SseEvent]:
        if self._at_start:
            self._at_start = False
            whole = whole.removeprefix(_BYTE_ORDER_MARK)
        events: list[SseEvent] = []
        # bytes.splitlines ends a line at LF, CR and CR LF only; str.splitlines would also do so at U+2028 and others.
        for line in whole.splitlines():
            if line:
                self._take_field(line)
            else:
                self._take_end_of_event(events)
        return events

    def _take_field(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        if value.startswith(b" "):
            value = value[1:]
        if name == b"data":
            self._data.append(value)
            self._data_size += len(value) + 1
            self._check_size()
        elif name == b"event":
            self._event = value.decode("utf-8", "replace")
        elif name == b"id":
            if b"\0" not in value:
                self._id = value.decode("utf-8", "replace") or None
        elif name == b"retry" and value.isdigit() and len(value) <= _RETRY_DIGITS:
            self.retry = int(value)

    def _take_end_of_event(self, events: list[SseEvent]) -> None:
        if self._data or self._event in BARE_EVENTS:
            events.append(SseEvent(self._id, self._event or _UNNAMED, b"\n".join(self._data)))
            self._data.clear()
            self._data_size = 0
        self._event = ""

    def _check_size(self) -> None:
        if self._unfinished_size + self._data_size > LONGEST_EVENT:
            raise ProtocolBroken(f"the stream holds an event of more than {LONGEST_EVENT} bytes", code="event_too_long")
