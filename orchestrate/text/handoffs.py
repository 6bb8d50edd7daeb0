"""What an agent's last message says, read as a careful person reads it: values plus notes, never a guess.

The message is cleaned of what nobody sees, freed from a fence around the whole of it, cut into sections by its headings
(markdown tokens decide what is a heading), and each value is read from its own section only.
"""

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import replace

from orchestrate.model.handoff import Handoff
from orchestrate.model.names import is_valid_ref
from orchestrate.text.branches import LONGEST_NAME, BranchReading, read_branch, unwrapped
from orchestrate.text.claims import read_claims
from orchestrate.text.cleaning import excerpt, readable
from orchestrate.text.headers import strip_header
from orchestrate.text.languages import with_english_titles
from orchestrate.text.layouts import in_markdown
from orchestrate.text.outcomes import read_failure_mode, read_status, read_verification
from orchestrate.text.pull_requests import read_pull_request
from orchestrate.text.readings import agreed
from orchestrate.text.sections import Section, Strength, titled, titles_of
from orchestrate.text.thinning import thinned
from orchestrate.text.titles import Title
from orchestrate.text.unwrapping import read_sections

_EXPECTED_OF_ALL = frozenset({Title.STATUS, Title.BRANCH, Title.VERIFICATION, Title.VERDICT, Title.NOTES})
_EXPECTED_OF_WORK = _EXPECTED_OF_ALL | {Title.WORK, Title.MEASUREMENTS, Title.FOLLOW_UPS}
_EXPECTED_OF_VERIFIER = _EXPECTED_OF_ALL | {Title.TARGET, Title.EXECUTION, Title.FINDINGS}
#: Without any mark around them these alone say that the message is a handoff.
_FIELDS = frozenset({Title.STATUS, Title.BRANCH, Title.VERIFICATION, Title.VERDICT})


def parse_handoff(
    text: str,
    *,
    task_type: str = "worker",
    run_branches: Sequence[str] = (),
    placeholder: str | None = None,
    repo_url: str | None = None,
) -> Handoff:
    """The values of a handoff; it never raises, whatever the text is, and takes linear time.

    ``run_branches`` are what the run reports; they count where the message names no branch or only repeats
    ``placeholder``. Without ``repo_url`` no pull request is known.
    """
    sections, fence_notes = read_sections(thinned(_laid_out(text)))
    read = _values_of(sections, run_branches=run_branches, placeholder=placeholder, repo_url=repo_url)
    structured = _is_structured(sections, task_type=task_type)
    has_branch = read.branch is not None
    missing = _missing(sections, text, structured=structured, task_type=task_type, has_branch=has_branch)
    return replace(read, structured=structured, notes=(*fence_notes, *missing, *read.notes))


def _laid_out(text: str) -> str:
    """The message as markdown with English titles."""
    return with_english_titles(in_markdown(textwrap.dedent(strip_header(readable(text)))))


def _values_of(
    sections: Sequence[Section], *, run_branches: Sequence[str], placeholder: str | None, repo_url: str | None
) -> Handoff:
    status = agreed(titled(sections, Title.STATUS), read_status, name="Status")
    verification = agreed(_verdict_sections(sections), read_verification, name="Verification")
    failure_mode = agreed(titled(sections, Title.FAILURE_MODE), read_failure_mode, name="Failure mode")
    pull_request = read_pull_request(sections, repo_url=repo_url)
    branch = _branch_of(sections, repo_url=repo_url)
    name, branch_notes = _settled(branch, run_branches=run_branches, placeholder=placeholder)
    claims = read_claims(titled(sections, Title.MEASUREMENTS))
    notes = (reading.note for reading in (status, verification, failure_mode, pull_request))
    return Handoff(
        status=status.value,
        branch=name,
        verification=verification.value,
        failure_mode=failure_mode.value,
        pr_number=pull_request.value,
        measurements=claims.claims,
        measurements_none=claims.says_none,
        notes=(*(note for note in notes if note is not None), *branch_notes, *claims.notes),
        says_no_branch=branch.says_none,
    )


def _verdict_sections(sections: Sequence[Section]) -> list[Section]:
    """``## Verification``, and the legacy ``## Verdict`` beside it or in its place."""
    verification = titled(sections, Title.VERIFICATION)
    verdict = titled(sections, Title.VERDICT)
    if verification and verdict:
        return [section for section in verification if read_verification(section).value is not None] + verdict
    return verification or verdict


def _branch_of(sections: Sequence[Section], *, repo_url: str | None) -> BranchReading:
    """One reading for all branch sections: where they differ it is unclear."""
    readings = [read_branch(section, repo_url=repo_url) for section in titled(sections, Title.BRANCH)]
    said = list(dict.fromkeys((each.name, each.says_none) for each in readings if each.name or each.says_none))
    if len(said) > 1:
        shown = ", ".join(name or "(no branch)" for name, _ in said)
        return BranchReading(note=f"Branch: {len(readings)} places say different things ({shown}); none was taken")
    notes = [each.note for each in readings if each.note is not None]
    if not said:
        return BranchReading(note=notes[0] if notes else None)
    return BranchReading(name=said[0][0], says_none=said[0][1], note=notes[0] if notes else None)


def _settled(
    reading: BranchReading, *, run_branches: Sequence[str], placeholder: str | None
) -> tuple[str | None, list[str]]:
    """The message's branch, else the run's; a name that only repeats the plan yields to the run's."""
    notes = [reading.note] if reading.note is not None else []
    reported = _reported(run_branches)
    if reading.name is None or (reading.name == placeholder and reported is not None):
        if reading.says_none and reported is not None:
            notes.append(f"Branch: says that there is none; the run reports {excerpt(reported)}")
        return reported, notes
    return reading.name, notes


def _reported(run_branches: Iterable[str]) -> str | None:
    names = (unwrapped(branch) for branch in run_branches)
    return next((name for name in names if is_valid_ref(name) and len(name) <= LONGEST_NAME), None)


def _is_structured(sections: Sequence[Section], *, task_type: str) -> bool:
    expected = _EXPECTED_OF_VERIFIER if task_type == "verifier" else _EXPECTED_OF_WORK
    return bool(titles_of(sections) & expected or titles_of(sections, at_least=Strength.LABEL) & _FIELDS)


def _missing(
    sections: Sequence[Section], text: str, *, structured: bool, task_type: str, has_branch: bool
) -> list[str]:
    """What a handoff of this type must have and this one lacks."""
    if not text or text.isspace():
        return ["The message is empty"]
    if not structured:
        return ["None of the headings of a handoff is there"]
    present = titles_of(sections, at_least=Strength.LABEL)
    notes = []
    if task_type == "verifier" and not present & {Title.VERIFICATION, Title.VERDICT}:
        notes.append("Verification: the section is missing")
    if task_type != "verifier" and Title.STATUS not in present:
        notes.append("Status: the section is missing")
    if task_type != "verifier" and Title.BRANCH not in present and not has_branch:
        notes.append("Branch: the section is missing")
    return notes
