"""Every answer to bad input, word for word: the tables beside this file, one a subject.

``python -m tests.support.transcripts tests/acceptance/bad_input/plans.txt`` writes down what is answered now.
"""

import re
from pathlib import Path

import pytest

from tests.support.transcripts import Case, played, read_transcript

_TABLES = sorted(Path(__file__).parent.glob("*.txt"))
_CASES = [(table.stem, case) for table in _TABLES for case in read_transcript(table).cases]


@pytest.mark.parametrize("case", [pytest.param(case, id=f"{subject}: {case.title}") for subject, case in _CASES])
def test_the_answer_is_word_for_word(case: Case, tmp_path: Path) -> None:
    assert list(played(case, tmp_path).lines()) == list(case.lines())


def test_every_case_has_a_name_of_its_own() -> None:
    names = [(subject, case.title) for subject, case in _CASES]
    assert len(set(names)) == len(names)


def test_no_answer_shows_where_in_the_program_it_comes_from() -> None:
    text = "".join(table.read_text(encoding="utf-8") for table in _TABLES)
    assert "Traceback" not in text
    assert "a fault of this program" not in text


def test_the_page_names_cases_and_tests_that_there_are() -> None:
    page = (Path(__file__).parent / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"`([a-z_]+\.(?:txt|py))`: ([^;|]+?)(?=;| \|)", page)
    titles = {(f"{subject}.txt", case.title) for subject, case in _CASES}
    tests = Path(__file__).parents[2]
    for file, name in named:
        if file.endswith(".txt"):
            assert (file, name) in titles
        else:
            assert any(f"def {name}(" in path.read_text(encoding="utf-8") for path in tests.rglob(file)), name
    assert len(named) > 40
