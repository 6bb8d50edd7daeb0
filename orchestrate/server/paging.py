"""Reading what a list is asked for, and cutting its answer into pages."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from orchestrate.server import faults
from orchestrate.server.records import AgentRecord, RunRecord

_Numbered = TypeVar("_Numbered", AgentRecord, RunRecord)

_DEFAULT_PAGE = 20
_LARGEST_PAGE = 100
_MOST_CURSOR_DIGITS = 18


@dataclass(frozen=True, slots=True)
class Page:
    """A piece of a list that goes from the newest to the oldest."""

    limit: int
    #: Only what is numbered below it, the cursor of the page before; None for the first page.
    before: int | None

    @property
    def look_ahead(self) -> int:
        """How many records to fetch: one more than the page holds tells whether another page follows."""
        return self.limit + 1

    def answer(self, records: Sequence[_Numbered], *, on_the_wire: Callable[[_Numbered], object]) -> dict[str, object]:
        """The page on the wire."""
        page: dict[str, object] = {"items": [on_the_wire(record) for record in records[: self.limit]]}
        has_more = len(records) > self.limit
        return page | ({"nextCursor": str(records[self.limit - 1].number)} if has_more else {})


def read_page(*, limit: str | None, cursor: str | None) -> Page:
    """The page that a query asks for; raises Refused for one that makes no sense."""
    return Page(limit=_page_size(limit), before=_number(cursor))


def read_flag(name: str, text: str | None) -> bool:
    """A yes or no of a query; no if it is left out."""
    if text not in (None, "true", "false"):
        raise faults.invalid(f"{name}: must be true or false")
    return text == "true"


def _page_size(text: str | None) -> int:
    if text is None:
        return _DEFAULT_PAGE
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:4]) <= _LARGEST_PAGE):
        raise faults.invalid(f"limit: must be a number from 1 to {_LARGEST_PAGE}")
    return int(text)


def _number(text: str | None) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_CURSOR_DIGITS):
        raise faults.invalid("cursor: not one of ours")
    return int(text)
