"""From a command line to an exit code; no traceback and no half line reaches the user."""

import os
import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from typing import Protocol, cast

from orchestrate.cli import output
from orchestrate.cli.collector import collecting_rarely
from orchestrate.cli.messages import error_lines, fault_of_ours
from orchestrate.cli.parsing import (
    Parser,
    add_common,
    overview,
    top_parser,
    verb_parser,
    version_line,
    wants_json,
)
from orchestrate.cli.settings import Settings, own_program, program_in_help, read_settings
from orchestrate.cli.single_errors import single_errors
from orchestrate.cli.usage import UsageRefused, verb_meant
from orchestrate.cli.verbs import HIDDEN, VERBS, VERBS_BY_NAME, Verb
from orchestrate.errors import InputRefused, OrchestrateError

#: The argument that names a task, in the usage of every verb that has one.
TASK = "TASK"

EXIT_FAILED = 1
EXIT_REFUSED = 2
EXIT_INTERRUPTED = 130


class VerbModule(Protocol):
    """What the module of a verb offers."""

    def configure(self, parser: Parser) -> None:
        """Add the verb's own arguments."""
        ...

    def run(self, args: Namespace, settings: Settings) -> int:
        """Do it; the exit code."""
        ...


@dataclass(slots=True)
class _Call:
    """One command line on its way through; what is known of it decides how a failure is told."""

    words: Sequence[str]
    program: str
    verb: Verb | None = None
    is_verbose: bool = False
    #: PLAN as it was typed, where the verb has one.
    plan: str | None = None
    #: The variables of ``--env-file``, once it was read.
    file_variables: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def operation(self) -> str:
        """What the JSON object says was asked for."""
        return "orchestrate" if self.verb is None else self.verb.name

    @property
    def is_json(self) -> bool:
        """True if the answer is one JSON object."""
        return wants_json(self.words)

    @property
    def is_delegation(self) -> bool:
        """True for a verb whose failures are told in the contract of the delegation verbs."""
        return self.verb is not None and self.verb.is_delegation(self.words)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line; the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    call = _Call(words=words, program=own_program(), is_verbose="-v" in words or "--verbose" in words)
    try:
        with collecting_rarely():
            code = _answered(call)
        sys.stdout.flush()
    except BrokenPipeError:
        _close_quietly()
        return 0
    return code


def _answered(call: _Call) -> int:
    try:
        with single_errors():
            return _dispatched(call)
    except BrokenPipeError:
        raise
    except (Exception, KeyboardInterrupt) as error:  # the edge of the program: a bug is told in one line
        return _failed(call, error)


def _failed(call: _Call, error: Exception | KeyboardInterrupt) -> int:
    if call.is_delegation:
        return _told_by_contract(call, error)
    if isinstance(error, OrchestrateError):
        return _told(call, error)
    return EXIT_INTERRUPTED if isinstance(error, KeyboardInterrupt) else _told_fault(call, error)


def _told_by_contract(call: _Call, error: BaseException) -> int:
    from orchestrate.cli.delegation.contract import tell_failure
    from orchestrate.cli.safe_errors import redactor_of

    redactor = redactor_of(call.file_variables)
    code = tell_failure(call.operation, call.words, error, program=call.program, redactor=redactor)
    if call.is_verbose:
        _print_traceback(call, error)
    return code


def _dispatched(call: _Call) -> int:
    before = top_parser(program=call.program).parse_args(call.words)
    call.is_verbose = bool(before.verbose)
    if before.version:
        output.put([version_line()])
        return 0
    if before.verb is None or (before.verb == "help" and not before.rest):
        output.put([overview(program=program_in_help()).rstrip("\n")])
        return 0
    if before.verb == "help":
        return _help_of(_verb_named(before.rest[0], program=call.program))
    call.verb = _verb_named(before.verb, program=call.program)
    module = cast("VerbModule", import_module(call.verb.module))
    parser = _parser_of(call.verb, module)
    if before.help or _asks_for_help(before.rest):
        return _show_help(parser)
    if before.dry_run and not call.verb.has_dry_run:
        raise UsageRefused(f"{call.verb.name} has no --dry-run. Nothing was done.", hint="leave it out")
    args = _parsed(parser, before)
    call.is_verbose, call.plan = bool(args.verbose), getattr(args, "plan", None)
    if args.env_file is not None:
        from orchestrate.cli.env_file import read_env_file

        call.file_variables = read_env_file(args.env_file)
    return module.run(args, read_settings(file_variables=call.file_variables))


def _parsed(parser: Parser, before: Namespace) -> Namespace:
    """The verb's arguments; what stood before the verb holds unless it is said again."""
    common = {key: value for key, value in vars(before).items() if key not in ("rest", "version")}
    try:
        return parser.parse_args(before.rest, Namespace(**common))
    except UsageRefused as refusal:
        if TASK in refusal.missing:
            from orchestrate.cli.task_names import with_task_names

            raise with_task_names(refusal, words=before.rest) from refusal
        raise


def _parser_of(verb: Verb, module: VerbModule) -> Parser:
    parser = verb_parser(verb, program=program_in_help())
    module.configure(parser)
    add_common(parser, has_dry_run=verb.has_dry_run)
    return parser


def _help_of(verb: Verb) -> int:
    return _show_help(_parser_of(verb, cast("VerbModule", import_module(verb.module))))


def _show_help(parser: Parser) -> int:
    output.put([parser.format_help().rstrip("\n")])
    return 0


def _asks_for_help(words: Sequence[str]) -> bool:
    """True if help is asked for, even where the rest cannot be read yet."""
    before_end = words[: words.index("--")] if "--" in words else words
    return "-h" in before_end or "--help" in before_end


def _verb_named(word: str, *, program: str) -> Verb:
    verb = VERBS_BY_NAME.get(word)
    if verb is not None:
        return verb
    from orchestrate.model.faults import quoted

    meant = verb_meant(word, (each.name for each in VERBS if each.group != HIDDEN))
    hint = f"{program} --help shows all verbs" if meant is None else f"{program} {meant}"
    raise UsageRefused(f"there is no verb {quoted(word)}. Nothing was done.", hint=hint)


def _told(call: _Call, error: OrchestrateError) -> int:
    """Tell an error and answer its exit code."""
    from orchestrate.cli.safe_errors import redactor_of, safe_error

    code, error = _exit_code(call, error), safe_error(error, redactor_of(call.file_variables))
    if not call.is_json:
        output.say(error_lines(error, program=call.program, plan_path=_plan_path(call)))
    else:
        output.put_json(output.failure(call.operation, error, **_exit_code_of_a_run(call, code)))
    if call.is_verbose:
        _print_traceback(call, error)
    return code


def _exit_code_of_a_run(call: _Call, code: int) -> dict[str, object]:
    """``run`` says its exit code in its object, however it ended."""
    return {"exitCode": code} if call.operation == "run" else {}


def _plan_path(call: _Call) -> str:
    """The plan as the reader can open it, for the lines of its faults."""
    from orchestrate.cli.locating import PLAN, locate

    if call.plan == "-":
        return "stdin"
    try:
        return str(locate(None if call.plan is None else str(call.plan)).path)
    except InputRefused:
        return PLAN


def _exit_code(call: _Call, error: OrchestrateError) -> int:
    if isinstance(error, UsageRefused) or call.verb is None:
        return EXIT_REFUSED
    if not isinstance(error, InputRefused):
        return EXIT_FAILED
    return call.verb.refusal_exit_code if call.is_json else EXIT_REFUSED


def _told_fault(call: _Call, error: Exception) -> int:
    from orchestrate.cli.safe_errors import redactor_of, safe_error, safe_lines

    redactor = redactor_of(call.file_variables)
    if call.is_json:
        told = OrchestrateError(f"a fault of this program: {type(error).__name__}: {error}")
        with suppress(OSError):
            output.put_json(
                output.failure(call.operation, safe_error(told, redactor), **_exit_code_of_a_run(call, EXIT_FAILED))
            )
    output.say(safe_lines(fault_of_ours(error, is_verbose=call.is_verbose), redactor))
    if call.is_verbose:
        _print_traceback(call, error)
    return EXIT_FAILED


def _print_traceback(call: _Call, error: BaseException) -> None:
    import traceback

    from orchestrate.cli.safe_errors import redactor_of, safe_lines
    from orchestrate.text.terminal import escape_for_terminal

    told = "".join(traceback.format_exception(error)).splitlines()
    output.say(map(escape_for_terminal, safe_lines(told, redactor_of(call.file_variables))))


def _close_quietly() -> None:
    """Whoever read our output is gone: nothing more is written, not even when the interpreter ends."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
