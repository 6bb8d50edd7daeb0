"""The lines of ``## Measurements``: ``<name>: <before> <op> <after>``, in lists, tables or code."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from orchestrate.model.handoff import MeasurementClaim
from orchestrate.text.cleaning import excerpt
from orchestrate.text.inline import plain, read_spans
from orchestrate.text.markdown import Line, LineKind
from orchestrate.text.sections import Section

#: A section with more lines than this is read up to here, and says so.
CLAIM_LIMIT = 1000

_SPELLINGS = {"->": "→", "-->": "→", "⇒": "→", "➜": "→", "⟶": "→", "➔": "→", "≤": "<=", "≥": ">=", "=": "=="}
_ARROW = re.compile(r"→|-{1,2}>|⇒|➜|⟶|➔")
_COMPARISON = re.compile(r"(?<![<>=\w-])(?:<=|>=|==|≤|≥|<|>)(?![<>=])|(?<=\s)=(?=\s)")
_UNCLEAR_ARROW = re.compile(r"=>|=<")
_LATEX_ARROW = re.compile(r"\$?\\(?:rightarrow|to)\b\$?")
_NAME_END = re.compile(r":(?=\s|[`*_]|\Z)|：")
_REMARK = re.compile(r"\s+[(\[]|\s+[—–-]{1,2}\s|;\s|,\s|\.\s|\s+(?:as|measured|via|per|counted)\s|\s*[✅✓✔❌]")
_WORD_BEFORE = re.compile(r"\s*(?:before|after|from|now|was)\b[:=]?\s+", re.IGNORECASE)
_NONE = re.compile(
    r"[\W_]*(?:none|n/?a|nil|null|nothing|no\s+(?:\w+\s+){0,3}measurements?|not\s+applicable|not\s+(?:measured|required|requested|needed)|"
    r"keine|aucune?|ningun[ao]|nenhum[a]?|nessun[ao]?|geen|ingen|brak|нет|なし|无|없음)\b",
    re.IGNORECASE,
)
_DASH_ONLY = re.compile(r"[\s—–\-()\[\]*_`.∅/]{1,40}\Z")
#: A ticked box, or pictures.
_ORNAMENT = re.compile("\\s*\\[[xX✓✔]\\]\\s+|[\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff\u200d\\s]+")
_HEAD_BEFORE = re.compile(r"before|baseline|old|from|previous|start", re.IGNORECASE)
_HEAD_AFTER = re.compile(r"after|now|new|to|current|end|result", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Claims:
    """What the measurement sections say."""

    claims: tuple[MeasurementClaim, ...] = ()
    #: True: they say none; False: they have lines; None: there is nothing to go by.
    says_none: bool | None = None
    notes: tuple[str, ...] = ()


def read_claims(sections: Sequence[Section]) -> Claims:
    """All claims in order, each once; a line that cannot be read is a note."""
    lines = [line for section in sections for line in section.lines]
    own = [line for line in lines if line.kind not in (LineKind.CODE, LineKind.QUOTE)]
    read = _read_lines(own)
    if not read.claims and read.says_none is not True:
        aside = _read_lines([line for line in lines if line.kind is LineKind.CODE or not own])
        read = aside if aside.claims or not own else read
    if sections and not lines:
        return Claims(notes=("Measurements: the section is empty",))
    return read


def _read_lines(lines: Sequence[Line]) -> Claims:
    claims: dict[MeasurementClaim, None] = {}
    notes: list[str] = []
    said_none = False
    columns: tuple[str, ...] = ()
    for line in lines[:CLAIM_LIMIT]:
        if line.kind is LineKind.HEADER_ROW:
            columns = line.cells
            continue
        claim = _row_claim(line, columns) if line.cells else _line_claim(line.text)
        if claim is not None:
            claims[claim] = None
        elif _says_none(line.text):
            said_none = True
        elif _looks_like_a_claim(line):
            notes.append(f"Measurements: cannot be read as <name>: <before> <op> <after>: {excerpt(line.text)}")
    if len(lines) > CLAIM_LIMIT:
        notes.append(f"Measurements: only the first {CLAIM_LIMIT} lines were read")
    notes += _contradictions(claims)
    says_none = said_none and not claims
    return Claims(claims=tuple(claims), says_none=says_none if lines else None, notes=tuple(notes))


def _line_claim(text: str) -> MeasurementClaim | None:
    """The name ends at the first colon before a space, or where its code span ends."""
    text = _LATEX_ARROW.sub("→", text)
    spans = read_spans(text)
    flat = " ".join("".join(span.text for span in spans).split())
    if spans and spans[0].is_code and ":" in "".join(span.text for span in spans[1:])[:3]:
        name = spans[0].text.strip()
        rest = flat[len(" ".join(spans[0].text.split())) :].lstrip(" ").removeprefix(":")
    else:
        end = _NAME_END.search(flat)
        if end is None:
            return None
        name, rest = flat[: end.start()], flat[end.end() :]
    return _claim(name, rest)


def _row_claim(line: Line, columns: Sequence[str]) -> MeasurementClaim | None:
    cells = [plain(cell) for cell in line.cells]
    match cells:
        case [name, change]:
            return _claim(name, change)
        case [name, before, op, after, *_] if operator_of(op) is not None:
            return _made(name, before, op, after)
        case [name, before, after, *_] if _names_before_and_after(columns):
            return _made(name, before, "→", after)
        case _:
            return None


def _names_before_and_after(columns: Sequence[str]) -> bool:
    match [plain(column) for column in columns]:
        case [_, before, after, *_]:
            return _HEAD_BEFORE.match(before) is not None and _HEAD_AFTER.match(after) is not None
        case _:
            return False


def _claim(name: str, change: str) -> MeasurementClaim | None:
    for pattern in (_ARROW, _COMPARISON):
        found = [match for match in pattern.finditer(change) if change[: match.start()].strip()]
        if len(found) == 1 and not _UNCLEAR_ARROW.search(change):
            match = found[0]
            return _made(name, change[: match.start()], match.group(), change[match.end() :])
        if found:
            return None
    return None


def _made(name: str, before: str, op: str, after: str) -> MeasurementClaim | None:
    operator = operator_of(op)
    name = name[ornament.end() :] if (ornament := _ORNAMENT.match(name)) else name
    name, before, after = _bare(name), _bare(_WORD_BEFORE.sub("", before)), _value(_WORD_BEFORE.sub("", after))
    if operator is None or not (name and before and after):
        return None
    return MeasurementClaim(name=name, before=before, op=operator, after=after)


def operator_of(text: str) -> str | None:
    """The operator in the spelling of the format; None if it is none."""
    text = text.strip("` *")
    if _ARROW.fullmatch(text):
        return "→"
    operator = _SPELLINGS.get(text, text)
    return operator if operator in ("→", "<=", "<", ">", ">=", "==") else None


def _bare(text: str) -> str:
    return text.strip(" \t`|").removeprefix("**").removesuffix("**").strip()


def _value(text: str) -> str:
    """The value without the remark behind it."""
    text = text.strip()
    remark = _REMARK.search(text)
    return _bare(text[: remark.start()] if remark and remark.start() else text).rstrip(".,;").rstrip()


def _says_none(text: str) -> bool:
    return _NONE.match(plain(text)) is not None or _DASH_ONLY.match(text) is not None


def _looks_like_a_claim(line: Line) -> bool:
    """Prose around the lines is left alone; a row, an item or an operator is meant as a claim."""
    is_listed = line.kind in (LineKind.ITEM, LineKind.ROW)
    return is_listed or bool(
        _ARROW.search(line.text) or _UNCLEAR_ARROW.search(line.text) or _COMPARISON.search(line.text)
    )


def _contradictions(claims: Iterable[MeasurementClaim]) -> list[str]:
    seen: dict[str, int] = {}
    for claim in claims:
        seen[claim.name] = seen.get(claim.name, 0) + 1
    return [
        f"Measurements: {excerpt(name)} is claimed {count} times with different values"
        for name, count in seen.items()
        if count > 1
    ]
