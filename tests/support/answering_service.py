"""A service in a thread that answers every request of a kind with the same words."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_PLAIN = {"GET /v1/me": (200, {"apiKeyName": "tests"}), "GET /v1/models": (200, {"items": []})}


class AnsweringService:
    """Listens on a free port of 127.0.0.1 until it is left; what nobody scripted is not found."""

    def __init__(self) -> None:
        self._answers: dict[str, tuple[int, object]] = dict(_PLAIN)
        self._for_all: tuple[int, object] | None = None
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    def __enter__(self) -> "AnsweringService":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def add(self, line: str) -> None:
        """``GET /v1/me 401 {...}``, or ``401 {...}`` for every request."""
        if line[0].isdigit():
            status, _, body = line.partition(" ")
            self._for_all = int(status), json.loads(body or "{}")
            return
        method, path, status, body = [*line.split(" ", 3), "{}"][:4]
        self._answers[f"{method} {path}"] = int(status), json.loads(body)

    def answer_to(self, method: str, path: str) -> tuple[int, object]:
        """Status and body."""
        if self._for_all is not None:
            return self._for_all
        missing = {"error": {"code": "not_found", "message": "there is no such thing"}}
        return self._answers.get(f"{method} {path.partition('?')[0]}", (404, missing))

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self.rfile.read(int(self.headers.get("content-length") or 0))
                status, body = service.answer_to(self.command, self.path)
                data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_POST = do_DELETE = do_GET  # noqa: N815  names of the standard library

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        return Handler
