"""Limits over a tree of real engines: planners below planners, one server, real git, and no agent too many."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from orchestrate.cli.example import make_example
from orchestrate.model.wire import METADATA_DEPTH, METADATA_GRANT, METADATA_TASK
from tests.acceptance.test_examples_recursion import agents_of
from tests.support.runs import Machine, machine

__all__ = ["machine"]

pytestmark = pytest.mark.slow


def orchestrate(machine: Machine, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "orchestrate", *words],
        env=machine.environment({}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def grown(machine: Machine, folder: Path, **limits: int) -> Path:
    """The example, which takes ten agents at four levels, run with these limits at its root; its workspace."""
    project = make_example(folder, name="recursion", python=sys.executable, environment=machine.environment({}))
    path = project / ".orchestrate/guide/plan.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "limits": limits}))
    done = orchestrate(machine, "run", str(path.parent))
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return path.parent


def test_a_tree_of_four_levels_launches_no_agent_more_than_its_root_may(machine: Machine, tmp_path: Path) -> None:
    workspace = grown(machine, tmp_path, maxAgents=7)

    agents = agents_of(machine)
    shares = {agent[METADATA_TASK]: agent[METADATA_GRANT] for agent in agents if METADATA_GRANT in agent}
    status = json.loads(orchestrate(machine, "status", str(workspace), "--json").stdout)
    (row,) = status["tasks"]

    assert Counter(agent[METADATA_DEPTH] for agent in agents) == {"1": 1, "2": 3, "3": 2, "4": 1}
    assert {task: json.loads(share)["agents"] for task, share in shares.items()} == {
        "field-guide": 6,
        "camp": 3,
        "fire": 1,
    }
    assert row["handoffStatus"] == "partial"
    assert row["shares"][0]["used"]["agents"] == 6
    assert status["money"] == {"spentCents": 0.0, "reservedCents": 500.0, "agents": 7, "maxAgents": 7}
    assert "6 of 6 agents" in orchestrate(machine, "tree", str(workspace)).stdout


def test_a_tree_is_no_deeper_than_its_root_says(machine: Machine, tmp_path: Path) -> None:
    before = {agent["id"] for agent in agents_of(machine)}

    workspace = grown(machine, tmp_path, maxDepth=2)

    agents = [agent for agent in agents_of(machine) if agent["id"] not in before]
    handoff = (workspace / "handoffs/field-guide.md").read_text()
    assert max(agent[METADATA_DEPTH] for agent in agents) == "2"
    assert "camp" not in {agent[METADATA_TASK] for agent in agents}
    assert "the planner above granted 1 level of agents below this plan" in handoff
