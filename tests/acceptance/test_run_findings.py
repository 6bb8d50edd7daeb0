"""What agents say against what is there: each difference is seen in status, in the attention log and by programs."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.support.runs import Done, Machine, Project, machine, project_in, task

__all__ = ["machine"]

pytestmark = pytest.mark.slow

LIES = (
    "commit lines.txt; push; printf '## Status\\nsuccess\\n\\n## Branch\\n%s\\n\\n## What I did\\nit\\n\\n"
    '## Measurements\\n- `lines`: 0 → 7\\n\\n## Verification\\nnot-verified\\n\' "$(branch)"'
)
SAYS_FAILED = (
    r"printf '## Verification\nverifier-failed\n\n## Target\npart\n\n## Branch\n(none)\n\n"
    r"## Execution\npytest\n\n## Findings\n- it breaks\n\n## Notes & suggestions\n(none)\n'"
)


@dataclass(frozen=True)
class Findings:
    """A run in which every agent says something that is not so."""

    project: Project
    done: Done
    status: str
    tasks: dict[str, dict]


@pytest.fixture(scope="module")
def found(machine: Machine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Findings]:
    with project_in(tmp_path_factory.mktemp("findings"), machine) as project:
        project.agent("liar", LIES)
        project.agent("idle", "handoff success")
        project.agent("renamer", "git checkout -q -b my-own-name; commit own.txt; push; handoff success")
        project.agent("part", "commit part.txt; push; handoff success '' live-ui-verified")
        project.agent("judge", SAYS_FAILED)
        project.write_plan(
            task("liar", measurements=[{"name": "lines", "command": "cat lines.txt"}]),
            task("idle"),
            task("renamer"),
            task("part"),
            task("judge", type="verifier", verifies="part"),
            task("builds-on-nothing", dependsOn=["idle"], startingRef="orch/demo/idle"),
        )
        done = project.run("--json")
        status = project.command("status", str(project.workspace), "-v").end().out
        told = project.command("status", str(project.workspace), "--json").end().json()
        yield Findings(project, done, status, {each["name"]: each for each in told["tasks"]})


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("liar", "measurement", "lines: value-mismatch: claimed 7, measured 1"),
        ("idle", "not-on-remote", "it says success but pushed nothing: cursor/idle-"),
        ("renamer", "other-name", "it pushed under another name, my-own-name, not orch/demo/renamer."),
        ("part", "verdict", "judge checked it, and it failed (verifier-failed)."),
    ],
)
def test_each_difference_is_a_finding_wherever_people_and_programs_look(found, name, kind, words):
    rows = {row["name"]: row for row in found.done.json()["tasks"]}
    for row in (rows[name], found.tasks[name], found.project.rows()[name]):
        assert [each["kind"] for each in row["findings"]] == [kind]
        assert row["findings"][0]["message"].startswith(words)
    assert words in found.status
    assert f"{name}: {'measurement ' if kind == 'measurement' else ''}{words}" in found.project.attention()


def test_each_row_has_the_commit_that_the_remote_has(found):
    heads = found.project.remote.heads()
    for name in ("liar", "renamer", "part"):
        row = found.tasks[name]
        assert row["headSha"] == heads[row["branch"]]
        assert row["onRemote"]["there"] is True
    assert "headSha" not in found.tasks["idle"]
    assert found.tasks["idle"]["note"] == "not on the remote"


def test_a_verdict_is_bound_to_the_commit_that_was_checked(found):
    part = found.tasks["part"]
    assert part["verification"] == "verifier-failed"
    assert part["selfReport"] == "live-ui-verified"
    assert [each["sha"] for each in part["verdicts"]] == [part["headSha"]]


def test_a_failed_measurement_changes_no_verification(found):
    liar = found.tasks["liar"]
    (measured,) = liar["measured"]
    assert liar["verification"] == "not-verified"
    assert (measured["outcome"], measured["value"], measured["sha"]) == ("value-mismatch", "1", liar["headSha"])


def test_who_starts_from_a_branch_that_is_not_there_waits_and_says_what_to_type(found):
    row = found.tasks["builds-on-nothing"]
    assert found.done.code == 1
    assert row["status"] == "pending"
    assert row["missingBranch"] == found.tasks["idle"]["branch"]
    assert "orchestrate accept . idle --branch BRANCH" in row["note"]
    assert found.project.launches("builds-on-nothing") == 0
