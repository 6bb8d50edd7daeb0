"""Errors without secrets, before they are printed: others are quoted in them."""

from collections.abc import Iterable
from dataclasses import replace

from orchestrate.cli.settings import KEY_VARIABLE, read_variables
from orchestrate.cli.surroundings import secrets_in
from orchestrate.errors import OrchestrateError, PlanRefused, SeveralRefused
from orchestrate.text.redaction import Redactor


def safe_error(error: OrchestrateError) -> OrchestrateError:
    """The same error; its words lose what the environment holds as secret and what has the shape of a secret."""
    redactor = _redactor()
    error.message = redactor.redact(error.message)
    error.hint = None if error.hint is None else redactor.redact(error.hint)
    error.known = tuple(map(redactor.redact, error.known))
    if isinstance(error, PlanRefused):
        error.faults = tuple(
            replace(fault, path=redactor.redact(fault.path), message=redactor.redact(fault.message))
            for fault in error.faults
        )
    if isinstance(error, SeveralRefused):
        for refusal in error.refusals:
            safe_error(refusal)
    return error


def safe_lines(lines: Iterable[str]) -> list[str]:
    """The lines without secrets."""
    redactor = _redactor()
    return [redactor.redact(line) for line in lines]


def _redactor() -> Redactor:
    variables = read_variables()  # without the settings in them, which may be what the error is about
    return Redactor((*secrets_in(variables), variables.get(KEY_VARIABLE, "")))
