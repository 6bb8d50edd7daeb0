"""The reference of all verbs, made from their parsers: what each is for, examples, options, exit codes."""

import argparse
from collections.abc import Iterable, Iterator
from importlib import import_module

from orchestrate.cli.parsing import add_common, verb_parser
from orchestrate.cli.verbs import GROUPS, VERBS, Verb

_PROGRAM = "orchestrate"
_USUAL_EXIT_CODES = (
    ("0", "it was done"),
    ("1", "it was refused or failed on the way, and is told in one message"),
    ("2", "the call, or what it names, is wrong; with `--json` only a call that cannot be read"),
)
_REFUSED_AT_ONCE = (
    ("0", "it was done"),
    ("1", "it failed on the way, and is told in one message"),
    ("2", "the call, or what it names, is wrong"),
)


def verbs_page() -> str:
    """The whole page, in Markdown."""
    parts = [
        "# Verbs",
        "Generated from the parsers by `python docs/generate.py`; a test keeps it current.",
        "`orchestrate VERB --help` shows the same. PLAN is a `plan.json` or its folder; where it may be left out, the\n"
        "current folder, or `.orchestrate/` in it, holds exactly one. `.` stands for the same where a second argument\n"
        "follows. Data goes to stdout, talk to stderr; `--json` prints exactly one object.",
    ]
    for name, told in GROUPS.items():
        members = [verb for verb in VERBS if verb.group == name]
        if members:
            parts += [f"## {name.capitalize()}", f"{told[0].upper()}{told[1:]}.", *map(_section, members)]
    parts += ["## Options of every verb", _option_table(_common_options())]
    return "\n\n".join(parts) + "\n"


def _section(verb: Verb) -> str:
    parser = verb_parser(verb, program=_PROGRAM)
    import_module(verb.module).configure(parser)
    parts = [f"### {verb.name}", f"{verb.help[0].upper()}{verb.help[1:]}.", _examples(verb)]
    actions = _own_actions(parser)
    if actions:
        parts.append(_option_table(actions))
    return "\n\n".join([*parts, _exit_codes(verb)])


def _examples(verb: Verb) -> str:
    blocks = (f"# {told}\n{_PROGRAM} {line}" for line, told in verb.examples)
    return "\n".join(["```sh", *blocks, "```"])


def _own_actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return [action for action in parser._actions if action.help != argparse.SUPPRESS]  # noqa: SLF001  argparse has no public list of what was added


def _common_options() -> list[argparse.Action]:
    parser = argparse.ArgumentParser(add_help=False)
    add_common(parser)
    return _own_actions(parser)


def _option_table(actions: Iterable[argparse.Action]) -> str:
    return _table(("argument", "meaning"), ((_written(action), action.help or "") for action in actions))


def _written(action: argparse.Action) -> str:
    """The argument as it is typed: ``PLAN``, ``--timeout SEC``, ``--runtime cloud|local``."""
    value = _value(action)
    if not action.option_strings:
        return f"`[{value}]`" if action.nargs in ("?", "*") else f"`{value}`"
    names = ", ".join(f"`{name}`" for name in action.option_strings[:-1])
    last = f"`{action.option_strings[-1]} {value}`" if action.nargs != 0 else f"`{action.option_strings[-1]}`"
    return f"{names}, {last}" if names else last


def _value(action: argparse.Action) -> str:
    if action.choices is not None and action.metavar is None:
        return "|".join(map(str, action.choices))
    return str(action.metavar or action.dest.upper())


def _exit_codes(verb: Verb) -> str:
    codes = list(_codes_in(verb.epilog))
    return _table(("exit code", "when"), codes or _usual_codes(verb))


def _usual_codes(verb: Verb) -> Iterable[tuple[str, str]]:
    return _USUAL_EXIT_CODES if verb.refusal_exit_code == 1 else _REFUSED_AT_ONCE


def _codes_in(epilog: str) -> Iterator[tuple[str, str]]:
    """The codes that a verb lists at the end of its help."""
    for line in epilog.splitlines():
        code, _, told = line.strip().partition(" ")
        if code.isdigit():
            yield code, told.strip()


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
