"""The answer of a delegation verb: exactly one JSON object on stdout, or with ``--human`` lines for people.

Whatever happens is told here: a success, a refusal, a command line that cannot be read, a signal, a bug.
"""

import re
import uuid
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from orchestrate.cli import output
from orchestrate.cli.confirming import NotConfirmed
from orchestrate.cli.delegation.codes import Code
from orchestrate.cli.delegation.refusals import DelegationRefused, Interrupted, error_object
from orchestrate.cli.messages import as_typed, message_lines
from orchestrate.cli.safe_errors import safe_error
from orchestrate.cli.usage import UsageRefused
from orchestrate.errors import OrchestrateError
from orchestrate.text.redaction import Redactor
from orchestrate.text.terminal import escape_for_terminal

EXIT_REFUSED, EXIT_UNREADABLE, EXIT_INTERRUPTED = 1, 2, 130

#: Verbs that echo their key on every path.
KEYED = ("delegate", "follow-up", "steer")
_KEY_OPTION = "--idempotency-key"
_HUMAN = "--human"
#: Commands of recovery actions that go to the runtime's service and do not name it.
_ASKS_THE_SERVICE = re.compile(
    r"(`orchestrate (?:agents|agent-status|models|archive|unarchive|cancel-run)(?: (?!--runtime)[^` ]+)*)`"
)


class Told(Exception):
    """A failure with fields that the object has on every path."""

    def __init__(self, cause: BaseException, fields: Mapping[str, object]) -> None:
        super().__init__(str(cause))
        self.cause = cause
        self.fields = dict(fields)


def add_output(parser: ArgumentParser) -> None:
    """``--human``, and ``--json`` for whoever says what holds anyway."""
    parser.add_argument("--human", action="store_true", help="lines for people instead of one JSON object")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout, as without it")


@contextmanager
def echoing(**fields: object) -> Iterator[dict[str, object]]:
    """Have every failure in here carry these fields; more may be put into the mapping on the way."""
    known = dict(fields)
    try:
        yield known
    except Told as told:
        raise Told(told.cause, {**known, **told.fields}) from told.cause
    except (Exception, KeyboardInterrupt) as error:
        raise Told(error, known) from error


def answer(args: Namespace, operation: str, lines: Sequence[str], **fields: object) -> int:
    """Tell a success."""
    if args.human:
        output.put(escape_for_terminal(line) for line in lines)
    else:
        output.put_json(output.success(operation, **present(fields)))
    return 0


def present(fields: Mapping[str, object]) -> dict[str, object]:
    """The fields that have a value: what is not known yet is left out, never null."""
    return {name: value for name, value in fields.items() if value is not None}


def tell_failure(verb: str, words: Sequence[str], error: BaseException, *, program: str, redactor: Redactor) -> int:
    """Tell what went wrong, without what is secret, and answer the exit code."""
    fields: dict[str, object] = {}
    if isinstance(error, Told):
        fields, error = error.fields, error.cause
    told = safe_error(_as_ours(error), redactor)
    if verb in KEYED and "idempotencyKey" not in fields:
        fields = {"idempotencyKey": key_in(words) or new_key(), **fields}
    if isinstance(told, DelegationRefused):
        fields = {**fields, **told.fields}
    if isinstance(told, Interrupted) and "agentId" in fields:
        look = f"orchestrate agent-status --agent-id {fields['agentId']} --reconcile"
        told = Interrupted(told.message, hint=f"Type `{look}` to see what came of it.")
    document = error_object(told, verb=verb)
    recovery = _for_this_runtime(str(document["recoveryAction"]), words)
    document["recoveryAction"] = as_typed(recovery, program=program)
    if is_for_people(words):
        message, do = (escape_for_terminal(str(document[name])) for name in ("message", "recoveryAction"))
        known = [f"{name} {value}" for name, value in fields.items() if isinstance(value, str)]
        output.say(message_lines("error", f"{message} ({document['code']})", known=known, do=do))
    else:
        output.put_json({"ok": False, "operation": verb, "error": document, **present(fields)})
    return _exit_code(told)


def is_for_people(words: Sequence[str]) -> bool:
    """True if the command line asks for lines, readable or not."""
    return _HUMAN in (words[: words.index("--")] if "--" in words else words)


def key_in(words: Sequence[str]) -> str | None:
    """The key that a command line gives, also where the rest cannot be read."""
    for place, word in enumerate(words):
        if word.startswith(f"{_KEY_OPTION}="):
            return word.partition("=")[2]
        if word == _KEY_OPTION and place + 1 < len(words):
            return words[place + 1]
    return None


def new_key() -> str:
    """A key that nobody else has."""
    return str(uuid.uuid4())


def _for_this_runtime(text: str, words: Sequence[str]) -> str:
    """The sentence with its commands for the runtime that was named: without it they would go elsewhere."""
    named = next((words[place + 1] for place, word in enumerate(words[:-1]) if word == "--runtime"), None)
    if named not in ("cloud", "local"):
        return text
    return _ASKS_THE_SERVICE.sub(lambda command: f"{command[1]} --runtime {named}`", text)


def _as_ours(error: BaseException) -> OrchestrateError:
    if isinstance(error, OrchestrateError):
        return error
    if isinstance(error, KeyboardInterrupt):
        return Interrupted("interrupted; what was launched goes on")
    first = (str(error).splitlines() or [""])[0][:200]
    return DelegationRefused(Code.INTERNAL_ERROR, f"a fault of this program: {type(error).__name__}: {first}")


def _exit_code(error: OrchestrateError) -> int:
    if isinstance(error, UsageRefused):
        return EXIT_UNREADABLE
    return EXIT_INTERRUPTED if isinstance(error, Interrupted) else EXIT_REFUSED


def confirm(question: str, args: Namespace, *, is_somebody_there: bool, not_done: str) -> None:
    """Go on after ``--yes``, or after a yes at a terminal."""
    from orchestrate.cli.confirming import ask

    if args.yes:
        return
    if not is_somebody_there:
        raise NotConfirmed(f"--yes is missing, and there is no terminal to ask at. {not_done}")
    ask(question, not_done=not_done)
