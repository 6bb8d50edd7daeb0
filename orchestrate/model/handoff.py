"""What was read out of an agent's last message. Unclear is None with a note, never a guess."""

from dataclasses import dataclass

from orchestrate.model.vocabulary import FailureMode, HandoffStatus, Verification


@dataclass(frozen=True, slots=True)
class MeasurementClaim:
    """One line ``<name>: <before> <op> <after>`` of ``## Measurements``, free of backticks and bold."""

    name: str
    before: str
    #: One of ``→ <= < > >= ==``.
    op: str
    after: str


@dataclass(frozen=True, slots=True)
class Handoff:
    """The values of one handoff; ``structured`` is False when none of the expected headings is there."""

    status: HandoffStatus | None = None
    #: What the branch line says, unwrapped; else the run's branch; else None.
    branch: str | None = None
    verification: Verification | None = None
    failure_mode: FailureMode | None = None
    #: Number of a pull request of the plan's own repository.
    pr_number: int | None = None
    measurements: tuple[MeasurementClaim, ...] = ()
    #: True: the section says "none"; False: it has lines; None: there is no section.
    measurements_none: bool | None = None
    structured: bool = False
    #: What was odd and where, one sentence each; they reach the attention log.
    notes: tuple[str, ...] = ()
    #: True when the branch line says that there is no branch.
    says_no_branch: bool = False
