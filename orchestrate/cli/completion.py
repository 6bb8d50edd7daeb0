"""``orchestrate completion SHELL``: a static script that completes verbs, options and files, and asks for task names."""

import argparse
from collections.abc import Mapping
from importlib import import_module

from orchestrate.cli import output
from orchestrate.cli.parsing import add_common
from orchestrate.cli.settings import Settings
from orchestrate.cli.verbs import HIDDEN, TASK_NAMES_VERB, VERBS

_PROGRAM = "orchestrate"
_SHELLS = ("bash", "zsh", "fish")
#: What completes a task's name: each function hands on the words before the cursor, a line each, for PLAN is one of them.
_TASKS = {"bash": "_orchestrate_tasks", "zsh": "_orchestrate_tasks", "fish": "(__orchestrate_tasks)"}
_FUNCTIONS = {
    "bash": f"""\
_orchestrate_tasks() {{
  compgen -W "$(printf '%s\\n' "${{COMP_WORDS[@]:1:COMP_CWORD-1}}" | {_PROGRAM} {TASK_NAMES_VERB} 2>/dev/null)" -- "$1"
}}
""",
    "zsh": f"""\
_orchestrate_tasks() {{
  local -a names
  names=(${{(f)"$(print -rl -- "${{(@)words[1,CURRENT-1]}}" | {_PROGRAM} {TASK_NAMES_VERB} 2>/dev/null)"}})
  compadd -a names
}}
""",
    "fish": f"""\
function __orchestrate_tasks
  commandline -opc | {_PROGRAM} {TASK_NAMES_VERB} 2>/dev/null
end
""",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("shell", choices=_SHELLS, help="the shell that is to complete")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print the script."""
    del settings  # a static script: the same for everybody
    output.put_bytes(script(args.shell).encode())
    return 0


def script(shell: str) -> str:
    """The script for that shell."""
    import shtab

    made: str = shtab.complete(_whole_parser(), shell=shell, preamble=_FUNCTIONS[shell])
    return made if made.endswith("\n") else f"{made}\n"


def _whole_parser() -> argparse.ArgumentParser:
    """One parser of all verbs, as completion needs it; command lines are read by one parser a verb."""
    parser = argparse.ArgumentParser(prog=_PROGRAM, add_help=False)
    parser.add_argument("--version", action="store_true", help="show the version and exit")
    add_common(parser)
    verbs = parser.add_subparsers(dest="verb")
    shown = [verb for verb in VERBS if verb.group != HIDDEN]
    for verb in shown:
        own = verbs.add_parser(verb.name, help=verb.help, add_help=False)
        import_module(verb.module).configure(own)
        add_common(own, has_dry_run=verb.has_dry_run)
    helping = verbs.add_parser("help", help="examples and options of a verb", add_help=False)
    helping.add_argument("of", nargs="?", choices=[verb.name for verb in shown], help="the verb")
    _add_completers(parser)
    return parser


def _add_completers(parser: argparse.ArgumentParser) -> None:
    """Files, folders and task names where an argument's name says that it is one."""
    import shtab

    completers: Mapping[str, object] = {
        "PLAN": shtab.FILE,
        "FILE": shtab.FILE,
        "DIR": shtab.DIRECTORY,
        "TASK": _TASKS,
    }
    for action in parser._actions:  # noqa: SLF001  argparse has no public list of what was added
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001  as above
            for inner in dict.fromkeys(action.choices.values()):
                _add_completers(inner)
        elif isinstance(action.metavar, str) and action.metavar in completers:
            vars(action)["complete"] = completers[action.metavar]  # where shtab looks for it
