"""Very long messages without the lines that nothing is read from, so that reading one stays a matter of seconds.

Markdown costs some microseconds a line, and a message may be five megabytes of list items. A value is read from the lines
behind its title only, so what stays is: the lines around every word that may be a title, and all lines that shape the
blocks around them (fences, tags) or hold a link.
"""

import re

#: Shorter messages are read as they are.
THINNED_FROM = 256_000
#: Lines with text that stay behind a word that may be a title: more than any section is read.
KEPT_BEHIND = 1200
KEPT_BEFORE = 20

_TITLE_WORD = re.compile(
    r"status|branch|what (?:i|we|my|was)|measurement|verification|verdict|note|follow|target|execution|findings|failure|pull|\bpr\b",
    re.IGNORECASE,
)
_SHAPING = re.compile(r"```|~~~|<|://")


def thinned(text: str) -> str:
    """The text if it is short; else with an empty line in the place of each run of lines that cannot matter."""
    if len(text) < THINNED_FROM:
        return text
    kept: list[str] = []
    skipped: list[str] = []
    left = KEPT_BEHIND
    for line in text.split("\n"):
        if _TITLE_WORD.search(line):
            kept += _gap(skipped[:-KEPT_BEFORE]) + skipped[-KEPT_BEFORE:]
            skipped, left = [], KEPT_BEHIND
            kept.append(line)
        elif left > 0 or _SHAPING.search(line):
            kept += _gap(skipped)
            skipped = []
            kept.append(line)
            left -= 1 if line and left > 0 else 0
        else:
            skipped.append(line)
    return "\n".join(kept + _gap(skipped[:-KEPT_BEFORE]) + skipped[-KEPT_BEFORE:])


def _gap(skipped: list[str]) -> list[str]:
    return [""] if skipped else []
