"""Writes pages and schemas that are made from the code: ``python docs/generate.py``; ``--check`` only says what is not current."""

import argparse
import inspect
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, cast

from orchestrate.cli.delegation.codes import MEANINGS, Meaning
from orchestrate.cli.verbs_page import verbs_page
from orchestrate.core import effects, machine, operating, transitions
from orchestrate.core.effects import Effect
from orchestrate.core.events import Event
from orchestrate.core.transitions import TABLE
from orchestrate.model.schema import plan_schema
from orchestrate.model.state_schema import state_schema

_PROJECT = Path(__file__).parents[1]
_SchemaPart = Mapping[str, Any]  # JSON of any shape, read by its names
_MARKUP = re.compile(r"``(.+?)``")


def main(arguments: list[str] | None = None) -> int:
    """Write the pages, or with ``--check`` answer 1 when one of them is not current."""
    parser = argparse.ArgumentParser(description="Write the pages that are made from the code.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a page is not current")
    options = parser.parse_args(arguments)
    stale = {name: text for name, text in pages().items() if not _is_current(name, text)}
    for name, text in stale.items():
        if not options.check:
            (_PROJECT / name).parent.mkdir(parents=True, exist_ok=True)
            (_PROJECT / name).write_text(text, encoding="utf-8")
        sys.stdout.write(f"{name} {'is not current' if options.check else 'written'}\n")
    if stale and options.check:
        sys.stdout.write("run: python docs/generate.py\n")
        return 1
    return 0


def pages() -> dict[str, str]:
    """The text of each file, by its path in the project."""
    return {name: page() for name, page in _PAGES.items()}


def state_machine() -> str:
    """What the machine is told, what it asks for, and which steps a task may take."""
    parts = [
        "# The state machine",
        "Generated from `orchestrate/core` by `python docs/generate.py`; a test keeps it current.",
        "The machine is a pure function: it is told an event, and answers with whole rows as they are from now on and\n"
        "with effects, which performers carry out. The words are in [architecture](architecture.md).",
        "## Rules",
        _rules(),
        "## Steps of a task",
        f"```mermaid\n{transitions.diagram()}\n```",
        _table(("from", "to", "on"), ((step.source, step.target, "; ".join(step.causes)) for step in TABLE)),
        "A status may always stay; any other step is a bug, and is raised.",
        "## Events",
        "What happened, each with its moment `at` and its `id`.",
        _table(("event", "what it says", "fields"), (_event_row(kind) for kind in _kinds(Event))),
        "## Effects",
        "What is to be done, each with its `cause`, the id of the event that led to it.",
        _table(("effect", "what it asks for", "answers"), (_effect_row(kind) for kind in _kinds(Effect))),
        "A bug in a performer is answered by `EffectFailed`. Effects are not in the journal: after a crash they are\n"
        "derived from the rows.",
        "## Exit codes of `run`",
        _table(("code", "when"), _exit_codes()),
    ]
    return "\n\n".join(parts) + "\n"


def errors_page() -> str:
    """The page of errors, its table of codes as the code has them."""
    rows = ((f"`{code}`", entry.what, _yes(entry.retryable), _recovery(entry)) for code, entry in MEANINGS.items())
    table = _table(("code", "what happened", "retryable", "`recoveryAction`, or one that names ids"), rows)
    return _filled("errors.md", {"codes of delegation": table})


def files_page() -> str:
    """The page of files, its tables of fields as the schema of the state has them."""
    schema = cast("_SchemaPart", state_schema())
    row = schema["$defs"]["Row"]
    tables = {
        "fields of the state": _table(("field", "what it says"), _field_rows(schema)),
        "fields of a row": _table(("field", "what it says"), _field_rows(row)),
    }
    return _filled("files.md", tables)


def _field_rows(schema: "_SchemaPart") -> Iterator[tuple[str, ...]]:
    for name, field in schema["properties"].items():
        yield f"`{name}`", field["description"]


def _filled(name: str, tables: Mapping[str, str]) -> str:
    """The page with each table between its marks; what stands around them is written by hand."""
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    for title, table in tables.items():
        before, begin, rest = text.partition(f"<!-- {title}: generated -->")
        _, end, after = rest.partition(f"<!-- end of {title} -->")
        assert end, f"{name} has no place for the {title}"
        text = f"{before}{begin}\n{table}\n{end}{after}"
    return text


def _yes(is_so: bool) -> str:  # noqa: FBT001  a word for a value
    return "yes" if is_so else "no"


def _recovery(entry: Meaning) -> str:
    return entry.recovery.format(verb="delegate")


def _rules() -> str:
    """The numbered rules of the machine's own docstring."""
    _, _, rules = inspect.cleandoc(machine.__doc__ or "").partition("\n\n1. ")
    return _MARKUP.sub(r"`\1`", f"1. {rules}")


def _kinds(base: type) -> Iterator[type]:
    """The subclasses of this base, by module and in the order of their source.

    A dataclass with slots takes the place of a class of its name, which may live a little longer; the later one counts.
    """
    kinds = {kind.__name__: kind for kind in base.__subclasses__()}
    return iter(sorted(kinds.values(), key=lambda kind: kind.__module__))


def _event_row(kind: type) -> tuple[str, ...]:
    own = [f"`{item.name}`" for item in fields(kind) if item.name not in ("at", "id")]
    return f"`{kind.__name__}`", _sentence(kind), ", ".join(own)


def _effect_row(kind: type) -> tuple[str, ...]:
    return f"`{kind.__name__}`", _sentence(kind), _answers()[kind.__name__]


def _answers() -> dict[str, str]:
    """The families of answers, from the table in the docstring of the effects."""
    lines = (re.split(r"\s{2,}", line, maxsplit=1) for line in (effects.__doc__ or "").splitlines())
    return {cells[0]: cells[1] for cells in lines if len(cells) > 1}


def _exit_codes() -> Iterable[tuple[str, ...]]:
    return (
        (str(operating.EXIT_DONE), "every task of the plan handed off"),
        (str(operating.EXIT_PLANNERS_TURN), "a task is in error, cancelled or left waiting: the planner's turn"),
        ("2", "the call or the plan is wrong; the machine never ran"),
        (str(operating.EXIT_BLOCKED), "the service has no room for this planner's agents: it hands off `blocked`"),
        (str(operating.EXIT_CHECKPOINT), "planned checkpoint: call again to go on"),
        (str(operating.EXIT_INTERRUPTED), "interrupted; state saved, agents left running"),
    )


def _sentence(kind: type) -> str:
    return " ".join(_MARKUP.sub(r"`\1`", inspect.getdoc(kind) or "").split())


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def _json(document: Mapping[str, object]) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _is_current(name: str, text: str) -> bool:
    path = _PROJECT / name
    return path.exists() and path.read_text(encoding="utf-8") == text


_PAGES: dict[str, Callable[[], str]] = {
    "docs/errors.md": errors_page,
    "docs/files.md": files_page,
    "docs/state-machine.md": state_machine,
    "docs/verbs.md": verbs_page,
    "plans/schema/plan.schema.json": lambda: _json(plan_schema()),
    "plans/schema/state.schema.json": lambda: _json(state_schema()),
}

if __name__ == "__main__":
    raise SystemExit(main())
