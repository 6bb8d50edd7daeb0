from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from orchestrate.engine.redacting import without_secrets
from orchestrate.text.redaction import REDACTED, Redactor

SECRET = "hunter-22"
REDACTOR = Redactor([SECRET])


class Word(StrEnum):
    SECRET = "hunter-22"


@dataclass(frozen=True)
class Inner:
    words: str
    number: int = 1


@dataclass(frozen=True)
class Told:
    branch: str = ""
    message: str | None = None
    word: Word = Word.SECRET
    notes: tuple[str, ...] = ()
    inner: Inner | None = None
    table: MappingProxyType = field(default_factory=lambda: MappingProxyType({}))
    kind: type = Inner
    deep: tuple = ()


def test_words_lose_their_secrets_however_deep_they_stand():
    told = Told(
        message=f"no {SECRET}", notes=("a", SECRET), inner=Inner(SECRET), table=MappingProxyType({"a": f"x {SECRET}"})
    )
    assert without_secrets(told, REDACTOR) == Told(
        message=f"no {REDACTED}",
        notes=("a", REDACTED),
        inner=Inner(REDACTED),
        table={"a": f"x {REDACTED}"},
    )


def test_names_that_things_are_found_by_stay():
    told = Told(branch=SECRET)
    assert without_secrets(told, REDACTOR) is told


def test_where_nothing_is_found_the_value_is_the_same():
    told = Told(message="a", notes=("b",), inner=Inner("c"), table=MappingProxyType({"a": "b"}))
    assert without_secrets(told, REDACTOR) is told


def test_there_is_an_end_to_looking():
    nested = (SECRET,)
    for _ in range(10):
        nested = (nested,)
    told = Told(deep=nested)
    assert without_secrets(told, REDACTOR) is told
