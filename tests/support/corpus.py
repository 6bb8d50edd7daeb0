"""The corpora in ``tests/corpus``: handoffs with their expected reading, texts with and without secrets."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

CORPUS = Path(__file__).parents[1] / "corpus"
#: TOML has no word for it: a value that must be None stands as this string.
_NULL = "null"
#: Where the text of a case shows this, the secret is put in; so no file holds one in one piece.
_SECRET = "{secret}"


@dataclass(frozen=True, slots=True)
class HandoffCase:
    """One message, how it is handed to the reader, and what must be read; only what ``expected`` names is judged."""

    id: str
    subject: str
    reason: str
    text: str
    arguments: Mapping[str, object]
    expected: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class SecretCase:
    """A text with a secret: nothing of ``hidden`` may be left in it, everything of ``kept`` must be."""

    id: str
    reason: str
    text: str
    #: What the caller knows as secret values.
    known: tuple[str, ...]
    hidden: tuple[str, ...]
    kept: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlainCase:
    """A text that only talks about secrets, and stays as it is."""

    id: str
    reason: str
    text: str


def handoff_cases() -> list[HandoffCase]:
    """All messages, in the order of their files."""
    return [_handoff_case(subject, case) for subject, case in _cases("handoffs", "*.toml")]


def secret_cases() -> list[SecretCase]:
    """All texts that hold a secret."""
    return [_secret_case(case) for _, case in _cases("redaction", "secrets-*.toml")]


def plain_cases() -> list[PlainCase]:
    """All texts that must be left alone."""
    return [PlainCase(case["id"], case["reason"], case["text"]) for _, case in _cases("redaction", "plain-*.toml")]


def _cases(folder: str, pattern: str) -> Iterator[tuple[str, dict]]:
    for path in sorted((CORPUS / folder).glob(pattern)):
        for case in tomllib.loads(path.read_text(encoding="utf-8"))["case"]:
            yield path.stem, case


def _handoff_case(subject: str, case: dict) -> HandoffCase:
    return HandoffCase(
        id=case["id"],
        subject=subject,
        reason=case["reason"],
        text=case["text"],
        arguments={name: _value(value) for name, value in case.get("arguments", {}).items()},
        expected={name: _value(value) for name, value in case["expected"].items()},
    )


def _secret_case(case: dict) -> SecretCase:
    secret = "".join(case["secret"])
    return SecretCase(
        id=case["id"],
        reason=case["reason"],
        text=case["text"].replace(_SECRET, secret),
        known=(secret,) if case.get("known") else (),
        hidden=tuple(case.get("hidden", (secret,))),
        kept=tuple(case.get("kept", ())),
    )


def _value(value: object) -> object:
    """``"null"`` is None, a list is a tuple; the rest is as it stands."""
    if isinstance(value, list):
        return tuple(_value(item) for item in value)
    return None if value == _NULL else value
