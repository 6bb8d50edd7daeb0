"""Whether a task kept to the paths that the plan gave it."""

from collections.abc import Iterable, Sequence

from orchestrate.model.path_matching import PathPattern
from orchestrate.model.rows import PathFinding
from orchestrate.model.vocabulary import PathRule


def paths_kept(
    changed_files: Iterable[str], *, allowed: Sequence[str], forbidden: Sequence[str]
) -> tuple[PathFinding, ...]:
    """What was changed against the plan, in the order of the files; empty when the paths were kept.

    Without any allowed pattern everything is allowed; what is forbidden is so even where it is allowed too.
    """
    may, must_not = [PathPattern(each) for each in allowed], [PathPattern(each) for each in forbidden]
    findings = (_finding(path, may, must_not) for path in changed_files)
    return tuple(finding for finding in findings if finding is not None)


def _finding(path: str, may: Sequence[PathPattern], must_not: Sequence[PathPattern]) -> PathFinding | None:
    for pattern in must_not:
        if pattern.matches(path):
            return PathFinding(path, PathRule.FORBIDDEN, pattern.pattern)
    if may and not any(pattern.matches(path) for pattern in may):
        return PathFinding(path, PathRule.NOT_ALLOWED)
    return None
