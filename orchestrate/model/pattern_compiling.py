"""A measurement's pattern made ready to search, or refused with the reason."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from orchestrate.model.javascript_escapes import PatternRefused
from orchestrate.model.javascript_patterns import translate

if TYPE_CHECKING:
    import regex

    Find = Callable[..., regex.Match[str] | None]


def compiled(pattern: str, *, flags: str = "") -> "Find":
    """What finds the first match in a text; ``timeout`` and ``concurrent`` are as the library takes them."""
    import regex

    translated = translate(pattern, flags=flags)
    try:
        made = regex.compile(translated.text, regex.IGNORECASE if translated.ignores_case else 0)
    except (regex.error, MemoryError, OverflowError, RecursionError) as error:
        raise PatternRefused(str(error) or "it takes too much memory") from error
    return made.match if translated.is_sticky else made.search
