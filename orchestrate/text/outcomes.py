"""How the work ended, in the words that the engine acts on: status, verification level, failure mode."""

import re
from collections.abc import Mapping, Sequence

from orchestrate.model.vocabulary import FailureMode, HandoffStatus, Verification
from orchestrate.text.cleaning import excerpt
from orchestrate.text.inline import plain, read_spans
from orchestrate.text.languages import foreign_status, foreign_verdict
from orchestrate.text.markdown import Line
from orchestrate.text.readings import Reading, spoken_lines
from orchestrate.text.sections import Section
from orchestrate.text.titles import Title, label_of

_STATUS_WORDS: Mapping[str, HandoffStatus] = {
    "success": HandoffStatus.SUCCESS,
    "successful": HandoffStatus.SUCCESS,
    "successfully": HandoffStatus.SUCCESS,
    "succeeded": HandoffStatus.SUCCESS,
    "partial": HandoffStatus.PARTIAL,
    "partially": HandoffStatus.PARTIAL,
    "blocked": HandoffStatus.BLOCKED,
}
_LEGACY_VERDICTS: Mapping[str, Verification] = {
    "pass": Verification.TYPE_CHECK_ONLY,
    "passed": Verification.TYPE_CHECK_ONLY,
    "fail": Verification.VERIFIER_FAILED,
    "failed": Verification.VERIFIER_FAILED,
    "inconclusive": Verification.VERIFIER_BLOCKED,
}
_LEADING_STATUS = re.compile(r"[\W_]*(?P<word>success(?:ful(?:ly)?)?|succeeded|partial(?:ly)?|blocked)\b(?P<rest>.*)")
_ANY_STATUS = re.compile(r"\b(?:success(?:ful(?:ly)?)?|succeeded|partial(?:ly)?|blocked)\b")
#: Another word of the list right behind the first: a template that was left as it is, or two answers.
_RIVAL_STATUS = re.compile(r"\s*(?:[|/,&(]|\bor\b|\band\b)?\s*(?:success|partial|blocked)")
_TAKEN_BACK = re.compile(r"\s*(?:[:=?]|\bby\b[: ]?)\s*(?:no|none|nothing|nobody|no one|false|n/a)\W*\Z|\s*\?")
_DOUBT = re.compile(
    r"\b(?:not?|never|nor|without|un|almost|nearly|mostly|if|once|would|should|could|may|might|will|expected|hope\w*|"
    r"cannot|rather than|instead of|only when|until)\b|n't\b|\?"
)
_SHORT_LINE_WORDS = 6
_SHORT_LINE = 80
_LEVEL = re.compile(
    r"(?:live-ui-verified|unit-test-verified|type-check-only|verifier-blocked|verifier-failed|not-verified)\b"
)
_LEADING_LEVEL = re.compile(rf"[\W_]*(?P<level>{_LEVEL.pattern})(?P<rest>.*)")
_RIVAL_LEVEL = re.compile(rf"-?(?:[|/,&]|\bor\b|\band\b)-?{_LEVEL.pattern}")
_LEADING_VERDICT = re.compile(r"[\W_]*(?P<word>pass(?:ed)?|fail(?:ed)?|inconclusive)\b(?P<rest>.*)")
_RIVAL_VERDICT = re.compile(r"\s*(?:[|/,&(]|\bor\b|\band\b)\s*(?:pass|fail|inconclusive)")
_LEVEL_LABEL = re.compile(
    r"[\W_]*(?:verification|verdict|level|result|outcome|status|final|overall|evidence|confidence|self-report)"
    r"(?:-(?:verification|verdict|level|result|status))*-?[*_`]*-?(?:[:：=→]|-is-)-?"
)
_SEPARATORS = re.compile(r"[\s_\u2012-\u2015-]+")
_MODE = r"(?:cap-hit|oom|tool-error|network-drop|unknown)"
_RIVAL_MODE = re.compile(rf"[-`*]*(?:[|/,&?]|\bor\b|\band\b)[-`*]*(?:{_MODE}\b|\Z)")
_NO_FAILURE = frozenset({"none", "n-a", "n/a", "null", "no", ""})


def read_status(section: Section) -> Reading[HandoffStatus]:
    """The first line decides: the word at its start, or the only word that is set apart in it."""
    lines = spoken_lines(section)
    if not lines:
        return Reading(note="Status: the section is empty")
    value = _status_of(lines[0])
    if value is None:
        return Reading(note=f"Status: cannot be read as success, partial or blocked: {excerpt(lines[0].text)}")
    other = next((line for line in lines[1:] if (_status_alone(line) or value) is not value), None)
    if other is not None:
        return Reading(note=f"Status: says {value} and, below that, {excerpt(other.text)}; none was taken")
    return Reading(value=value)


def read_verification(section: Section) -> Reading[Verification]:
    """The level that a line of its own, the start of a line, or a single mention gives."""
    lines = spoken_lines(section)
    if not lines:
        return Reading(note=f"{section.title}: the section is empty")
    levels = _levels(lines) or _legacy_verdicts(section, lines)
    if len(levels) == 1:
        return Reading(value=levels[0])
    if levels:
        return Reading(note=f"{section.title}: several levels ({', '.join(levels)}); none was taken")
    return Reading(note=f"{section.title}: no verification level can be read: {excerpt(lines[0].text)}")


def read_failure_mode(section: Section) -> Reading[FailureMode]:
    """The mode at the start of the first line; a word for "none" is no mode."""
    lines = spoken_lines(section)
    words = _SEPARATORS.sub("-", plain(lines[0].text).lower()).strip("-.* ()") if lines else ""
    leading = re.match(rf"{_MODE}\b", words)
    if leading is not None and not _RIVAL_MODE.match(words, leading.end()):
        return Reading(value=FailureMode(leading.group()))
    if words in _NO_FAILURE or words.startswith(("none", "n/a")):
        return Reading()
    return Reading(note=f"Failure mode: cannot be read: {excerpt(lines[0].text)}")


def _status_of(line: Line) -> HandoffStatus | None:
    text = _without_label(line.text, Title.STATUS)
    leading = _LEADING_STATUS.match(plain(text).lower())
    if leading is not None:
        value = _unless_doubtful(leading["word"], leading["rest"])
        is_choice = value is None and len(set(_ANY_STATUS.findall(plain(text).lower()))) == len(HandoffStatus)
        return _marked_status(text) if is_choice else value
    words = plain(text).lower()
    return foreign_status(words) or _marked_status(text) or _mentioned_status(words)


def _status_alone(line: Line) -> HandoffStatus | None:
    return _STATUS_WORDS.get(_alone(line)) or foreign_status(plain(line.text).lower())


def _unless_doubtful(word: str, rest: str) -> HandoffStatus | None:
    value = _STATUS_WORDS[word]
    rival = _RIVAL_STATUS.match(rest)
    partial_success = value is HandoffStatus.PARTIAL and re.match(r"\s+success", rest)
    same_again = set(_ANY_STATUS.findall(rest)) == {word} and rest.strip(" /|,.!") == word
    if _TAKEN_BACK.match(rest) or (rival is not None and not partial_success and not same_again):
        return None
    return value


def _marked_status(text: str) -> HandoffStatus | None:
    spans = read_spans(text)
    found = set()
    for index, span in enumerate(spans):
        word = span.text.strip(" .:!").lower()
        if span.is_marked and word in _STATUS_WORDS:
            before = spans[index - 1].text.lower() if index else ""
            if _DOUBT.search(before):
                return None
            found.add(_STATUS_WORDS[word])
    return found.pop() if len(found) == 1 else None


def _mentioned_status(text: str) -> HandoffStatus | None:
    """``Done - success``: a short line with one such word and nothing that doubts it."""
    words = set(_ANY_STATUS.findall(text))
    if len(words) != 1 or len(text.split()) > _SHORT_LINE_WORDS or _DOUBT.search(text):
        return None
    return _STATUS_WORDS[words.pop()]


def _levels(lines: Sequence[Line]) -> list[Verification]:
    """The levels of the plainest kind that occurs: alone on a line, else leading a line, else mentioned."""
    alone: list[Verification] = []
    leading: list[Verification] = []
    mentioned: list[Verification] = []
    for line in lines:
        words = _hyphenated(line)
        found = _LEVEL.findall(words)
        if not found:
            continue
        lead = _LEADING_LEVEL.match(words)
        levels = [Verification(level) for level in found]
        if lead is None:
            mentioned += [] if _DOUBT.search(words.replace("-", " ").split(found[0].replace("-", " "))[0]) else levels
        elif re.match(r"-?\?", lead["rest"]):
            continue
        elif _RIVAL_LEVEL.match(lead["rest"]):
            leading += levels
        else:
            (leading if re.search(r"\w", lead["rest"]) else alone).append(levels[0])
    chosen = alone or leading or mentioned
    return list(dict.fromkeys(chosen))


def _hyphenated(line: Line) -> str:
    words = _SEPARATORS.sub("-", plain(line.text).lower())
    label = _LEVEL_LABEL.match(words)
    return words[label.end() :] if label is not None else words


def _legacy_verdicts(section: Section, lines: Sequence[Line]) -> list[Verification]:
    """``pass``, ``fail`` and ``inconclusive`` under ``## Verdict``, or behind the word verdict."""
    found: list[Verification] = []
    for line in lines:
        label = label_of(line.text)
        if section.title is not Title.VERDICT and (label is None or label.title is not Title.VERDICT):
            continue
        words = plain(_without_label(line.text, Title.VERDICT)).lower()
        foreign, leading = foreign_verdict(words), _LEADING_VERDICT.match(words)
        if leading is not None and _RIVAL_VERDICT.match(leading["rest"]):
            return []
        if foreign is not None:
            found.append(foreign)
        elif leading is not None:
            found.append(_LEGACY_VERDICTS[leading["word"]])
        break
    more = [verdict for line in lines[1:] if (verdict := _verdict_alone(line)) is not None]
    return list(dict.fromkeys([*found, *more])) if found else []


def _verdict_alone(line: Line) -> Verification | None:
    return _LEGACY_VERDICTS.get(_alone(line)) or foreign_verdict(plain(line.text).lower())


def _alone(line: Line) -> str:
    """The only word of a line, in lower case; empty if there are more."""
    words = re.findall(r"\w+(?:-\w+)*", plain(line.text).lower()) if len(line.text) <= _SHORT_LINE else []
    return words[0] if len(words) == 1 else ""


def _without_label(text: str, title: Title) -> str:
    label = label_of(text)
    return label.rest if label is not None and label.title is title and label.rest else text
