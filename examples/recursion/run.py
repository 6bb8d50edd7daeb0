"""Planners below planners on this machine: ``python examples/recursion/run.py [--dir DIR] [--outline FILE]``.

Makes a repository and a plan of one subplanner in a new folder and runs it. The planner's agent program runs this engine
in its own clone for its own plan, with subplanners of its own, and so on; see agent.py beside this file. No key, no
model, no network.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from orchestrate.cli.example import make_example, named_folder


def main() -> int:
    """Make the example, run it, show the handoff that holds all the others."""
    parser = argparse.ArgumentParser(description="Planners below planners on this machine.")
    parser.add_argument("--dir", type=Path, default=Path("orchestrate-recursion"), help="a new or empty folder")
    parser.add_argument("--outline", type=Path, help="a file with another outline: list items, indented by two spaces")
    options = parser.parse_args()
    workspace = make(options.dir.resolve(), outline=options.outline and options.outline.read_text())
    status = orchestrate("run", str(workspace), "--yes")
    if (workspace / "handoffs/field-guide.md").exists():
        orchestrate("handoff", str(workspace), "field-guide")
    return status


def make(folder: Path, *, outline: str | None = None) -> Path:
    """The workspace of a new example in this folder."""
    project = make_example(named_folder(folder), name="recursion", python=sys.executable, environment=os.environ)
    workspace = project / ".orchestrate/guide"
    if outline is not None:
        plan = json.loads((workspace / "plan.json").read_text())
        plan["tasks"][0]["scopedGoal"] = f"Write the chapter `guide`, which has these parts:\n\n{outline}\n"
        (workspace / "plan.json").write_text(json.dumps(plan, indent=2) + "\n")
    return workspace


def orchestrate(*words: str) -> int:
    """The exit status of a command."""
    return subprocess.run([sys.executable, "-m", "orchestrate", *words], check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main())
