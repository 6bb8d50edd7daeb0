"""docs/errors.md names every code that the program makes, and none that it does not."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from orchestrate import errors
from orchestrate.cli.confirming import NotConfirmed
from orchestrate.cli.output import error_code
from orchestrate.cli.usage import UsageRefused
from orchestrate.cloud import answers, problems
from orchestrate.repo import git

_PROJECT = Path(__file__).parents[2]
_SOURCES = _PROJECT / "orchestrate"
#: The delegation verbs have codes of their own; the server's are those of the service.
_ELSEWHERE = ("cli/delegation", "server")
#: Bases that are never raised themselves.
_ABSTRACT = ("service_error",)


def codes_of_literals() -> Iterator[str]:
    for path in _SOURCES.rglob("*.py"):
        if not str(path.relative_to(_SOURCES)).startswith(_ELSEWHERE):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                yield from _codes_in(node)


def _codes_in(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Call):
        given = [each.value for each in node.keywords if each.arg == "code"]
        if isinstance(node.func, ast.Name) and node.func.id == "Refusal":
            given += node.args[:1]
    elif isinstance(node, ast.Dict):
        given = [value for key, value in zip(node.keys, node.values, strict=True) if _is_code(key)]
    else:
        return
    yield from (each.value for each in given if isinstance(each, ast.Constant) and isinstance(each.value, str))


def _is_code(key: ast.expr | None) -> bool:
    return isinstance(key, ast.Constant) and key.value == "code"


def codes_of_kinds() -> Iterator[str]:
    kinds = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, Exception)]
    for kind in (*kinds, UsageRefused, NotConfirmed):
        yield error_code(kind.__new__(kind)) if not issubclass(kind, errors.ServiceError) else _of_service(kind)


def _of_service(kind: type[errors.ServiceError]) -> str:
    return error_code(kind("it"))


def codes_of_tables() -> Iterator[str]:
    yield from answers._CODE_BY_STATUS.values()
    yield from (answers._code_by_status(status) for status in (302, 418, 500))
    yield from problems._WORDS_BY_CODE
    yield from (code for _, code in git._FINAL_REASONS)
    yield from (answers._USAGE_LIMIT, git.OVERTAKEN, "git_failed")


def test_the_page_names_every_code_and_no_other():
    page, _, _ = (_PROJECT / "docs" / "errors.md").read_text(encoding="utf-8").partition("## Codes of delegation")
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    named = {code for cell in rows for code in re.findall(r"`([a-z]+(?:_[a-z]+)*)`", cell)}
    named |= set(re.findall(r"`([a-z_]+)`", page.partition("In a row's note")[2])) - {"messages/"}
    named |= {"orchestrate_error", "measurement_error"} & set(re.findall(r"`([a-z_]+)`", page))
    made = {*codes_of_literals(), *codes_of_kinds(), *codes_of_tables()} - set(_ABSTRACT)
    assert named == made
