"""The event loop and the HTTP parser in C, where they can be loaded."""

from importlib import import_module
from typing import Literal


def http_parser() -> Literal["httptools", "h11"]:
    """The parser for uvicorn: the one in C, else the one in Python."""
    return "httptools" if _can_be_loaded("httptools") else "h11"


def has_uvloop() -> bool:
    """Whether the event loop in C is there; it is not on Windows."""
    return _can_be_loaded("uvloop")


def _can_be_loaded(name: str) -> bool:
    """Whether the import works: a package may be there and built for another interpreter."""
    try:
        import_module(name)
    except ImportError:
        return False
    return True
