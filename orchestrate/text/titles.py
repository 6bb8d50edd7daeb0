"""The titles that a handoff may carry, and how a line is recognised as one of them."""

import re
from dataclasses import dataclass
from enum import StrEnum

from orchestrate.text.inline import plain


class Title(StrEnum):
    """What a section is about; ``OTHER`` is a heading of the writer's own."""

    STATUS = "Status"
    BRANCH = "Branch"
    WORK = "What I did"
    MEASUREMENTS = "Measurements"
    VERIFICATION = "Verification"
    VERDICT = "Verdict"
    NOTES = "Notes"
    FOLLOW_UPS = "Suggested follow-ups"
    TARGET = "Target"
    EXECUTION = "Execution"
    FINDINGS = "Findings"
    FAILURE_MODE = "Failure mode"
    PULL_REQUEST = "Pull request"
    OTHER = "(other)"


@dataclass(frozen=True, slots=True)
class Label:
    """A title at the start of a line, and what follows it there."""

    title: Title
    #: Set apart by bold or code marks.
    is_marked: bool
    #: What separates the title from ``rest``: a colon, a dash, a bar, or nothing.
    separator: str
    rest: str
    #: Written like a title: ``Status`` or ``STATUS``, not ``status``.
    is_capital: bool


_WORDINGS: dict[Title, str] = {
    Title.STATUS: r"(?:(?:final|overall|task|handoff)\s)?status",
    Title.BRANCH: r"(?:(?:git|working|pushed|final|my)\s)?branch(?:\(es\)|es)?(?:\s(?:name|pushed))?",
    Title.WORK: r"what\s(?:i|we|i've|i\shave)\s(?:did|done)|what\smy\ssub-?tree\sdid|what\swas\sdone",
    Title.MEASUREMENTS: r"measurements?",
    Title.VERIFICATION: r"verification(?:\s(?:level|status|result))?",
    Title.VERDICT: r"(?:final\s)?verdict",
    Title.NOTES: r"notes?(?:(?:,\s?|\s&\s|\sand\s)(?:concerns|suggestions|deviations)[^:\n]{0,80})?",
    Title.FOLLOW_UPS: r"(?:suggested\s)?follow[\s-]?ups?",
    Title.TARGET: r"target",
    Title.EXECUTION: r"execution",
    Title.FINDINGS: r"findings",
    Title.FAILURE_MODE: r"failure[\s_-]?mode",
    Title.PULL_REQUEST: r"(?:draft\s)?(?:pull\srequest|pr)(?:\s(?:link|url|number))?",
}
_ANY_TITLE = "|".join(f"(?P<{title.name}>{wording})" for title, wording in _WORDINGS.items())
_MARKS = r"[*_`~ \t]{0,8}"
#: Bullets, emoji and marks before a title; quotes, brackets and slashes say that it is talked about, not used.
_ORNAMENT = r"""[^\w"'(\[<>\\/$%=|“”‘’«»\n]"""
_LEAD = rf"(?P<lead>{_ORNAMENT}{{0,12}}(?:\d{{1,2}}(?:\.\d{{1,2}})?[.):]?[ \t]{{1,4}}{_ORNAMENT}{{0,6}})?{_MARKS})"
_LABEL = re.compile(
    rf"{_LEAD}(?P<title>{_ANY_TITLE})(?![^\W_]|-\w)(?P<close>[*_`~]{{0,4}})[ \t]{{0,8}}"
    r"(?:(?P<separator>[:：|→=]|[-–—]{1,2}(?=\s))(?P<late_close>[*_`~]{0,4}))?\s*(?P<rest>.*)",
    re.IGNORECASE,
)
#: Where a heading may be glued to the words before it.
_GLUED = re.compile(rf"(?P<hashes>#{{1,6}})(?!#)[ \t]{{0,4}}(?={_MARKS}(?:{_ANY_TITLE})(?![^\W_]|-\w))", re.IGNORECASE)
#: What is drawn as an ornament, or not at all: anchors, emoji by name, numbers on keys.
_ORNAMENTS = re.compile(
    r"((?:[*_#> \t]|[-+*][ \t])*+)(?:<a\b[^<>]{0,200}>(?:</a>)?|</?(?:b|strong|span)\b[^<>]{0,200}>|:[a-z0-9_+-]{2,40}:|\d\u20e3|[ \t])++"
)
_IN_BRACKETS = re.compile(r"([^\w\[]{0,12})\[([^\[\]()]{1,60})\](?:\([^()\s]{0,200}\))?([*_]{0,3}:?[*_]{0,3}\s*)\Z")
_LABEL_REACH = 200
_MARKUP = ("**", "__", "`", "*", "_")
_WORD = re.compile(r"[^\W_]")
_VALUE = (
    r"(?:success|partial|blocked|pass(?:ed)?|fail(?:ed)?|inconclusive|"
    r"(?:live-ui|unit-test)-verified|type-check-only|verifier-(?:blocked|failed)|not-verified)"
)
_VALUE_WORD = re.compile(rf"\W{{0,6}}{_VALUE}\b", re.IGNORECASE)
_BRACKETED_VALUE = re.compile(
    rf"\([*_`]{{0,3}}(?:none|n/a|{_VALUE}|unknown|cap-hit|oom|tool-error|network-drop)[*_`]{{0,3}}\)\s*\Z",
    re.IGNORECASE,
)
_REF_WORD = re.compile(r"[\w.-]+(?:/[\w.-]+)+(?:\s|\Z)")
_VERDICT_TITLES = frozenset({Title.STATUS, Title.VERIFICATION, Title.VERDICT})


def label_of(text: str) -> Label | None:
    """The title that the line starts with, whatever marks, numbers or emoji stand before it."""
    text = _ORNAMENTS.sub(r"\1", text, count=1) if _ORNAMENTS.match(text) else text
    match = _LABEL.match(text, 0, _LABEL_REACH)
    if match is None:
        return None
    late = match["late_close"] or ""
    is_marked = any(mark in match["lead"] and mark in match["close"] + late for mark in _MARKUP)
    rest = ("" if is_marked else late) + match["rest"] + text[_LABEL_REACH:]
    wording = match["title"]
    return Label(
        title=_title(match),
        is_marked=is_marked,
        separator=(match["separator"] or "").strip(),
        rest=rest.strip() if _WORD.search(rest) else "",
        is_capital=wording[:1].isupper(),
    )


def heading_of(text: str) -> Label | None:
    """The title of a heading, with its value if it holds one; None if the heading is of the writer's own."""
    label = label_of(_IN_BRACKETS.sub(r"\1\2\3", text) if text.endswith(("]", ")", ":", "*", "_")) else text)
    if label is None or not label.rest or label.separator:
        return label
    return label if is_value(label) else None


def glued_titles(text: str) -> list[tuple[int, int]]:
    """Where headings start inside the line (the hashes, the title), after the end of a sentence or a word."""
    if "#" not in text:
        return []
    found = []
    backticks = done = 0
    for match in _GLUED.finditer(text):
        start = match.start()
        backticks += text.count("`", done, start)
        done = start
        if start > 0 and backticks % 2 == 0 and text[start - 1] not in "\\#'\"(":
            found.append((start, match.end()))
    return found


def closes_a_sentence(before: str) -> bool:
    """True if a heading may follow here: no space before it, or the end of a sentence."""
    return not before[-1:].isspace() or not before.rstrip()[-1:].isalnum()


def is_value(label: Label) -> bool:
    """True if what follows the title is a value of it rather than more words of a sentence."""
    rest = label.rest
    if rest.startswith(("`", "**", "[", "(", "<")):
        return True
    if label.title in _VERDICT_TITLES:
        return _VALUE_WORD.match(rest) is not None
    return label.title is Title.BRANCH and _REF_WORD.match(plain(rest)) is not None


def is_aside(label: Label) -> bool:
    """True if what follows the title only explains it: ``Status (as of today)``; a value in brackets is one."""
    return (
        label.rest.startswith("(")
        and not label.separator
        and label.title is not Title.BRANCH
        and _BRACKETED_VALUE.match(label.rest) is None
    )


def _title(match: re.Match[str]) -> Title:
    name = next(name for name in _TITLE_NAMES if match[name] is not None)
    return Title[name]


_TITLE_NAMES = tuple(title.name for title in _WORDINGS)
