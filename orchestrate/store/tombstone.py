"""The tombstone in a workspace: written by whoever kills, removed by whoever wants to go on, never by an engine."""

import os
from contextlib import suppress

from orchestrate.errors import InputRefused
from orchestrate.model.stops import Stop, decode_stop, encode_stop
from orchestrate.store.files import Folder, failure, sync

STOP = "stop.json"
_LARGEST_BYTES = 64 * 1024


def read_stop(folder: Folder) -> Stop | None:
    """The tombstone; None while there is none. Something in its place that cannot be read stops as well."""
    try:
        data = folder.read(STOP, at_most=_LARGEST_BYTES)
    except InputRefused:
        return decode_stop(b"")
    return None if data is None else decode_stop(data)


def write_stop(folder: Folder, stop: Stop) -> None:
    """Put the tombstone up; it is on the disk when this returns."""
    folder.replace({STOP: encode_stop(stop)})


def remove_stop(folder: Folder) -> bool:
    """Take the tombstone away; False if there was none."""
    try:
        with folder.held() as descriptor:
            with suppress(IsADirectoryError):
                os.unlink(STOP, dir_fd=descriptor)
            sync(descriptor)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise failure(error, folder.path / STOP) from error
    return True
