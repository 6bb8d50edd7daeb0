"""``attention.log``: what an operator must know, one dated line each.

The journal has every line too: a line that cannot be written here stops nothing.
"""

import os
import re
from collections.abc import Iterable

from orchestrate.model.rows import Attention
from orchestrate.store.files import Folder, append_whole, failure

ATTENTION_LOG = "attention.log"

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def append_attention(folder: Folder, items: Iterable[Attention]) -> None:
    """Add a line for each item; all of them or none."""
    data = "".join(map(_line, items)).encode(errors="replace")
    with folder.opened(ATTENTION_LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND) as descriptor:
        try:
            append_whole(descriptor, data, end=os.fstat(descriptor).st_size)
        except OSError as error:
            raise failure(error, folder.path / ATTENTION_LOG) from error


def _line(item: Attention) -> str:
    """One line whatever the message holds: no line break, no control sequence for a terminal."""
    return f"{item.at} {_CONTROL.sub(' ', item.message).strip()}\n"
