"""The branch that a handoff names, out of the remark, link or prose around it; unclear is none, with a note."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from orchestrate.model.names import is_valid_ref
from orchestrate.text.cleaning import excerpt
from orchestrate.text.inline import Span, read_spans
from orchestrate.text.markdown import Line
from orchestrate.text.no_branch import answers_none, says_no_branch, says_nothing_pushed
from orchestrate.text.readings import spoken_lines
from orchestrate.text.sections import Section
from orchestrate.text.titles import Title, label_of


@dataclass(frozen=True, slots=True)
class BranchReading:
    """What one section says: a name, that there is none, or neither with a note."""

    name: str | None = None
    says_none: bool = False
    note: str | None = None


@dataclass(frozen=True, slots=True)
class _LineReading:
    """What one line says: names (one, unless it is unclear), that there is none, or neither with a note."""

    names: tuple[str, ...] = ()
    says_none: bool = False
    note: str | None = None


@dataclass(frozen=True, slots=True)
class _Candidate:
    name: str
    #: The words between the candidate before it and this one.
    before: str


_PREFIXES = ("refs/remotes/origin/", "remotes/origin/", "refs/heads/", "origin/")
_SHA = re.compile(r"(?=[0-9a-f]*\d)[0-9a-f]{7,40}\Z")
_AT_SHA = re.compile(r"@[0-9a-f]{7,40}\Z")
_TREE_LINK = re.compile(
    r"https?://[^\s/]{1,255}/[^\s]{1,400}?/(?:-/)?(?:tree|branch|src/branch|commits)/(?P<ref>[^\s?#]{1,400})"
)
_LISTING = re.compile(
    r"(?:#{1,6}\s+)?(?P<local>[^\s.]+(?:\.[^\s.]+)*)\.\.\.(?P<remote>[^\s.]\S*)(?:\s+\[(?P<state>[^\]]*)\])?\Z"
)
_FILE = re.compile(r"\.(?:py|pyi|ts|tsx|js|jsx|json|md|go|rs|txt|ya?ml|toml|sh|css|html|java|rb|c|h|cpp|lock|sql)\Z")
_WORDS_IN_PROSE = re.compile(r"\S+")
_SLASHED = re.compile(r"[\w][\w.+#=@-]*(?:/[\w.+#=@-]+)+\Z")
_EVERYDAY = frozenset({"and/or", "n/a", "w/o", "either/or", "yes/no", "he/she", "true/false"})
#: Words that answer the question without naming anything.
_NO_NAME = re.compile(
    r"(?:unknown|tbd|todo|see|above|below|same|unchanged|pending|yes|ok|done|pushed|default|current|head|my|your|the|it|this|that|"
    r"to|on|in|at|as|is|up|out|here|branch|remote|origin|local|created|existing|new|success|partial|blocked|placeholder|ditto|unclear)\Z",
    re.IGNORECASE,
)
#: Words that lead up to the name in a plain line.
_LEADING_WORD = re.compile(
    r"(?:(?:i|i've|we|have|has|been|all|everything|my|the|work|changes|commits?|committed|code|is|are|was|were|it's|its|pushed|push|"
    r"landed|lives?|available|up|to|on|in|as|at|remote|origin|branch|branches|named|called|name|feature|new|final|working|current|"
    r"checked|out|here|head|worked|did)(?![\w/.-])[:=]?|→|->)[\s*_]*",
    re.IGNORECASE,
)
#: What may stand behind an unmarked name: a bracket, a dash, a comma, or words that begin a remark.
_REMARK = re.compile(
    r"\s*\Z|\s*[(\[,;:—–]|\s+(?:-{1,2}|→|->|<-|@|\+|[✅✓✔❌🚀⚠])|[.!]?\s+(?:\(|based|off|from|with|at|is|has|was|contains?|pushed|which|where|that|"
    r"on|to|for|as|and|ahead|up|tip|head|commit|see|draft|pr|pull|no|all|the|it|i|we)\b",
    re.IGNORECASE,
)
#: The last of these words before a name says whether it is the branch that was pushed.
_ROLE = re.compile(
    r"(?P<other>\b(?:based (?:up)?on|base(?:d)?(?: branch)?|on top of|branched (?:off|from)|branched|forked from|from|off|onto|into|against|"
    r"targets?|targeting|instead of|rather than|not|never|no|than|merge[sd]?|merging|upstream|tracks?|tracking|starting (?:at|ref|point|from)|"
    r"started (?:at|from|on)|behind|ahead of|over|vs|versus|planned|placeholder|previous(?:ly)?|former(?:ly)?|replac(?:es|ing|ed)|"
    r"commit|head|sha|tip|at|supersedes|expected|requested|assigned|suggested|original(?:ly)?|was to be|like|e\.g|example|"
    r"pr|pull request|diff|compare|compared (?:to|with))\b|\.\.\.)"
    r"|(?P<own>\b(?:pushed|push|committed|branch is|named|called|renamed to|now|actual(?:ly)?|but|landed|lives|created|to)\b)",
    re.IGNORECASE,
)
#: A name before these words is history.
_SUPERSEDES = re.compile(
    r"\b(?:renamed (?:to|as|by)|moved to|now (?:called|named)|became|ended up (?:as|on))\b", re.IGNORECASE
)
_COMMON_BASES = frozenset({"main", "master", "develop", "dev", "trunk"})
#: Facts that are written beside the branch.
_OTHER_LABEL = re.compile(
    r"[\W_]*(?:base|based on|from|target|into|start(?:ing|ed)?|commits?|sha|head (?:sha|commit)|hash|pr|pull|merge|upstream|parent|"
    r"tracking|tracks|compare|diff|repo|url|link|source|worktree|planned|placeholder|default|tag|note|status)"
    r"(?: [\w()]+){0,2}[*_`]{0,3}\s*[:：]",
    re.IGNORECASE,
)
_LINES_READ = 50


def read_branch(section: Section) -> BranchReading:
    """The first line that names a branch; later lines count only if they name one as plainly."""
    lines = spoken_lines(section)[:_LINES_READ]
    if not lines:
        return BranchReading(note="Branch: the section is empty")
    readings = [_read_line(line) for line in lines if not _is_about_another(line)]
    if not readings:
        return BranchReading(note=f"Branch: names no branch: {excerpt(lines[0].text)}")
    return _agreed(readings, nothing_pushed=any(says_nothing_pushed(line.text) for line in lines))


def unwrapped(text: str) -> str:
    """A ref without the remote's name, ``refs/heads/`` and the marks around it."""
    name = text.strip().strip("`*'\"“”‘’«»<>").strip()
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return _AT_SHA.sub("", name)


def _is_about_another(line: Line) -> bool:
    """``Base: main`` beside the branch is another fact."""
    return _OTHER_LABEL.match(line.text, 0, 80) is not None


def _agreed(readings: Sequence[_LineReading], *, nothing_pushed: bool) -> BranchReading:
    first = readings[0]
    plain = tuple(dict.fromkeys(reading.names[0] for reading in readings if len(reading.names) == 1))
    names = first.names if len(first.names) > 1 else plain
    if first.note is not None and len(names) != 1:
        return BranchReading(note=first.note)
    if len(names) > 1:
        return BranchReading(note=f"Branch: names several branches ({', '.join(names)}); none was taken")
    if names and first.says_none:
        return BranchReading(note=f"Branch: says that there is none and names {names[0]}; none was taken")
    if names and not nothing_pushed:
        return BranchReading(name=names[0])
    return BranchReading(says_none=first.says_none or bool(names))


def _read_line(line: Line) -> _LineReading:
    text = _without_label(line.cells[-1] if line.cells else line.text)
    listing = _LISTING.match(text.strip("` "))
    if listing is not None:
        return _read_listing(listing)
    spans = read_spans(text)
    flat = "".join(span.text for span in spans)
    if answers_none(flat):
        return _LineReading(says_none=True)
    names = _own_names(list(_marked(spans)) or list(_unmarked(flat)))
    if len(names) > 1:
        return _LineReading(names=tuple(names))
    if names and says_nothing_pushed(flat):
        return _LineReading(says_none=True)
    if names:
        return _checked(names[0])
    if says_no_branch(flat or text):
        return _LineReading(says_none=True)
    return _LineReading(note=f"Branch: names no branch that can be read: {excerpt(line.text)}")


def _checked(name: str) -> _LineReading:
    if is_valid_ref(name):
        return _LineReading(names=(name,))
    return _LineReading(note=f"Branch: not a name that git takes: {excerpt(name)}")


def _read_listing(match: re.Match[str]) -> _LineReading:
    """``cursor/x...origin/cursor/x [ahead 1]`` of ``git status -sb``."""
    local, remote = unwrapped(match["local"]), unwrapped(match["remote"])
    if local != remote:
        return _LineReading(note=f"Branch: {excerpt(local)} follows {excerpt(remote)} on the remote; none was taken")
    if (match["state"] or "").strip() == "gone":
        return _LineReading(note=f"Branch: {excerpt(local)} is gone from the remote; none was taken")
    return _checked(local)


def _own_names(candidates: Sequence[_Candidate]) -> list[str]:
    """The names that are said to be the branch; a common base beside another name is what that was made from."""
    own: dict[str, None] = {}
    for candidate in candidates:
        if _SUPERSEDES.search(candidate.before):
            own.clear()
        if _is_own(candidate):
            own[candidate.name] = None
    names = [name for name in own if name not in _COMMON_BASES]
    return names or list(own)


def _is_own(candidate: _Candidate) -> bool:
    roles = list(_ROLE.finditer(candidate.before))
    return not roles or roles[-1]["own"] is not None


def _marked(spans: tuple[Span, ...]) -> Iterator[_Candidate]:
    before = ""
    for span in spans:
        name = _marked_name(span)
        if name is None:
            before += span.text
        else:
            yield _Candidate(name=name, before=before)
            before = ""


def _marked_name(span: Span) -> str | None:
    """The ref that a code span, a bold word or a link holds; commits, files and commands are none."""
    if not span.is_marked:
        return None
    text = unwrapped(span.text)
    if span.href is not None:
        link = _TREE_LINK.match(span.href)
        if link is not None and not _is_name(text):
            return unwrapped(unquote(link["ref"]).rstrip("/"))
        if link is None and ("://" in text or not _is_name(text)):
            return None
        return text
    if not span.is_code and text.endswith(":"):
        return None
    return text if _is_name(text) else None


def _is_name(text: str) -> bool:
    if (
        not text
        or text.startswith("#")
        or re.search(r"\s", text)
        or "://" in text
        or _SHA.match(text)
        or _FILE.search(text)
    ):
        return False
    return not _NO_NAME.match(text) and text.lower() not in _EVERYDAY and re.search(r"[^\W_]", text) is not None


def _unmarked(flat: str) -> Iterator[_Candidate]:
    """A name in a plain line: the first word, or the first one behind words that lead up to it."""
    start = 0
    flat = flat.strip(" \t-*•·>")
    while (lead := _LEADING_WORD.match(flat, start)) is not None and lead.end() > start and lead.end() < len(flat):
        start = lead.end()
    word = _WORDS_IN_PROSE.match(flat, start)
    if word is None:
        return
    raw = word.group()
    name = _from_link(raw) or _trimmed(raw)
    behind = flat[start + len(raw.rstrip(".,;:!)")) :]
    if not _is_name(name) or not _may_be_named(name, behind, has_lead=start > 0):
        return
    yield _Candidate(name=name, before="")
    yield from _rivals(flat[word.end() :])


def _rivals(behind: str) -> Iterator[_Candidate]:
    before = ""
    for word in _WORDS_IN_PROSE.finditer(behind):
        name = _trimmed(word.group())
        if _SLASHED.match(name) and name.lower() not in _EVERYDAY and _is_name(name):
            yield _Candidate(name=name, before=before)
            before = ""
        else:
            before += f" {word.group()}"


def _may_be_named(name: str, behind: str, *, has_lead: bool) -> bool:
    if "/" in name:
        return _REMARK.match(behind) is not None or behind.strip(" .") == ""
    alone = behind.strip(" .✅✓✔") == ""
    bracketed = re.match(r"\s*[(\[,;—–]|\s+-{1,2}\s", behind) is not None
    looks_like_a_name = re.search(r"[-_\d]", name) is not None
    return alone or (bracketed and (looks_like_a_name or not has_lead))


def _from_link(word: str) -> str | None:
    link = _TREE_LINK.match(word.strip("<>(),."))
    return unwrapped(unquote(link["ref"]).rstrip("/")) if link is not None else None


def _trimmed(word: str) -> str:
    return unwrapped(word.strip("()[]{},;:!?").rstrip(".").strip("()[]{},;:!?"))


def _without_label(text: str) -> str:
    label = label_of(text)
    if label is not None and label.title is Title.BRANCH and label.separator and label.rest:
        return label.rest
    return text
