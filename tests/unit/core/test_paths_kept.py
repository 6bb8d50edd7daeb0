import pytest

from orchestrate.core.paths_kept import paths_kept
from orchestrate.model.rows import PathFinding
from orchestrate.model.vocabulary import PathRule


@pytest.mark.parametrize(
    ("changed", "allowed", "forbidden", "findings"),
    [
        ([], ["src/**"], [], []),
        (["a.py", "docs/b.md"], [], [], []),  # nothing is said, so everything is allowed
        (["src/a.py"], ["src/**"], [], []),
        (["src/a.py", "docs/b.md"], ["src/**"], [], ["docs/b.md (outside pathsAllowed)"]),
        (["src/a.py"], [], ["src/**"], ["src/a.py (forbidden by src/**)"]),
        (["src/gen/a.py"], ["src/**"], ["src/gen"], ["src/gen/a.py (forbidden by src/gen)"]),
    ],
)
def test_what_was_changed_against_the_plan(changed, allowed, forbidden, findings):
    found = paths_kept(changed, allowed=allowed, forbidden=forbidden)
    assert [str(finding) for finding in found] == findings


def test_a_finding_names_its_rule():
    found = paths_kept(["b", "a"], allowed=["x"], forbidden=["a"])
    assert found == (PathFinding("b", PathRule.NOT_ALLOWED), PathFinding("a", PathRule.FORBIDDEN, "a"))
