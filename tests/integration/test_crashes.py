"""Real kill -9 and two engines at once, a sample of what the programs in ``benchmarks/`` do at length."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


def ran(program: str, *arguments: str) -> str:
    """What the program printed, which found nothing wrong."""
    command = [sys.executable, str(BENCHMARKS / program), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_killed_engine_is_followed_by_one_that_repeats_and_loses_nothing():
    assert "wrong: 0" in ran("crash.py", "--records", "10", "--instants", "10")


def test_of_two_engines_at_once_one_runs_and_the_other_says_why_not():
    assert "0 otherwise" in ran("two_engines.py", "--rounds", "5")


def test_a_budget_holds_under_crashes_and_late_costs():
    assert "3 engines killed: exit 0" in ran("budget.py", "--tasks", "12", "--late", "5")
