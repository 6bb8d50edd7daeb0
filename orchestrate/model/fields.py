"""The fields of one JSON object, read one by one without trust; what was not understood is left in ``rest``."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from math import isfinite
from types import MappingProxyType
from typing import NoReturn, TypeVar

from orchestrate.errors import WorkspaceDamaged
from orchestrate.model.faults import quoted

_Text = TypeVar("_Text", bound=str)
_Word = TypeVar("_Word", bound=StrEnum)
_Item = TypeVar("_Item")

_NOTHING: Mapping[str, object] = MappingProxyType({})


class Fields:
    """Takes known fields out of an object.

    A field of the wrong type reads as None and stays in ``rest``, so that nothing of a foreign file is lost. The
    ``essential`` readings refuse instead, with the field's path in the message.
    """

    __slots__ = ("_left", "_where")

    def __init__(self, document: object, *, where: str) -> None:
        if not isinstance(document, dict):
            raise WorkspaceDamaged(f"{where}: expected an object, found {_kind(document)}")
        self._left: dict[str, object] = dict(document)
        self._where = where

    def rest(self) -> Mapping[str, object]:
        """The fields that nobody took."""
        return self._left or _NOTHING

    def has(self, key: str) -> bool:
        """True if the field is there and says something."""
        return self._left.get(key) is not None

    def drop(self, key: str) -> None:
        """A field that is not kept."""
        self._left.pop(key, None)

    def value(self, key: str) -> object:
        """The field as it is, whatever its type."""
        return self._left.pop(key, None)

    def text(self, key: str) -> str | None:
        """The field if it is text."""
        value = self._left.get(key)
        if value is None or isinstance(value, str):
            self._left.pop(key, None)
            return value
        return None

    def named(self, key: str, made: Callable[[str], _Text]) -> _Text | None:
        """The field if it is text, as an id, a name or a moment."""
        value = self.text(key)
        return None if value is None else made(value)

    def whole_number(self, key: str) -> int | None:
        """The field if it is a whole number."""
        value = self._left.get(key)
        if value is None or type(value) is int:
            self._left.pop(key, None)
            return value
        return None

    def amount(self, key: str) -> float | None:
        """The field if it is a number from 0 on."""
        value = self._left.get(key)
        if isinstance(value, int | float) and type(value) is not bool and isfinite(value) and value >= 0:
            del self._left[key]
            return float(value)
        return None

    def flag(self, key: str) -> bool | None:
        """The field if it is ``true`` or ``false``."""
        value = self._left.get(key)
        if value is None or isinstance(value, bool):
            self._left.pop(key, None)
            return value
        return None

    def word(self, key: str, words: type[_Word]) -> _Word | None:
        """The field if it is one of these words."""
        value = self._left.get(key)
        known = _word_of(value, words)
        if known is not None or value is None:
            self._left.pop(key, None)
        return known

    def names(self, key: str, made: Callable[[str], _Text]) -> tuple[_Text, ...]:
        """The field if it is a list of texts, else nothing."""
        value = self._left.get(key)
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            del self._left[key]
            return tuple(map(made, value))
        return ()

    def mapping(self, key: str) -> Mapping[str, object] | None:
        """The field if it is an object."""
        value = self._left.get(key)
        if value is None or isinstance(value, dict):
            self._left.pop(key, None)
            return value
        return None

    def inner(self, key: str, build: "Callable[[Fields], _Item | None]") -> _Item | None:
        """What ``build`` makes of the object in this field; the field stays where it makes nothing of it."""
        value = self._left.get(key)
        built = build(Fields(value, where=self._place(key))) if isinstance(value, dict) else None
        if built is not None or value is None:
            self._left.pop(key, None)
        return built

    def inner_list(self, key: str, build: "Callable[[Fields], _Item | None]") -> tuple[_Item, ...]:
        """What ``build`` makes of each object of a list; all of them or none."""
        value = self._left.get(key)
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            return ()
        built = [build(Fields(item, where=f"{self._place(key)}[{place}]")) for place, item in enumerate(value)]
        made = tuple(item for item in built if item is not None)
        if len(made) != len(built):
            return ()
        del self._left[key]
        return made

    def essential_text(self, key: str) -> str:
        """Text that is not empty."""
        value = self._left.pop(key, None)
        if not isinstance(value, str) or not value:
            self.refuse(key, f"expected text, found {_kind(value)}")
        return value

    def essential_number(self, key: str) -> int:
        """A whole number from 0 on."""
        value = self._left.pop(key, None)
        if type(value) is not int or value < 0:
            self.refuse(key, f"expected a whole number from 0 on, found {_kind(value)}")
        return value

    def essential_word(self, key: str, words: type[_Word]) -> _Word:
        """One of these words."""
        value = self._left.pop(key, None)
        known = _word_of(value, words)
        if known is None:
            self.refuse(key, f"{shown(value)} is none of {', '.join(words)}")
        return known

    def essential_list(self, key: str) -> list[object]:
        """A list."""
        value = self._left.pop(key, None)
        if not isinstance(value, list):
            self.refuse(key, f"expected a list, found {_kind(value)}")
        return value

    def refuse(self, key: str, message: str) -> NoReturn:
        """Say that the whole is unusable because of one field."""
        raise WorkspaceDamaged(f"{self._place(key)}: {message}")

    def _place(self, key: str) -> str:
        """``state.json rootSlug`` at the top of a file, ``state.json tasks[3].status`` further in."""
        return f"{self._where}{'.' if ' ' in self._where else ' '}{key}"


def _word_of(value: object, words: type[_Word]) -> _Word | None:
    try:
        return words(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _kind(value: object) -> str:
    if isinstance(value, str):
        return "text" if value else "empty text"
    if value is None or isinstance(value, bool | int | float):
        return shown(value)
    return "a list" if isinstance(value, list) else "an object"


def shown(value: object) -> str:
    """A value of a file as a message quotes it."""
    if value is None:
        return "nothing"
    text = quoted(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."  # noqa: PLR2004  one line of a terminal
