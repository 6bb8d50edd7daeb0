"""Programs that the docs show do what the docs say."""

import subprocess
import sys

from orchestrate.model.vocabulary import HandoffStatus, Verification
from orchestrate.text.handoffs import parse_handoff
from tests.support.documents import document

PROMPT = "You do one task.\n\n## Your goal\n\nPaint the shed.\n\n## How to verify\n\nLook at it.\n"


def test_the_smallest_agent_program_commits_pushes_and_reports(tmp_path):
    (program,) = document("docs/local-agents.md").blocks("python")
    identity = {
        f"GIT_{who}_{what}": "agent@example.invalid" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(tmp_path), **identity}

    def run(*command: str, **options) -> str:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, **options)
        return done.stdout

    remote, clone = tmp_path / "remote.git", tmp_path / "clone"
    run("git", "init", "-q", "--bare", str(remote))
    run("git", "clone", "-q", str(remote), str(clone))
    run("git", "checkout", "-q", "-b", "cursor/paint-1a2b", cwd=clone)

    handoff = parse_handoff(run(sys.executable, "-c", program, cwd=clone, input=PROMPT))

    assert (handoff.status, handoff.branch) == (HandoffStatus.SUCCESS, "cursor/paint-1a2b")
    assert handoff.verification is Verification.NOT_VERIFIED
    assert (handoff.structured, handoff.notes) == (True, ())
    assert run("git", "show", "cursor/paint-1a2b:GOAL.md", cwd=remote) == "Paint the shed.\n"
