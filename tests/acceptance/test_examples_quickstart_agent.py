"""The quickstart's agent program on its own: real prompts, real clones, no server."""

import subprocess
import sys
from pathlib import Path

import pytest

from orchestrate.cli.example import make_example
from orchestrate.model.checking import parse_plan
from orchestrate.model.handoff import Handoff
from orchestrate.model.names import AgentId, TaskName
from orchestrate.model.plan import Plan
from orchestrate.model.vocabulary import HandoffStatus, Verification
from orchestrate.shipped import shipped
from orchestrate.text.handoffs import parse_handoff
from orchestrate.text.prompts import PromptContext, Upstream, render_prompt
from orchestrate.text.templates import TEMPLATE_NAMES, Templates

pytestmark = pytest.mark.slow

ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent"}
TEMPLATES = Templates({name: (shipped("templates") / name).read_text() for name in TEMPLATE_NAMES})


class Workplace:
    """The example's remote, and agents that work on it one after the other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        project = make_example(folder, python=sys.executable, environment=ENVIRONMENT)
        self.plan: Plan = parse_plan((project / ".orchestrate/basket/plan.json").read_bytes())[0]

    def work(self, name: str, *, start: str = "main", upstreams: tuple[Upstream, ...] = (), goal: str = "") -> Handoff:
        clone = self.folder / name
        self.git("clone", "-q", "-b", start, str(self.folder / "remote.git"), str(clone))
        self.git("-C", str(clone), "checkout", "-q", "-b", f"cursor/{name}-1a2b")
        task = self.plan.task(TaskName(name))
        if goal:
            task = task.model_copy(update={"scoped_goal": goal})
        context = PromptContext(
            starting_ref=start, agent_id=AgentId("bc-00000000-0000-4000-8000-000000000001"), upstreams=upstreams
        )
        prompt = render_prompt(TEMPLATES, plan=self.plan, task=task, context=context)
        done = subprocess.run(
            [sys.executable, self.folder / "agent.py"],
            input=prompt,
            cwd=clone,
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stderr, "an agent says what it does"
        return parse_handoff(done.stdout, task_type=task.type)

    def git(self, *arguments: str) -> str:
        return subprocess.run(["git", *arguments], env=ENVIRONMENT, capture_output=True, text=True, check=True).stdout

    def remote(self, *arguments: str) -> str:
        return self.git("-C", str(self.folder / "remote.git"), *arguments)


@pytest.fixture
def workplace(tmp_path: Path) -> Workplace:
    return Workplace(tmp_path)


def upstream(name: str, handoff: Handoff) -> Upstream:
    return Upstream(
        task=TaskName(name), branch=handoff.branch, status=handoff.status, handoff_text="## Status\nsuccess"
    )


def test_the_four_jobs_in_order_leave_a_branch_whose_whole_suite_passes(workplace: Workplace) -> None:
    fix = workplace.work("fix-quantity")
    add = workplace.work("add-receipt")
    merge = workplace.work("merge-basket", upstreams=(upstream("fix-quantity", fix), upstream("add-receipt", add)))
    verdict = workplace.work("verify-basket", start="cursor/merge-basket-1a2b")

    assert [handoff.status for handoff in (fix, add, merge)] == [HandoffStatus.SUCCESS] * 3
    assert fix.branch == "cursor/fix-quantity-1a2b"
    assert [(claim.before, claim.after) for claim in fix.measurements] == [("1", "0")]
    assert verdict.verification is Verification.UNIT_TEST_VERIFIED
    assert all(handoff.structured and not handoff.notes for handoff in (fix, add, merge, verdict))
    assert "basket/receipt.py" in workplace.remote("ls-tree", "-r", "--name-only", "cursor/merge-basket-1a2b")


def test_a_branch_with_the_bug_fails_verification(workplace: Workplace) -> None:
    verdict = workplace.work("verify-basket", start="main")

    assert verdict.verification is Verification.VERIFIER_FAILED


def test_a_branch_without_the_receipt_fails_verification(workplace: Workplace) -> None:
    workplace.work("fix-quantity")

    verdict = workplace.work("verify-basket", start="cursor/fix-quantity-1a2b")

    assert verdict.verification is Verification.VERIFIER_FAILED


def test_a_merge_without_branches_is_blocked(workplace: Workplace) -> None:
    handoff = workplace.work("merge-basket")

    assert handoff.status is HandoffStatus.BLOCKED


def test_a_goal_that_it_does_not_know_is_blocked(workplace: Workplace) -> None:
    handoff = workplace.work("fix-quantity", goal="Write a poem.")

    assert handoff.status is HandoffStatus.BLOCKED
    assert workplace.remote("branch", "--list", "cursor/*") == ""
