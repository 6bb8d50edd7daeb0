"""``inbox/``: a file for each request of another process, and one for its answer.

A request is ``<uuid>.json``, its answer ``<uuid>.done.json``; both come whole or not at all. The answer is on the disk
before the request is removed, so a crash between the two leaves both, and what is answered is not carried out again.
Anybody with access to the workspace may put files here: what is no request is moved to ``rejected/``, never followed,
never waited for, and never read beyond a bound. These functions block: async callers hop to a thread.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from orchestrate.errors import InputRefused, WorkspaceDamaged
from orchestrate.model.inbox_format import (
    LARGEST_REQUEST_BYTES,
    decode_answer,
    decode_request,
    encode_answer,
    encode_request,
)
from orchestrate.model.inbox_requests import InboxAnswer, InboxRequest
from orchestrate.model.names import RequestId, is_request_id
from orchestrate.ports import Incoming, Misfit
from orchestrate.store.files import Folder, failure, sync

INBOX = "inbox"
REJECTED = "rejected"

_REQUEST, _ANSWER = ".json", ".done.json"
#: Files that one look takes up; the rest waits for the next.
_AT_A_LOOK = 64
#: Files that are kept aside; further ones are removed, so that nobody fills the disk or our time.
_MOST_REJECTED = 100
#: What nobody came back for within a day is given up.
_FORGOTTEN_SECONDS = 86_400.0


@dataclass(frozen=True, slots=True)
class _Found:
    """A file of the inbox."""

    name: str
    written_at: float
    size: int
    is_file: bool


class InboxFiles:
    """The inbox of one workspace."""

    def __init__(self, workspace: Folder) -> None:
        self._folder = workspace.below(INBOX)

    def put(self, request: InboxRequest) -> None:
        """Hand in a request; it is on the disk when this returns."""
        self._folder.replace({f"{request.id}{_REQUEST}": encode_request(request)})

    def withdraw(self, request_id: RequestId) -> None:
        """Take a request back that nobody has taken up."""
        self._remove(f"{request_id}{_REQUEST}")

    def answer_to(self, request_id: RequestId) -> InboxAnswer | None:
        """The answer, which is removed; None while there is none."""
        name = f"{request_id}{_ANSWER}"
        data = self._folder.read(name)
        if data is None:
            return None
        answer = decode_answer(data, request_id=request_id)
        self._remove(name)
        return answer

    def take(self) -> list[Incoming]:
        """The requests that wait for an answer, oldest first; what is no request was moved away."""
        try:
            found = {each.name: each for each in self._listed()}
        except FileNotFoundError:
            return []
        taken: list[Incoming] = []
        for each in sorted(found.values(), key=lambda item: (item.written_at, item.name)):
            if len(taken) == _AT_A_LOOK:
                break
            if f"{_id_in(each.name, _REQUEST)}{_ANSWER}" in found:
                self._remove(each.name)
                continue
            item = None if _id_in(each.name, _ANSWER) and each.is_file else self._read(each)
            if item is not None:
                taken.append(item)
        return taken

    def answer(self, answer: InboxAnswer) -> None:
        """Write the answer, then remove the request."""
        self._folder.replace({f"{answer.id}{_ANSWER}": encode_answer(answer)})
        self._remove(f"{answer.id}{_REQUEST}")

    def tidy(self, now: float) -> None:
        """Remove answers that nobody came back for, and what writers left behind that were cut short."""
        with suppress(FileNotFoundError):
            for each in self._listed(with_temporary=True):
                is_left = each.name.startswith(".") or _id_in(each.name, _ANSWER) is not None
                if is_left and each.is_file and now - each.written_at > _FORGOTTEN_SECONDS:
                    self._remove(each.name)

    def _read(self, found: _Found) -> Incoming | None:
        """The request in this file; None if it is gone, or cannot be moved away."""
        request_id = _id_in(found.name, _REQUEST)
        try:
            if request_id is None:
                raise WorkspaceDamaged("its name is not that of a request")
            if not found.is_file:
                raise WorkspaceDamaged("it is no regular file")
            if found.size > LARGEST_REQUEST_BYTES:
                raise WorkspaceDamaged(f"it is larger than {LARGEST_REQUEST_BYTES} bytes")
            data = self._folder.read(found.name, at_most=LARGEST_REQUEST_BYTES)
            return None if data is None else decode_request(data, request_id=request_id)
        except InputRefused as error:
            if not self._set_aside(found.name):
                return None
            return Misfit(found.name, error.message, request_id)

    def _set_aside(self, name: str) -> bool:
        """Move it to ``rejected``, whatever it is; False where it has to stay."""
        rejected = self._folder.below(REJECTED)
        try:
            rejected.create()
            with rejected.held() as there, self._folder.held() as here:
                taken = os.listdir(there)  # noqa: PTH208  by descriptor, which pathlib cannot
                if len(taken) >= _MOST_REJECTED:
                    os.unlink(name, dir_fd=here)
                    return True
                os.rename(name, _free_name(name, taken), src_dir_fd=here, dst_dir_fd=there)
        except (OSError, InputRefused):
            return False
        return True

    def _listed(self, *, with_temporary: bool = False) -> Iterator[_Found]:
        """What is in the inbox, without its own folder, nor what is being written."""
        try:
            with self._folder.held() as folder:
                for name in os.listdir(folder):  # noqa: PTH208  by descriptor, which pathlib cannot
                    if name == REJECTED or (name.startswith(".") and not with_temporary):
                        continue
                    with suppress(FileNotFoundError):
                        about = os.stat(name, dir_fd=folder, follow_symlinks=False)
                        yield _Found(name, about.st_mtime, about.st_size, is_file=stat.S_ISREG(about.st_mode))
        except FileNotFoundError:
            raise
        except OSError as error:
            raise failure(error, self._folder.path) from error

    def _remove(self, name: str) -> None:
        """Remove a file that may be gone already."""
        try:
            with self._folder.held() as folder:
                os.unlink(name, dir_fd=folder)
                sync(folder)
        except FileNotFoundError:
            return
        except OSError as error:
            raise failure(error, self._folder.path / name) from error


def _id_in(name: str, ending: str) -> RequestId | None:
    """The request whose file has this name."""
    stem = name.removesuffix(ending)
    return RequestId(stem) if stem != name and is_request_id(stem) else None


def _free_name(name: str, taken: list[str]) -> str:
    """The name, or one like it that is free."""
    names = set(taken)
    return next(
        each for each in (name, *(f"{name}.{number}" for number in range(1, len(taken) + 2))) if each not in names
    )
