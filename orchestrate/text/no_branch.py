"""How people say that there is no branch, in the languages that agents write."""

import re

#: The line is over with this word: ``none (verification only)``.
_FIRST_WORD = re.compile(
    r"[\W_]*(?:none|n/a|n\.a\.?|nil|null|no|nothing|not applicable|keine[rn]?|kein|nichts|aucune?|rien|ningun[ao]?|ningún|nada|"
    r"nenhuma?|nessun[ao]?|niente|geen|niets|ingen|inget|intet|brak|žádn[áýé]|нет|ничего|немає|没有|沒有|無|无|なし|ありません|없음|yok|"
    r"nincs|ei ole)(?![\w/-])",
    re.IGNORECASE,
)
#: Scripts without spaces between words.
_RUNNING_SCRIPT = re.compile(
    r"没有|沒有|无分支|無分支|未推送|没推送|未提交|ブランチなし|プッシュしていません|未プッシュ|ありません|없습니다|없음|푸시하지"
)
_OTHER_THAN = re.compile(
    r"[\W_]*no (?:new|separate|additional|other|extra|second|dedicated)\b|[\W_]*none of\b", re.IGNORECASE
)
_NOTHING_PUSHED = re.compile(
    r"\b(?:nothing(?: \w+){0,3}? (?:pushed|committed|push|commit)"
    r"|(?:not|never|nothing)(?: yet| been| was| ever| be){0,2} (?:pushed|created)"
    r"|(?:was|were|is|are|has|have|had|did|could|can|do|does)(?: not|n't|n’t)(?: yet| been| be| get| actually){0,3} (?:push|pushed|created|create)"
    r"|cannot(?: be)? push(?:ed)?|unable to push|push(?: was| has been)? (?:failed|rejected|refused|denied)|failed to push|without (?:a )?branch"
    r"|no(?: (?!new\b|separate\b|additional\b|other\b|extra\b|second\b)\w+){0,3} (?:branch|branches|push|pushes)\b"
    r"|no(?: \w+){0,2} (?:was|were) pushed"
    r"|nichts gepusht|nicht gepusht|kein(?:en)? (?:\w+ )?(?:branch|zweig)|rien (?:n'a été )?(?:poussé|pousser)|pas de branche|aucune branche"
    r"|sin (?:rama|branch)|ninguna rama|nada (?:fue )?(?:enviado|subido|empujado)|sem (?:branch|ramo)|nenhum(?:a)? branch|nessun(?:a)? (?:branch|ramo)"
    r"|geen (?:branch|tak)|niets gepusht|ingen (?:branch|gren)|brak (?:gałęzi|brancha)|нет ветки|ветки нет|ничего не (?:отправлено|запушено))",
    re.IGNORECASE,
)
_NO_CHANGES = re.compile(
    r"[\W_]*(?:there (?:are|were|was|is) )?no (?:code |file |source )?(?:changes?|commits?|edits?|modifications?)\b",
    re.IGNORECASE,
)
_ONLY_A_DASH = re.compile(r"[\s—–\-()*_`.∅/]{1,40}\Z")


def says_nothing_pushed(text: str) -> bool:
    """True for wordings that hold even beside a name: ``cursor/x (nothing pushed)``."""
    return _NOTHING_PUSHED.search(text) is not None or "(no branch)" in text


def answers_none(text: str) -> bool:
    """True if the line opens with a word for "none": ``None, only cursor/x was reviewed``."""
    opens = _FIRST_WORD.match(text) is not None and _OTHER_THAN.match(text) is None
    return opens or _ONLY_A_DASH.match(text) is not None or _RUNNING_SCRIPT.search(text) is not None


def says_no_branch(text: str) -> bool:
    """True if a line that names no branch says that there is none."""
    return answers_none(text) or _NO_CHANGES.match(text) is not None or says_nothing_pushed(text)
