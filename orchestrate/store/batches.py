"""Files of several callers put in place together: all are written, then all are synced, then each gets its name.

- A file has no name before it is whole and on the disk, so a crash leaves neither a torn file nor litter. Where the file
  system has no nameless files, or the name is taken, the file is replaced by way of a temporary name.
- Folders are entered and synced once a batch. Entering them anew finds out that one was removed, or is a link now.
- What is wrong with one save fails its own caller. A sync that fails is final, for everybody, now and later.

These functions block.
"""

import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

from orchestrate.errors import OrchestrateError, StorageFailed, WorkspaceDamaged
from orchestrate.store.files import FILE_MODE, Folder, SyncFailed, append_whole, failure, replace_within, sync

#: Where the system has no such flag, every file takes the way of a temporary name.
_NAMELESS = getattr(os, "O_TMPFILE", None)


@dataclass(frozen=True, slots=True)
class Place:
    """A name in a folder."""

    folder: Folder
    name: str

    @property
    def path(self) -> Path:
        """Where it lies; for messages."""
        return self.folder.path / self.name


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file that is to be on the disk."""

    data: bytes
    at: Place
    #: Where it is found as well, once everything of its batch is on the disk: the same file, not a copy.
    then: Place | None = None
    #: The error if another file is at the first place; None: that one is replaced.
    if_taken: WorkspaceDamaged | None = None


#: What one caller wants on the disk: all of it, or an error.
Save = Sequence[NewFile]


class BatchWriter:
    """Puts saves in place until a sync fails; threads may share it if their folders are not the same."""

    def __init__(self) -> None:
        #: Why nothing may be written any more.
        self._broken: StorageFailed | None = None

    def write(self, saves: Sequence[Save]) -> list[OrchestrateError | None]:
        """Put these on the disk; for each save what is wrong with it, or None."""
        if self._broken is not None:
            return [self._broken for _ in saves]
        try:
            with ExitStack() as stack:
                return _Batch(saves, stack).write()
        except SyncFailed as error:
            self._broken = error
            return [error for _ in saves]

    def close(self) -> None:
        """Nothing is written after it."""
        self._broken = self._broken or StorageFailed("the workspace is closed")


@dataclass(slots=True)
class _Pending:
    """A save on its way."""

    save: Save
    #: The files without a name; None where the file system has no such thing.
    descriptors: list[int | None] = field(default_factory=list)
    error: OrchestrateError | None = None


class _Batch:
    """One group of saves; what it opens is closed with the stack."""

    def __init__(self, saves: Sequence[Save], stack: ExitStack) -> None:
        self._pending = [_Pending(save) for save in saves]
        self._stack = stack
        self._folders: dict[Folder, int] = {}
        self._unsynced: set[Folder] = set()

    def write(self) -> list[OrchestrateError | None]:
        """Each step for all before the next."""
        self._for_each(self._write_nameless)
        self._sync_files()
        self._for_each(self._put_in_first_place)
        self._sync_folders()
        self._for_each(self._put_in_second_place)
        self._sync_folders()
        return [pending.error for pending in self._pending]

    def _for_each(self, step: Callable[[_Pending], None]) -> None:
        """What fails, fails alone, and takes no further step."""
        for pending in self._pending:
            if pending.error is None:
                try:
                    step(pending)
                except SyncFailed:
                    raise
                except OrchestrateError as error:
                    pending.error = error

    def _write_nameless(self, pending: _Pending) -> None:
        for file in pending.save:
            try:
                pending.descriptors.append(self._nameless(file))
            except OSError as error:
                raise failure(error, file.at.path) from error

    def _nameless(self, file: NewFile) -> int | None:
        folder = self._entered(file.at.folder)
        if _NAMELESS is None:
            return None
        try:
            descriptor = os.open(".", os.O_WRONLY | _NAMELESS | os.O_CLOEXEC, FILE_MODE, dir_fd=folder)
        except OSError:
            return (
                None  # not on this file system; if the reason is another one, the way of a temporary name meets it too
            )
        self._stack.callback(_close, descriptor)
        append_whole(descriptor, file.data, end=0)
        return descriptor

    def _sync_files(self) -> None:
        """All writes are under way before the first is waited for, so that the disk's journal takes them in one go."""
        files = [
            (file, descriptor)
            for pending in self._pending
            if pending.error is None
            for file, descriptor in zip(pending.save, pending.descriptors, strict=True)
            if descriptor is not None
        ]
        if len(files) > 1:
            for _, descriptor in files:
                _start_writing(descriptor)
        for file, descriptor in files:
            try:
                sync(descriptor)
            except OSError as error:
                raise failure(error, file.at.path) from error

    def _put_in_first_place(self, pending: _Pending) -> None:
        for file, descriptor in zip(pending.save, pending.descriptors, strict=True):
            self._put(file, file.at, descriptor)

    def _put_in_second_place(self, pending: _Pending) -> None:
        for file, descriptor in zip(pending.save, pending.descriptors, strict=True):
            if file.then is not None:
                self._put(file, file.then, descriptor)

    def _put(self, file: NewFile, place: Place, descriptor: int | None) -> None:
        try:
            folder = self._entered(place.folder)
            self._unsynced.add(place.folder)
            if descriptor is not None and _is_named(descriptor, folder, place.name):
                return
            if file.if_taken is None or not _is_same(file, place):
                replace_within(folder, place.name, file.data)
        except OSError as error:
            raise failure(error, place.path) from error

    def _entered(self, folder: Folder) -> int:
        descriptor = self._folders.get(folder)
        if descriptor is None:
            descriptor = self._folders[folder] = self._stack.enter_context(folder.held(create=True))
        return descriptor

    def _sync_folders(self) -> None:
        for folder in self._unsynced:
            try:
                sync(self._folders[folder])
            except OSError as error:
                raise failure(error, folder.path) from error
        self._unsynced.clear()


def _close(descriptor: int) -> None:
    """What is synced does not get lost by an error of this."""
    with suppress(OSError):
        os.close(descriptor)


def _start_writing(descriptor: int) -> None:
    """Ask for the pages to be written without waiting; where that cannot be asked, the sync does all of it."""
    with suppress(OSError, AttributeError):
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)


def _is_named(descriptor: int, folder: int, name: str) -> bool:
    """True if the file has this name now; False if the name is taken, or the system has no way to give it."""
    try:
        os.link(f"/proc/self/fd/{descriptor}", name, dst_dir_fd=folder, follow_symlinks=True)
    except OSError:
        return False
    return True


def _is_same(file: NewFile, place: Place) -> bool:
    """True if the file is there already; another one in its place is damage."""
    found = place.folder.read(place.name)
    if found is None:
        return False
    if found != file.data:
        assert file.if_taken is not None
        raise file.if_taken
    return True
