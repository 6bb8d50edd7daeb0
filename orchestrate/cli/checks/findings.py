"""What a look before the launch has found."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from orchestrate.errors import InputRefused, SeveralRefused

_NOTHING_LAUNCHED = "Nothing was launched."


class Check(StrEnum):
    """The subjects, in the order in which they are told."""

    PLAN = "plan"
    RUNTIME = "runtime"
    KEY = "key"
    MODELS = "models"
    REPOSITORY = "repository"
    PROMPTS = "prompts"
    LIMITS = "limits"
    WORKSPACE = "workspace"


class Verdict(StrEnum):
    """What a finding means for the run."""

    GOOD = "good"
    #: The run goes on; also what cannot be told from here.
    WARNING = "warning"
    #: The run does not start.
    FAULT = "fault"
    #: Nobody looked, because something before it was missing.
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Finding:
    """One sentence on one subject; ``hint`` is what to do."""

    check: Check
    verdict: Verdict
    message: str
    hint: str | None = None
    known: tuple[str, ...] = ()


def good(check: Check, message: str) -> Finding:
    """Nothing is wrong."""
    return Finding(check, Verdict.GOOD, message)


def warning(check: Check, message: str, *, hint: str | None = None) -> Finding:
    """The run goes on."""
    return Finding(check, Verdict.WARNING, message, hint)


def fault(check: Check, message: str, *, hint: str | None = None) -> Finding:
    """The run does not start."""
    return Finding(check, Verdict.FAULT, message, hint)


def skipped(check: Check, message: str) -> Finding:
    """Nobody looked."""
    return Finding(check, Verdict.SKIPPED, message)


def fault_of(check: Check, error: InputRefused) -> Finding:
    """What the error says, as a finding."""
    message = error.message.removesuffix(_NOTHING_LAUNCHED).rstrip()
    return Finding(check, Verdict.FAULT, message, error.hint, error.known)


def having(findings: Iterable[Finding], verdict: Verdict) -> tuple[Finding, ...]:
    """Those with this verdict."""
    return tuple(finding for finding in findings if finding.verdict is verdict)


def refuse_faults(findings: Iterable[Finding]) -> None:
    """Raise all faults at once, if there are any."""
    faults = having(findings, Verdict.FAULT)
    if len(faults) == 1:
        raise _refusal(faults[0], ending=f" {_NOTHING_LAUNCHED}")
    if faults:
        raise SeveralRefused(f"{len(faults)} faults. {_NOTHING_LAUNCHED}", refusals=refusals(faults))


def refusals(faults: Sequence[Finding]) -> list[InputRefused]:
    """The faults as errors."""
    return [_refusal(finding) for finding in faults]


def _refusal(finding: Finding, *, ending: str = "") -> InputRefused:
    message = finding.message if finding.message.endswith((".", "!", "?")) else f"{finding.message}."
    return InputRefused(f"{message}{ending}", hint=finding.hint, known=finding.known)
