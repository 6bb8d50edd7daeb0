"""The classes that a service counts its calls in; each has a limit of its own."""

import re
from enum import StrEnum


class CallClass(StrEnum):
    """What a call is counted as."""

    CREATE = "create"
    FOLLOW_UP = "follow-up"
    CANCEL = "cancel"
    GET = "get"
    STREAM = "stream"
    LIST = "list"
    #: Archiving and its undoing.
    ARCHIVE = "archive"


_LAST_PARTS: tuple[tuple[str, re.Pattern[str], CallClass], ...] = (
    ("POST", re.compile(r"/v1/agents"), CallClass.CREATE),
    ("POST", re.compile(r"/v1/agents/[^/]+/runs"), CallClass.FOLLOW_UP),
    ("POST", re.compile(r"/v1/agents/[^/]+/runs/[^/]+/cancel"), CallClass.CANCEL),
    ("POST", re.compile(r"/v1/agents/[^/]+/(?:un)?archive"), CallClass.ARCHIVE),
    ("GET", re.compile(r"/v1/agents/[^/]+/runs/[^/]+/stream"), CallClass.STREAM),
    ("GET", re.compile(r"/v1/agents|/v1/agents/[^/]+/runs"), CallClass.LIST),
)


def call_class(method: str, path: str) -> CallClass:
    """The class of a request; what is in no other is a get."""
    for its_method, pattern, its_class in _LAST_PARTS:
        if method == its_method and pattern.fullmatch(path):
            return its_class
    return CallClass.GET
