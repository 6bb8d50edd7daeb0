"""One HTTP/1.1 answer, read from chunks that are cut anywhere. No input, no output; the parser itself is httptools'."""

import httptools
import httpx

#: The largest head that is read; honest ones are far below.
LONGEST_HEAD = 100 * 1024

_FIRST_FINAL_STATUS = 200
#: Headers that tell where a body ends; without them it ends with the connection.
_FRAMING = frozenset({b"content-length", b"transfer-encoding"})


class AnswerParser:
    """Fed with what comes over a connection; its methods ``on_...`` are called by the parser below."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: list[tuple[bytes, bytes]] = []
        self.has_head = False
        self.is_over = False
        #: Pieces of the body that nobody has taken yet.
        self.pieces: list[bytes] = []
        self._head_size = 0
        self._keeps_alive = False
        self._has_surplus = False
        self._parser = httptools.HttpResponseParser(self)

    @property
    def leaves_connection_open(self) -> bool:
        """Whether the next request may go over the same connection."""
        return self.is_over and self._keeps_alive and not self._has_surplus

    def feed(self, data: bytes) -> None:
        """Read on; raises RemoteProtocolError for what is no answer."""
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as error:
            raise httpx.RemoteProtocolError("the server speaks another protocol from now on") from error
        except httptools.HttpParserError as error:
            if not self.is_over:
                raise httpx.RemoteProtocolError(str(error)) from error
            self._has_surplus = True
        if not self.has_head:
            self._head_size += len(data)
            if self._head_size > LONGEST_HEAD:
                raise httpx.RemoteProtocolError(f"the head of the answer has more than {LONGEST_HEAD} bytes")

    def end(self) -> None:
        """The connection has ended; raises RemoteProtocolError unless the answer may end so."""
        if self.is_over:
            return
        if not self.has_head or any(name.lower() in _FRAMING for name, _ in self.headers):
            raise httpx.RemoteProtocolError("the connection ended before the answer did")
        self.is_over = True

    def take(self) -> bytes:
        """What has come of the body since the last time."""
        pieces, self.pieces = self.pieces, []
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def on_message_begin(self) -> None:
        """A message after the answer is one that nobody asked for."""
        self._has_surplus = self.is_over

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep the header."""
        if not self.has_head:  # else it is one behind the body, or of an answer that nobody asked for
            self.headers.append((name, value))

    def on_headers_complete(self) -> None:
        """The head is whole, unless it is that of an interim answer."""
        status = self._parser.get_status_code()
        if status >= _FIRST_FINAL_STATUS and not self.has_head:
            self.status, self.has_head = status, True
            self._keeps_alive = self._parser.should_keep_alive()

    def on_body(self, body: bytes) -> None:
        """Keep a piece of the body."""
        if not self.is_over:
            self.pieces.append(body)

    def on_message_complete(self) -> None:
        """The answer is whole; behind an interim one the final one follows."""
        self.is_over = self.has_head
        if not self.has_head:
            self.headers.clear()
