"""Titles and words of a handoff in other languages than English: agents answer in the language of the plan.

Only what stands in these tables is read, and only where it is set apart: a title as a heading or in bold, a word at the
start of its line with nothing but an aside behind it. Everything else in another language is as unclear as it was.
"""

import re
from collections.abc import Mapping, Sequence

from orchestrate.model.vocabulary import HandoffStatus, Verification

_TITLES: Mapping[str, Sequence[str]] = {
    "Status": (
        "statut", "estado", "stato", "статус", "stan", "durum", "ステータス", "状態", "状态", "狀態", "상태",
    ),
    "Branch": ("branche", "zweig", "rama", "ramo", "tak", "gałąź", "ветка", "гілка", "ブランチ", "分支", "브랜치"),
    "Verification": (
        "vérification", "verifizierung", "verifikation", "verificación", "verificação", "verifica", "verificatie",
        "weryfikacja", "проверка", "верификация", "перевірка", "検証", "验证", "驗證", "검증",
    ),
    "Verdict": ("urteil", "veredicto", "veredito", "verdetto", "oordeel", "werdykt", "вердикт", "判定", "판정"),
    "Measurements": (
        "mesures", "messungen", "messwerte", "mediciones", "medições", "misurazioni", "misure", "metingen", "pomiary",
        "измерения", "вимірювання", "測定", "計測", "测量", "測量", "측정",
    ),
}  # fmt: skip
_STATUSES: Mapping[HandoffStatus, Sequence[str]] = {
    HandoffStatus.SUCCESS: (
        "erfolg", "erfolgreich", "succès", "réussi", "réussie", "réussite", "éxito", "exito", "exitoso", "con éxito",
        "sucesso", "com sucesso", "successo", "riuscito", "succes", "geslaagd", "sukces", "успех", "успешно", "успіх",
        "успішно", "başarılı", "lyckades", "成功", "성공",
    ),
    HandoffStatus.PARTIAL: (
        "teilweise", "teilweise erfolgreich", "partiel", "partielle", "partiellement", "parcial", "parcialmente",
        "parziale", "parzialmente", "gedeeltelijk", "częściowo", "częściowy", "частично", "частково", "kısmi", "delvis",
        "部分", "部分完成", "部分成功", "部分的", "一部完了", "부분", "부분 완료", "부분 성공",
    ),
    HandoffStatus.BLOCKED: (
        "blockiert", "bloqué", "bloquée", "bloqueado", "bloqueada", "bloccato", "bloccata", "geblokkeerd",
        "zablokowane", "zablokowany", "заблокировано", "заблокирован", "заблоковано", "engellendi", "blockerad", "受阻",
        "阻塞", "被阻塞", "ブロック", "차단됨",
    ),
}  # fmt: skip
_VERDICTS: Mapping[Verification, Sequence[str]] = {
    Verification.TYPE_CHECK_ONLY: (
        "bestanden", "réussi", "aprobado", "aprovado", "superato", "geslaagd", "zaliczone", "пройдено", "合格", "通过",
        "通過", "통과",
    ),
    Verification.VERIFIER_FAILED: (
        "nicht bestanden", "durchgefallen", "échoué", "échec", "no aprobado", "no superado", "fallido", "não aprovado",
        "reprovado", "non superato", "fallito", "niet geslaagd", "mislukt", "niezaliczone", "не пройдено", "провал",
        "不合格", "未通过", "不通过", "未通過", "불합격", "실패",
    ),
}  # fmt: skip

_WORD_OF_TITLE = {word: title for title, words in _TITLES.items() for word in words}
_ANY_TITLE = "|".join(sorted(map(re.escape, _WORD_OF_TITLE), key=len, reverse=True))
#: Behind ``#`` or in bold, alone or before a colon, a dash or an aside.
_FOREIGN_TITLE = re.compile(
    rf"^(?P<lead>[ ]{{0,3}}(?:\#{{1,6}}+[ \t]{{0,4}}+[^\w\n\"'`(\[]{{0,12}}+|[-*+][ ]\*\*|\*\*|__))(?P<title>{_ANY_TITLE})"
    r"(?=[*_]{0,3}[ \t]{0,4}(?:$|[:：(（–—/|]|-\s))",
    re.IGNORECASE | re.MULTILINE,
)
#: ``## Status / 状态``: one title in two languages.
_TWICE = re.compile(
    rf"^(?P<title>[ ]{{0,3}}\#{{1,6}}+[ \t]{{0,4}}+(?:{'|'.join(_TITLES)}))[ \t]{{0,4}}[/|·][ \t]{{0,4}}(?:{_ANY_TITLE})"
    r"(?=[ \t]{0,4}$)",
    re.IGNORECASE | re.MULTILINE,
)
_BEHIND = r"(?=\s*(?:$|[(（–—/;.:：!]|-\s))"


def _leading(words: Mapping[str, object]) -> re.Pattern[str]:
    longest_first = sorted(map(re.escape, words), key=len, reverse=True)
    return re.compile(rf"[\W_]{{0,12}}(?P<word>{'|'.join(longest_first)})[*_`]{{0,3}}{_BEHIND}")


_STATUS_OF = {word: status for status, words in _STATUSES.items() for word in words}
_VERDICT_OF = {word: verdict for verdict, words in _VERDICTS.items() for word in words}
_LEADING_STATUS = _leading(_STATUS_OF)
_LEADING_VERDICT = _leading(_VERDICT_OF)


def with_english_titles(text: str) -> str:
    """The text with English titles where it has headings in another language that mean the same."""
    text = _FOREIGN_TITLE.sub(lambda match: match["lead"] + _WORD_OF_TITLE[match["title"].lower()], text)
    return _TWICE.sub(lambda match: match["title"], text)


def foreign_status(text: str) -> HandoffStatus | None:
    """The status that a line in another language begins with; ``text`` is in lower case."""
    match = _LEADING_STATUS.match(text)
    return None if match is None else _STATUS_OF[match["word"]]


def foreign_verdict(text: str) -> Verification | None:
    """The same for the words of ``## Verdict``."""
    match = _LEADING_VERDICT.match(text)
    return None if match is None else _VERDICT_OF[match["word"]]
