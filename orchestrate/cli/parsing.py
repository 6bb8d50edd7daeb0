"""Command lines: one parser a verb, options that mean the same everywhere, and help that begins with examples."""

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NoReturn

import orchestrate
from orchestrate.cli.usage import not_a_choice, refused_line
from orchestrate.cli.verbs import GROUPS, VERBS, Verb

_WIDTH = 100


class Parser(argparse.ArgumentParser):
    """A parser that refuses as every other part of this program does, and shows examples first."""

    examples: tuple[tuple[str, str], ...] = ()

    def error(self, message: str) -> NoReturn:
        """Refuse the command line."""
        raise refused_line(message, program=self.prog, options=self._option_string_actions)

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """Refuse what is none of the choices; argparse's own words differ from one Python to the next."""
        if action.choices is not None and value not in action.choices:
            raise argparse.ArgumentError(action, not_a_choice(value, action.choices))

    def format_help(self) -> str:
        """Help: what it is for, examples, then usage and options."""
        head = [f"{self.prog}: {self.description}", ""]
        lines = two_columns([(f"  {line}", told) for line, told in self.examples])
        body = argparse.HelpFormatter(self.prog, width=_WIDTH, max_help_position=34)
        body.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        for group in self._action_groups:
            body.start_section(group.title)
            body.add_text(group.description)
            body.add_arguments(group._group_actions)  # noqa: SLF001  as argparse's own format_help does
            body.end_section()
        parts = ["\n".join([*head, *lines, ""]) if lines else "\n".join(head), body.format_help()]
        if self.epilog:
            parts.append(f"\n{self.epilog}")
        return "\n".join(parts[:2]) + "".join(parts[2:])


def verb_parser(verb: Verb, *, program: str) -> Parser:
    """The parser of a verb with the options that every verb has; its module adds its own."""
    parser = Parser(
        prog=f"{program} {verb.name}",
        description=verb.help,
        epilog=verb.epilog,
        add_help=False,
        allow_abbrev=False,
    )
    parser.examples = tuple((f"{program} {line}", told) for line, told in verb.examples)
    return parser


def top_parser(*, program: str) -> Parser:
    """The parser of what stands before the verb, and the verb itself."""
    parser = Parser(prog=program, add_help=False, allow_abbrev=False)
    parser.add_argument("--version", action="store_true")
    add_common(parser)
    verb = parser.add_argument("verb", nargs=argparse.PARSER, action=_VerbAndRest)
    verb.required = False
    absent = {"quiet": False, "verbose": 0, "yes": False, "dry_run": False, "plain": False}
    parser.set_defaults(rest=(), help=False, color="auto", env_file=None, **absent)
    return parser


class _VerbAndRest(argparse.Action):
    """The verb, and all that stands behind it as it is: a ``--`` there is the verb's."""

    def __call__(
        self, _parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: object, _option: object = None
    ) -> None:
        """Part the two."""
        assert isinstance(values, list)
        namespace.verb, *namespace.rest = values[1:] if values[0] == "--" else values


def add_common(parser: argparse.ArgumentParser, *, has_dry_run: bool = True) -> None:
    """The options that mean the same on every verb; left out, they keep what stood before the verb."""
    group = parser.add_argument_group("everywhere")
    absent = argparse.SUPPRESS
    group.add_argument("-h", "--help", action="store_true", default=absent, help="show this help and exit")
    group.add_argument("-q", "--quiet", action="store_true", default=absent, help="say errors and results only")
    group.add_argument("-v", "--verbose", action="count", default=absent, help="say more; show what an error came from")
    group.add_argument("-y", "--yes", action="store_true", default=absent, help="do not ask")
    if has_dry_run:
        group.add_argument(
            "-n", "--dry-run", action="store_true", default=absent, help="say what would be done and do nothing"
        )
    group.add_argument("--color", choices=("auto", "always", "never"), default=absent, help="colours (default: auto)")
    group.add_argument("--plain", action="store_true", default=absent, help="plain lines: no glyphs, no live block")
    group.add_argument(
        "--env-file", type=Path, metavar="FILE", default=absent, help="take variables from FILE that are not set"
    )


def overview(*, program: str) -> str:
    """The help of the program: examples first, then the verbs in their groups."""
    lines = [
        f"{program}: run large coding jobs on fleets of coding agents",
        "",
        *two_columns(
            [
                (f"  {program} quickstart", "a small real run: offline, no key"),
                (f"  {program} validate plan.json", "check a plan"),
                (f"  {program} run plan.json", "run it, or go on with it"),
                (f"  {program} status", "see where it stands"),
            ]
        ),
    ]
    width = max(len(verb.name) for verb in VERBS if verb.group in GROUPS) + 2
    for name, told in GROUPS.items():
        members = [verb for verb in VERBS if verb.group == name]
        if members:
            lines += ["", f"{name}: {told}"]
            lines += two_columns([(f"  {verb.name}", verb.help) for verb in members], width=width + 2)
    lines += ["", f"{program} help VERB shows a verb's examples and options."]
    return "\n".join(lines)


def version_line() -> str:
    """Name and version."""
    return f"orchestrate {orchestrate.__version__}"


def two_columns(pairs: Sequence[tuple[str, str]], *, width: int = 0) -> list[str]:
    """Lines whose second halves stand below each other; a first half that is too long has a line of its own."""
    reach = max([width, *(len(left) + 2 for left, _ in pairs if len(left) + 2 <= _WIDTH // 2)])
    lines: list[str] = []
    for left, right in pairs:
        if len(left) + 2 > reach:
            lines += [left, f"{'':{reach}}{right}"]
        else:
            lines.append(f"{left:{reach}}{right}".rstrip())
    return lines


def wants_json(words: Iterable[str]) -> bool:
    """True if the command line asks for one JSON object, readable or not."""
    for word in words:
        if word == "--":
            return False
        if word == "--json":
            return True
    return False
