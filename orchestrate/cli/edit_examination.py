"""What is looked at before a plan that was changed while an engine runs it is taken in: the tasks that it adds.

They are looked at as all tasks are before the first launch, but for the key: the service takes it, or the engine would
have left. Their models are read against the catalogue that the engine has.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from orchestrate.cli.admission import Admission
from orchestrate.cli.checks.findings import Finding, Verdict, having
from orchestrate.cli.plan_file import PlanPlaces
from orchestrate.cli.preflight import Report
from orchestrate.errors import InputRefused
from orchestrate.model.plan import Plan


@dataclass(frozen=True, slots=True)
class EditExamination:
    """Looks at the edits of one run; what was told once, at the start or of a former edit, is not told again."""

    admission: Admission
    #: What was found before the run began.
    report: Report
    _told: set[str]

    @classmethod
    def after(cls, report: Report, admission: Admission) -> "EditExamination":
        """The one of a run that began with this report."""
        return cls(admission, report, {each.message for each in having(report.findings, Verdict.WARNING)})

    async def __call__(self, plan: Plan, source: bytes, former: Plan) -> Sequence[str]:
        """The warnings about what is new in ``plan``; InputRefused with every fault."""
        known = frozenset(former.tasks_by_name)
        if known.issuperset(plan.tasks_by_name):
            return ()
        places = PlanPlaces(source, self.admission.intent.places.name)
        intent = replace(self.admission.intent, plan=plan, places=places, launched=known)
        findings = await self.admission.of_edit(intent, self.report.catalogue)
        faults = having(findings, Verdict.FAULT)
        if faults:
            raise InputRefused("; ".join(map(_words, faults)))
        warnings = [each.message for each in having(findings, Verdict.WARNING) if each.message not in self._told]
        self._told.update(warnings)
        return warnings


def _words(finding: Finding) -> str:
    message = finding.message.rstrip(".")
    return message if finding.hint is None else f"{message} ({finding.hint})"
