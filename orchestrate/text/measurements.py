r"""The value in what a measurement's command printed.

``wc-l`` counts the lines that are not blank. ``regex`` takes group 1 of the first match, else the whole match; pattern
and flags are JavaScript's. No pattern can hold a run up: its length, its repetitions and its time are bounded.
"""

from typing import TYPE_CHECKING, assert_never

from orchestrate.errors import MeasurementError
from orchestrate.model.javascript_escapes import PatternRefused
from orchestrate.model.pattern_compiling import compiled
from orchestrate.model.plan_parts import LineCountParser, Parser, RegexParser
from orchestrate.text.cleaning import excerpt

if TYPE_CHECKING:
    import regex

#: More than this of what a command prints is not looked at.
LONGEST_OUTPUT = 4_000_000
#: No value is as long.
LONGEST_VALUE = 1000
#: Patterns that are honest take milliseconds.
_SEARCH_SECONDS = 2.0


def extracted(parser: Parser, stdout: str) -> str:
    """The value as it was printed, without white space around it."""
    if len(stdout) > LONGEST_OUTPUT:
        raise MeasurementError(f"the command printed more than {LONGEST_OUTPUT:,} characters")
    match parser:
        case LineCountParser():
            return str(sum(not line.isspace() for line in stdout.split("\n") if line))
        case RegexParser(pattern=pattern, flags=flags):
            return _found(pattern, flags, stdout)
        case _:
            assert_never(parser)


def _found(pattern: str, flags: str, stdout: str) -> str:
    match = _searched(pattern, flags, stdout)
    if match is None:
        raise MeasurementError(f"the pattern {excerpt(pattern)} matches nothing in what the command printed")
    value = str(match.group() if not match.re.groups or match.group(1) is None else match.group(1)).strip()
    if not value:
        raise MeasurementError(f"the pattern {excerpt(pattern)} matches, and the value in it is empty")
    if len(value) > LONGEST_VALUE:
        raise MeasurementError(f"the value that the pattern {excerpt(pattern)} takes is too long to be one")
    return value


def _searched(pattern: str, flags: str, stdout: str) -> "regex.Match[str] | None":
    try:
        return compiled(pattern, flags=flags)(stdout, timeout=_SEARCH_SECONDS, concurrent=True)
    except PatternRefused as refusal:
        raise MeasurementError(f"the pattern cannot be used: {refusal}") from refusal
    except (TimeoutError, MemoryError) as error:
        raise MeasurementError("the pattern takes too long on what the command printed; make it simpler") from error
