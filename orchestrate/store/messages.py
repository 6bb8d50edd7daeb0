"""``messages/``: the text of each message to an agent, byte for byte, as its sender has put it there.

A text is on the disk before anybody hears of it, is never replaced, and git leaves it out. These functions block.
"""

from orchestrate.errors import InputRefused
from orchestrate.model.names import RequestId, is_request_id
from orchestrate.store.files import Folder

MESSAGES = "messages"
#: A message beyond this is none; a prompt of a megabyte is more than any model reads at once.
LARGEST_MESSAGE_BYTES = 1_000_000


class MessageFiles:
    """The messages of one workspace."""

    def __init__(self, workspace: Folder) -> None:
        self._folder = workspace.below(MESSAGES)

    def put(self, message_id: RequestId, text: bytes) -> None:
        """Keep a message; it is on the disk when this returns."""
        if len(text) > LARGEST_MESSAGE_BYTES:
            raise InputRefused(f"the message is larger than {LARGEST_MESSAGE_BYTES} bytes; it was not kept")
        self._folder.replace({_name(message_id): text})

    def remove(self, message_id: RequestId) -> None:
        """Take away a message that nobody will ever send."""
        self._folder.sweep(_name(message_id).__eq__)

    def read(self, message_id: RequestId) -> bytes | None:
        """The text; None where there is none."""
        return self._folder.read(_name(message_id), at_most=LARGEST_MESSAGE_BYTES)


def _name(message_id: RequestId) -> str:
    if not is_request_id(message_id):
        raise InputRefused(f"{message_id!r} is no id of a message, so it is no file name either")
    return f"{message_id}.md"
