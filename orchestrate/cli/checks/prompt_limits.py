"""How large a prompt may be."""

from orchestrate.model.vocabulary import RuntimeKind
from orchestrate.model.wire import BODY_BYTES

#: The reference names no limit. A megabyte is a quarter of a million tokens: no model of the catalogue reads that at once.
CLOUD_PROMPT_BYTES = 1_000_000
#: Our own server takes so much of a request; what is beside the prompt is small.
LOCAL_PROMPT_BYTES = BODY_BYTES - 64 * 1024


def prompt_limit(kind: RuntimeKind) -> int:
    """The most bytes that a prompt may have."""
    return LOCAL_PROMPT_BYTES if kind is RuntimeKind.LOCAL else CLOUD_PROMPT_BYTES
