"""What agents say against what is there: each difference is seen in status, in the attention log and by programs.

The repository, the agent program and the plan are those of ``examples/quickstart``; one task more starts from a branch
that nobody pushed.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from orchestrate.cli.example import make_example
from tests.support.runs import SOURCES, Machine, machine

__all__ = ["machine"]

pytestmark = pytest.mark.slow

PLAN = SOURCES / "examples" / "quickstart" / "findings.json"
BUILDS_ON_NOTHING = {
    "name": "builds-on-nothing",
    "type": "worker",
    "scopedGoal": "Withhold this one as well.",
    "dependsOn": ["withhold-work"],
    "startingRef": "orch/findings/withhold-work",
}


@dataclass(frozen=True)
class Findings:
    """A run in which every agent says something that is not so."""

    code: int
    #: What the run said on the way and at its end.
    shown: str
    status: str
    attention: str
    #: By task: what ``run --json``, ``status --json`` and the state say.
    told: tuple[dict[str, dict], ...]
    #: Commits by branch, as the remote has them.
    heads: dict[str, str]
    launched: list[str]

    @property
    def tasks(self) -> dict[str, dict]:
        """What ``status --json`` says."""
        return self.told[1]


@pytest.fixture(scope="module")
def found(machine: Machine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Findings]:
    folder = tmp_path_factory.mktemp("findings")
    environment = machine.environment({})
    project = make_example(folder, python=sys.executable, environment=environment)
    workspace = project / ".orchestrate" / "findings"
    _write_plan(workspace)

    def types(*words: str) -> subprocess.CompletedProcess[str]:
        line = [sys.executable, "-m", "orchestrate", *words]
        return subprocess.run(line, cwd=project, env=environment, capture_output=True, text=True, check=False)

    try:
        done = types("run", str(workspace), "--json")
        state = json.loads((workspace / "state.json").read_bytes())
        documents = json.loads(done.stdout), json.loads(types("status", str(workspace), "--json").stdout), state
        heads = subprocess.run(
            ["git", "-C", str(folder / "remote.git"), "for-each-ref", "--format=%(refname:short) %(objectname)"],
            env=environment, capture_output=True, text=True, check=True,
        )  # fmt: skip
        yield Findings(
            code=done.returncode,
            shown=done.stderr,
            status=types("status", str(workspace), "-v").stdout,
            attention=(workspace / "attention.log").read_text(encoding="utf-8"),
            told=tuple({row["name"]: row for row in document["tasks"]} for document in documents),
            heads=dict(line.split() for line in heads.stdout.splitlines()),
            launched=[path.name for path in (workspace / "requests").iterdir()],
        )
    finally:
        types("server", "stop")


def _write_plan(workspace: Path) -> None:
    plan = json.loads(PLAN.read_text(encoding="utf-8"))
    plan["runtime"]["agent"]["command"][0] = sys.executable
    plan["tasks"].append(BUILDS_ON_NOTHING)
    workspace.mkdir()
    (workspace / "plan.json").write_text(json.dumps(plan), encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("overstate-lines", "measurement", "lines: value-mismatch: claimed 100, measured 1"),
        ("withhold-work", "not-on-remote", "it says success but pushed nothing: cursor/withhold-work-"),
        ("rename-branch", "other-name", "it pushed under another name, a-name-of-my-own, not orch/findings/rename-"),
        ("fix-quantity", "verdict", "verify-receipt checked it, and it failed (verifier-failed)."),
    ],
)
def test_each_difference_is_a_finding_wherever_people_and_programs_look(found, name, kind, words):
    for told in found.told:
        assert [each["kind"] for each in told[name]["findings"]] == [kind]
        assert told[name]["findings"][0]["message"].startswith(words)
    assert words in found.status
    assert f"{name}: {'measurement ' if kind == 'measurement' else ''}{words}" in found.attention
    assert f"finding: {words[:20]}" in found.shown


def test_each_row_has_the_commit_that_the_remote_has(found):
    for name in ("overstate-lines", "rename-branch", "fix-quantity"):
        row = found.tasks[name]
        assert row["headSha"] == found.heads[row["branch"]]
        assert row["onRemote"]["there"] is True
    assert "headSha" not in found.tasks["withhold-work"]
    assert found.tasks["withhold-work"]["note"] == "not on the remote"


def test_a_verdict_is_bound_to_the_commit_that_was_checked(found):
    row = found.tasks["fix-quantity"]
    assert row["verification"] == "verifier-failed"
    assert row["selfReport"] == "unit-test-verified"
    assert [each["sha"] for each in row["verdicts"]] == [row["headSha"]]


def test_a_failed_measurement_changes_no_verification(found):
    liar = found.tasks["overstate-lines"]
    (measured,) = liar["measured"]
    assert liar["verification"] == "not-verified"
    assert (measured["outcome"], measured["value"], measured["sha"]) == ("value-mismatch", "1", liar["headSha"])


def test_who_starts_from_a_branch_that_is_not_there_waits_and_says_what_to_type(found):
    row = found.tasks["builds-on-nothing"]
    assert found.code == 1
    assert row["status"] == "pending"
    assert row["missingBranch"] == found.tasks["withhold-work"]["branch"]
    assert "orchestrate accept . withhold-work --branch BRANCH" in row["note"]
    assert not [name for name in found.launched if name.startswith("builds-on-nothing")]
