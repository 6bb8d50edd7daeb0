"""Words of other languages: read where they are set apart, and nowhere else."""

import pytest

from orchestrate.model.vocabulary import HandoffStatus, Verification
from orchestrate.text.handoffs import parse_handoff
from orchestrate.text.languages import foreign_status, foreign_verdict, with_english_titles


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("## Estado", "## Status"),
        ("### 🚀 **Rama**", "### 🚀 **Branch**"),
        ("## ВЕТКА: `x`", "## Branch: `x`"),
        ("**Statut :** réussi", "**Status :** réussi"),
        ("- **分支**：`x`", "- **Branch**：`x`"),
        ("## Status / 状态", "## Status"),
        ("## Vérification (finale)", "## Verification (finale)"),
    ],
)
def test_a_title_that_is_set_apart_becomes_the_english_one(text, read):
    assert with_english_titles(f"a\n{text}\nb") == f"a\n{read}\nb"


@pytest.mark.parametrize(
    "text",
    [
        "estado: el servicio no responde",
        "## Estado del servicio",
        "## `rama`",
        "**rama** fue borrada",
        "## Verificaciones",
        "## Status / notes",
        "> ## Estado",
    ],
)
def test_a_title_in_a_sentence_stays_as_it_is(text):
    assert with_english_titles(text) == text


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("erfolgreich", HandoffStatus.SUCCESS),
        ("✅ éxito.", HandoffStatus.SUCCESS),
        ("部分完成（缺少测试）", HandoffStatus.PARTIAL),
        ("teilweise – der rest fehlt", HandoffStatus.PARTIAL),
        ("bloqué: pas d'accès", HandoffStatus.BLOCKED),
        ("nicht erfolgreich", None),
        ("erfolgreich war nur der erste teil", None),
        ("未成功", None),
        ("no fue parcial", None),
    ],
)
def test_a_status_is_the_word_at_the_start_with_an_aside_at_most(text, status):
    assert foreign_status(text) is status


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("bestanden", Verification.TYPE_CHECK_ONLY),
        ("nicht bestanden", Verification.VERIFIER_FAILED),
        ("通过（12 个测试）", Verification.TYPE_CHECK_ONLY),
        ("不通过", Verification.VERIFIER_FAILED),
        ("knapp bestanden", None),
        ("aprobado en parte", None),
    ],
)
def test_a_verdict_is_read_the_same_way_and_its_negation_is_a_word_of_its_own(text, verdict):
    assert foreign_verdict(text) is verdict


@pytest.mark.parametrize(
    "text",
    [
        "## Status\nerfolgreich\n\nblockiert\n",
        "## Status\nsuccess\n\nteilweise\n",
        "## Verdict\nbestanden\n\nnicht bestanden\n",
        "## Verdict\npass\n\nnicht bestanden\n",
        "## Verdict\nbestanden\n\nfail\n",
    ],
)
def test_two_words_that_contradict_each_other_are_no_value(text):
    read = parse_handoff(text)
    assert (read.status, read.verification) == (None, None)


def test_the_same_word_in_two_languages_is_one_value():
    assert parse_handoff("## Status\nsuccess\n\n成功\n").status is HandoffStatus.SUCCESS
