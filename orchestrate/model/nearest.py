"""The nearest known word to one that nobody knows: "did you mean"."""

import difflib
from collections.abc import Iterable

from orchestrate.model.faults import quoted

#: Comparisons that one object may spend; a plan of 10,000 tasks with as many typing errors stays fast.
_ALLOWANCE = 30_000
#: Words beyond this length are no typing errors, and comparing them takes long.
_LONGEST_WORD = 100
_LIKENESS = 0.6


class Nearest:
    """Finds near words among ``choices``, with a bound on the work of all questions together."""

    def __init__(self, choices: Iterable[str]) -> None:
        self._choices: dict[str, str] = {}
        for choice in choices:
            if len(choice) <= _LONGEST_WORD:
                self._choices.setdefault(_folded(choice), choice)
        self._allowance = _ALLOWANCE
        self._answers: dict[str, str | None] = {}

    def to(self, word: str) -> str | None:
        """The nearest choice, or None when there is none or too much was asked already."""
        if word not in self._answers:
            self._answers[word] = self._find(_folded(word))
        return self._answers[word]

    def question(self, word: str) -> str:
        """``; did you mean "build"?``, or nothing: the end of a message about an unknown word."""
        nearest = self.to(word)
        return "" if nearest is None else f"; did you mean {quoted(nearest)}?"

    def _find(self, folded: str) -> str | None:
        if folded in self._choices:
            return self._choices[folded]
        if self._allowance < len(self._choices) or len(folded) > _LONGEST_WORD:
            return None
        self._allowance -= len(self._choices)
        found = difflib.get_close_matches(folded, self._choices, n=1, cutoff=_LIKENESS)
        return self._choices[found[0]] if found else None


def _folded(word: str) -> str:
    """Case, hyphens and underscores tell no words apart: ``depends_on`` is near ``dependsOn``."""
    return word.casefold().replace("_", "").replace("-", "")
