"""What of a workspace others may see: plan, exact state and handoffs, without secrets; never journal, raw or requests.

Each text is looked through once: what has not changed since the last time costs a comparison. These functions block.
"""

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import replace

from orchestrate.errors import InputRefused, StorageFailed
from orchestrate.store.attempts import ATTEMPTS, HANDOFFS
from orchestrate.store.files import Folder
from orchestrate.store.snapshot import STATE, Image
from orchestrate.text.json_redaction import redacted_json
from orchestrate.text.redaction import Redactor

_PLAN = "plan.json"
_SUFFIX = ".md"
#: What tells one state of a file from another.
_Stamp = tuple[int, int, int]


class ExhibitMaker:
    """Makes exhibits of one workspace."""

    def __init__(self, folder: Folder, redactor: Redactor) -> None:
        self._folder = folder
        self._redactor = redactor
        self._files: dict[str, tuple[_Stamp, bytes]] = {}
        #: Rows and lines of the last image as they are, and as they may be seen.
        self._pieces: dict[bytes, bytes] = {}

    def exhibits(self, image: Image | None) -> dict[str, bytes]:
        """The files by their names in the workspace; ``image`` is the state."""
        found: dict[str, bytes] = {}
        if image is not None:
            found[STATE] = self._clean(image).encoded()
        self._add(found, self._folder, "", [_PLAN], self._plan)
        handoffs = self._folder.below(HANDOFFS)
        for folder, prefix in ((handoffs, f"{HANDOFFS}/"), (handoffs.below(ATTEMPTS), f"{HANDOFFS}/{ATTEMPTS}/")):
            self._add(found, folder, prefix, list(_markdown(folder)), self._text)
        return found

    def _clean(self, image: Image) -> Image:
        known, self._pieces = self._pieces, {}
        for piece in (*image.rows, *image.attention):
            self._pieces[piece] = known.get(piece) or self._json(piece)
        return replace(
            image,
            rows=[self._pieces[row] for row in image.rows],
            attention=[self._pieces[line] for line in image.attention],
        )

    def _add(
        self, found: dict[str, bytes], folder: Folder, prefix: str, names: list[str], clean: Callable[[bytes], bytes]
    ) -> None:
        for name in names:
            path = f"{prefix}{name}"
            try:
                stamp = _stamp(folder, name)
                known = self._files.get(path)
                if stamp is not None and (known is None or known[0] != stamp):
                    data = folder.read(name)
                    known = None if data is None else (stamp, clean(data))
            except (InputRefused, StorageFailed, OSError, ValueError):
                known = self._files.get(path)  # half written, or no file of ours: what was seen last stays
            if known is not None:
                self._files[path] = known
                found[path] = known[1]

    def _plan(self, data: bytes) -> bytes:
        return self._json(data.removeprefix(b"\xef\xbb\xbf"))

    def _json(self, data: bytes) -> bytes:
        text = data.decode()
        cleaned = redacted_json(text, self._redactor)
        return data if cleaned == text else cleaned.encode(errors="replace")

    def _text(self, data: bytes) -> bytes:
        text = data.decode(errors="surrogateescape")
        return self._redactor.redact(text).encode(errors="surrogateescape")


def _markdown(folder: Folder) -> Iterator[str]:
    try:
        with folder.held() as descriptor:
            names = sorted(os.listdir(descriptor))  # noqa: PTH208  of a descriptor
    except OSError:
        return
    yield from (name for name in names if name.endswith(_SUFFIX) and not name.startswith("."))


def _stamp(folder: Folder, name: str) -> _Stamp | None:
    with folder.held() as descriptor:
        try:
            status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return None
    if not stat.S_ISREG(status.st_mode):
        raise InputRefused(f"{name} is no file")
    return status.st_mtime_ns, status.st_size, status.st_ino
