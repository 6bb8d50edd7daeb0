"""The branch that a handoff names, out of the remark, link or prose around it; unclear is none, with a note."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import unquote

from orchestrate.model.names import is_valid_ref
from orchestrate.text.cleaning import excerpt
from orchestrate.text.inline import Span, plain, read_spans
from orchestrate.text.markdown import Line, LineKind
from orchestrate.text.no_branch import answers_none, says_no_branch, says_nothing_pushed
from orchestrate.text.pull_requests import host_and_path
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
    #: A sentence, not only a name.
    is_prose: bool = False


@dataclass(frozen=True, slots=True)
class _Candidate:
    name: str
    #: The words between the candidate before it and this one.
    before: str


_PREFIXES = ("refs/remotes/origin/", "remotes/origin/", "refs/heads/", "origin/")
_SHA = re.compile(r"(?=[0-9a-f]*\d)[0-9a-f]{7,40}\Z")
_AT_SHA = re.compile(r"@[0-9a-f]{7,40}\Z")
_TREE_LINK = re.compile(
    r"https?://(?:www\.)?(?P<host>[^\s/:]{1,255})(?::\d{1,5})?/(?P<path>[^\s]{1,400}?)/(?:-/)?(?:tree|branch|src/branch|commits)/"
    r"(?P<ref>[^\s?#]{1,400})"
)
#: ``[name][1]``, whose address stands elsewhere.
_REFERENCE = re.compile(r"\[([^\[\]`]{1,300})\]\[[^\[\]`]{0,100}\]")
_UNFILLED = re.compile(r"[\W_]*<[^<>]{0,200}\s[^<>]{0,200}>[\W_]*\Z")
#: Facts that are the branch, and columns that hold it.
_OWN_LABEL = re.compile(
    r"[\W_]*(?:(?:my|the|final|pushed|remote|working|feature|new) )?(?:name|head|ref|branch)(?: (?:name|branch|ref))?[*_`]{0,3}\s*[:：][*_`]{0,3}\s*",
    re.IGNORECASE,
)
_FEW_WORDS = 2
#: Longer names are believed of nobody.
LONGEST_NAME = 200
_LISTING = re.compile(
    r"(?:#{1,6}\s+)?(?P<local>[^\s.]+(?:\.[^\s.]+)*)\.\.\.(?P<remote>[^\s.]\S*)(?:\s+\[(?P<state>[^\]]*)\])?\Z"
)
_PUSH = re.compile(r"(?:\$ )?git push(?: -\S{1,40}){0,4} origin (?:HEAD:)?(?P<ref>[^\s:;&|$<>(){}]{1,300})\Z")
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
    r"\s*\Z|\s*[(\[,;:—–]|\s+(?:-{1,2}|→|->|<-|@|\+|/(?=\s)|[✅✓✔❌🚀⚠])|[.!]?\s+(?:\(|based|off|from|with|at|is|has|was|contains?|pushed|which|where|that|"
    r"on|to|for|as|and|ahead|up|tip|head|commit|see|draft|pr|pull|no|all|the|it|i|we)\b",
    re.IGNORECASE,
)
#: The last of these words before a name says whether it is the branch that was pushed.
_ROLE = re.compile(
    r"(?P<other>\b(?:based (?:up)?on|base(?:d)?(?: branch)?|on top of|branched (?:off|from)|branched|forked from|from|off|onto|into|against|"
    r"targets?|targeting|instead of|rather than|not|never|no|than|merge[sd]?|merging|upstream|tracks?|tracking|starting (?:at|ref|point|from)|"
    r"started (?:at|from|on)|behind|ahead of|over|vs|versus|planned|placeholder|previous(?:ly)?|former(?:ly)?|replac(?:es|ing|ed)|"
    r"commit|head|sha|tip|at|supersedes|touch(?:es|ed)?|expected|requested|assigned|suggested|original(?:ly)?|was to be|like|e\.g|example|"
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


def read_branch(section: Section, *, repo_url: str | None = None) -> BranchReading:
    """The first line that names a branch; later lines count only if they name one as plainly.

    A link into another repository than ``repo_url`` names none.
    """
    lines = _told_by_columns(section, spoken_lines(section)[:_LINES_READ])
    if not lines:
        return BranchReading(note="Branch: the section is empty")
    home = host_and_path(repo_url) if repo_url else ("", "")
    readings = [_read_line(line, home=home) for line in lines if not _is_about_another(line)]
    if not any(reading.names or reading.says_none for reading in readings):
        aside = [_read_line(line, home=home) for line in section.lines[:_LINES_READ] if line.kind is LineKind.CODE]
        readings = [reading for reading in aside if reading.names] or readings
    if not readings:
        return BranchReading(note=f"Branch: names no branch: {excerpt(lines[0].text)}")
    return _agreed(readings, nothing_pushed=any(says_nothing_pushed(line.text) for line in lines))


def unwrapped(text: str) -> str:
    """A ref without the remote's name, ``refs/heads/`` and the marks around it."""
    name = text.strip().strip("`*'\"“”„‟‘’‚«»‹›「」『』<>").strip()
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return _AT_SHA.sub("", name)


def _told_by_columns(section: Section, lines: Sequence[Line]) -> list[Line]:
    """Of a table with a column for the branch only that column; a table of names and values begins with its header."""
    header = next((line for line in section.lines if line.kind is LineKind.HEADER_ROW), None)
    titles = [f"{plain(cell)}:" for cell in header.cells] if header is not None else []
    column = next((index for index, title in enumerate(titles) if _OWN_LABEL.fullmatch(title)), None)
    if header is None or column is None:
        return list(lines)
    if len(titles) == 2 and column == 0 and _SLASHED.match(unwrapped(plain(header.cells[1]))):  # noqa: PLR2004  name, value
        return [replace(header, kind=LineKind.ROW), *lines]
    return [replace(line, text=line.cells[column], cells=()) if column < len(line.cells) else line for line in lines]


def _is_about_another(line: Line) -> bool:
    """``Base: main`` beside the branch is another fact."""
    label = f"{line.cells[0]}:" if len(line.cells) > 1 else line.text
    return _OTHER_LABEL.match(label, 0, 80) is not None


def _agreed(readings: Sequence[_LineReading], *, nothing_pushed: bool) -> BranchReading:
    first = readings[0]
    single = [reading for reading in readings if len(reading.names) == 1]
    told = [each for each in single if each is first or not (each.is_prose and each.names[0] in _COMMON_BASES)]
    plainly = tuple(dict.fromkeys(reading.names[0] for reading in told))
    names = first.names if len(first.names) > 1 else plainly
    if first.note is not None and len(names) != 1:
        return BranchReading(note=first.note)
    if len(names) > 1:
        return BranchReading(note=f"Branch: names several branches ({', '.join(names)}); none was taken")
    if names and first.says_none:
        return BranchReading(note=f"Branch: says that there is none and names {names[0]}; none was taken")
    if names and not nothing_pushed:
        return BranchReading(name=names[0])
    return BranchReading(says_none=first.says_none or bool(names))


def _read_line(line: Line, *, home: tuple[str, str]) -> _LineReading:
    text = _REFERENCE.sub(r"\1", _without_label(line.cells[-1] if line.cells else line.text))
    if _UNFILLED.match(text):
        return _LineReading(note=f"Branch: the template was not filled in: {excerpt(text)}")
    pushed = _PUSH.match(text.strip("` "))
    if pushed is not None and _is_name(unwrapped(pushed["ref"])):
        return _checked(unwrapped(pushed["ref"]))
    listing = None if "://" in text else _LISTING.match(text.strip("` "))
    if listing is not None:
        return _read_listing(listing)
    spans = read_spans(text)
    flat = "".join(span.text for span in spans)
    if answers_none(flat):
        return _LineReading(says_none=True)
    elsewhere = any(span.href and _TREE_LINK.match(span.href) for span in spans)
    names = _own_names(list(_marked(spans, home=home)) or list(() if elsewhere else _unmarked(flat, home=home)))
    if len(names) > 1:
        return _LineReading(names=tuple(names))
    if names and says_nothing_pushed(flat):
        return _LineReading(says_none=True)
    if names:
        return replace(_checked(names[0]), is_prose=len(flat.split()) > _FEW_WORDS)
    if says_no_branch(flat or text):
        return _LineReading(says_none=True)
    return _LineReading(note=f"Branch: names no branch that can be read: {excerpt(line.text)}")


def _checked(name: str) -> _LineReading:
    if len(name) > LONGEST_NAME:
        return _LineReading(note=f"Branch: a name of more than {LONGEST_NAME} characters: {excerpt(name)}")
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


def _marked(spans: tuple[Span, ...], *, home: tuple[str, str]) -> Iterator[_Candidate]:
    before = ""
    for place, span in enumerate(spans):
        behind = spans[place + 1].text if place + 1 < len(spans) else ""
        names = [] if _is_label(span, behind) else _marked_names(span, home=home)
        if not names:
            before += span.text
        for name in names:
            yield _Candidate(name=name, before=before)
            before = ""


def _is_label(span: Span, behind: str) -> bool:
    """``**Name**: ``, with the colon inside or outside."""
    is_bold = span.is_strong and not span.is_code
    return is_bold and (span.text.rstrip().endswith(":") or behind.lstrip().startswith((":", "：")))


def _marked_names(span: Span, *, home: tuple[str, str]) -> list[str]:
    """The ref that a code span, a bold word or a link holds; commits, files and commands are none."""
    if not span.is_marked:
        return []
    text = unwrapped(span.text)
    if span.href is None or _TREE_LINK.match(span.href) is None:
        return [text] if _is_name(text) else []
    ref = _linked_ref(span.href, home=home)
    if ref is None:
        return []
    return [text, ref] if _is_name(text) and "/" in text else [ref]


def _linked_ref(address: str, *, home: tuple[str, str]) -> str | None:
    """The branch that a page of the plan's own repository shows."""
    link = _TREE_LINK.match(address)
    if link is None:
        return None
    place = (link["host"].lower(), link["path"].lower().removesuffix(".git"))
    if all(home) and place != (home[0].lower(), home[1].lower()):
        return None
    return unwrapped(unquote(link["ref"]).rstrip("/"))


def _is_name(text: str) -> bool:
    if (
        not text
        or text.startswith(("#", "$", "%"))
        or text.endswith("/")
        or re.search(r"\s", text)
        or "://" in text
        or _SHA.match(text)
        or _FILE.search(text)
    ):
        return False
    return not _NO_NAME.match(text) and text.lower() not in _EVERYDAY and re.search(r"[^\W_]", text) is not None


def _unmarked(flat: str, *, home: tuple[str, str]) -> Iterator[_Candidate]:
    """A name in a plain line: the first word, or the first one behind words that lead up to it."""
    start = 0
    flat = flat.strip(" \t-*•·>")
    while (lead := _LEADING_WORD.match(flat, start)) is not None and lead.end() > start and lead.end() < len(flat):
        start = lead.end()
    word = _WORDS_IN_PROSE.match(flat, start)
    if word is None:
        return
    raw = word.group()
    name = _linked_ref(raw.strip("<>(),."), home=home) or _trimmed(raw)
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


def _trimmed(word: str) -> str:
    return unwrapped(word.strip("()[]{},;:!?").rstrip(".").strip("()[]{},;:!?"))


def _without_label(text: str) -> str:
    label = label_of(text)
    if label is not None and label.title is Title.BRANCH and label.separator and label.rest:
        return label.rest
    own = _OWN_LABEL.match(text, 0, 80)
    return text[own.end() :] if own is not None and own.end() < len(text) else text
