"""README and the docs name only what there is."""

import re
from importlib import import_module

import pytest

from orchestrate.cli.parsing import add_common, verb_parser
from orchestrate.cli.verbs import HIDDEN, VERBS, VERBS_BY_NAME
from orchestrate.model.checking import parse_plan
from tests.support.documents import Document, document, documents
from tests.support.wheel import PROJECT

RUN_COMMAND = "python3 -m venv .venv && .venv/bin/pip install -q . && .venv/bin/python -m orchestrate quickstart"
TEST_COMMAND = "python3 -m venv .venv && .venv/bin/pip install -q '.[dev]' && .venv/bin/python -m pytest -q"
LINE_LENGTH = 120

COMMANDS = [(page.path.name, words) for page in documents() for words in page.commands()]
PAGES = [pytest.param(page, id=str(page.path.relative_to(PROJECT))) for page in documents()]


@pytest.mark.parametrize(("page", "words"), COMMANDS, ids=[f"{page}: {' '.join(words)}" for page, words in COMMANDS])
def test_every_command_can_be_typed(page: str, words: list[str]) -> None:
    if words[0] == "help":
        assert words[1] in VERBS_BY_NAME
        return
    verb = VERBS_BY_NAME[words[0]]
    parser = verb_parser(verb, program="orchestrate")
    import_module(verb.module).configure(parser)
    add_common(parser)

    parser.parse_args(words[1:])


def test_readme_names_every_verb() -> None:
    named = {words[0] for words in document("README.md").commands()}

    assert named >= {verb.name for verb in VERBS if verb.group != HIDDEN} - {"quickstart"}


def test_the_first_two_blocks_install_and_run_the_quickstart_and_the_tests() -> None:
    first, second, *_ = document("README.md").blocks("sh")

    assert (first, second) == (f"{RUN_COMMAND}\n", f"{TEST_COMMAND}\n")


def test_the_gates_end_with_the_test_command_of_readme() -> None:
    script = (PROJECT / ".ci" / "run").read_text(encoding="utf-8")

    assert script.splitlines()[-1] == TEST_COMMAND


def test_the_plan_of_readme_is_sound() -> None:
    (block,) = document("README.md").blocks("json")

    plan, warnings = parse_plan(block.encode())

    assert plan.is_local
    assert warnings == []


@pytest.mark.parametrize("page", PAGES)
def test_json_in_the_docs_can_be_read(page: Document) -> None:
    page.json_blocks()


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: Document) -> None:
    for target in page.links():
        name, _, anchor = target.partition("#")
        place = page.path.parent / name if name else page.path
        assert place.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.+)$", place.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {heading.lower().replace(" ", "-") for heading in headings}, target


@pytest.mark.parametrize("page", PAGES)
def test_lines_are_short_enough_to_be_read_in_a_terminal(page: Document) -> None:
    lines = [line for line in page.text.splitlines() if not line.startswith("|")]

    assert [line for line in lines if len(line) > LINE_LENGTH] == []
