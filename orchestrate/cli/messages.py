"""Words of messages: what happened in the first line, then where, known, held and do, each on lines of its own."""

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from orchestrate.cli.recovery import what_to_do
from orchestrate.errors import OrchestrateError, PlanRefused, SeveralRefused
from orchestrate.model.faults import Fault
from orchestrate.text.terminal import escape_for_terminal

Word = Literal["error", "attention", "note"]

_LABEL_WIDTH = 6
#: Verbs as messages name them, so that the command can be shown as this reader types it.
_COMMAND = re.compile(r"(?<![\w./-])(?<!-m )orchestrate(?= [a-z])")


def message_lines(
    word: Word,
    message: str,
    *,
    where: str | None = None,
    known: Iterable[str] = (),
    held: str | None = None,
    do: str | None = None,
) -> list[str]:
    """One message: its first line, then what is known beside it; others are quoted in it, so nothing of it is obeyed."""
    lines = [f"{word}: {escape_for_terminal(message)}"]
    labelled = [("where", where), *(("known", item) for item in known), ("held", held), ("do", do)]
    for label, text in labelled:
        if text:
            first, *rest = map(escape_for_terminal, text.splitlines())
            lines.append(f"  {label:<{_LABEL_WIDTH}} {first}")
            lines += [f"  {'':<{_LABEL_WIDTH}} {line}" for line in rest]
    return lines


def error_lines(error: OrchestrateError, *, program: str, plan_path: str = "plan.json") -> list[str]:
    """The error as people read it; a refused plan has a line for each fault."""
    if isinstance(error, PlanRefused):
        lines = [line for fault in error.faults for line in fault_lines("error", fault, plan_path=plan_path)]
        return [*lines, f"{count_of(len(error.faults), 'fault')}. Nothing was launched."]
    if isinstance(error, SeveralRefused):
        lines = [line for each in error.refusals for line in error_lines(each, program=program)]
        return [*lines, error.message]
    do = what_to_do(error)
    told = as_typed(_as_sentence(error.message), program=program)
    return message_lines("error", told, known=error.known, do=None if do is None else as_typed(do, program=program))


def fault_lines(word: Word, fault: Fault, *, plan_path: str) -> list[str]:
    """A fault of a plan with its place: ``plan.json:14 tasks[3].dependsOn[0]: ...``."""
    place = plan_path if fault.line is None else f"{plan_path}:{fault.line}"
    return message_lines(word, f"{place} {fault.path}: {fault.message}" if fault.path else f"{place}: {fault.message}")


def fault_of_ours(error: BaseException, *, is_verbose: bool) -> list[str]:
    """A bug: one line for the user, who did nothing wrong."""
    told = f"{type(error).__name__}: {error}".splitlines() or [""]
    see = None if is_verbose else "run the same command with -v to see where it came from, and report it"
    return message_lines("error", f"a fault of this program: {told[0][:200]}", do=see)


def as_typed(text: str, *, program: str) -> str:
    """The text with its commands as this reader types them."""
    return text if program == "orchestrate" else _COMMAND.sub(lambda _: program, text)


def count_of(count: int, noun: str, *, plural: str | None = None) -> str:
    """``1 fault``, ``2 faults``."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def listed(names: Sequence[str], *, at_most: int) -> str:
    """``a, b and 3 more``."""
    if len(names) <= at_most + 1:
        return ", ".join(names)
    return f"{', '.join(names[:at_most])} and {len(names) - at_most} more"


def _as_sentence(message: str) -> str:
    """The message with its full stop; inside, errors are quoted by others and often go without."""
    return message if message.endswith((".", "!", "?")) else f"{message}."
