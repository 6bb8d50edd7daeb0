"""Errors and other output without secrets: others are quoted in them.

Secret is what has the shape of it, and what the environment or an ``--env-file`` holds under the name of a secret.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from orchestrate.cli.settings import KEY_VARIABLE, read_variables
from orchestrate.cli.surroundings import secrets_in
from orchestrate.errors import OrchestrateError, PlanRefused, SeveralRefused
from orchestrate.text.redaction import Redactor

_NONE: Mapping[str, str] = {}


def redactor_of(file_variables: Mapping[str, str] = _NONE) -> Redactor:
    """Takes out what this environment, and such a file beside it, hold as secret."""
    sources = (read_variables(), file_variables)  # without the settings in them, which may be what an error is about
    return Redactor(
        secret for variables in sources for secret in (*secrets_in(variables), variables.get(KEY_VARIABLE, ""))
    )


def safe_error(error: OrchestrateError, redactor: Redactor) -> OrchestrateError:
    """The same error; its words lose what is secret."""
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
            safe_error(refusal, redactor)
    return error


def safe_lines(lines: Iterable[str], redactor: Redactor) -> list[str]:
    """The lines without secrets."""
    return [redactor.redact(line) for line in lines]
