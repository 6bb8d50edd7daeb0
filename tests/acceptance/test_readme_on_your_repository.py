"""README's "On your repository", typed as it stands there, in a repository of one's own."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.documents import document
from tests.support.wheel import PROJECT

pytestmark = pytest.mark.slow

#: How a command of README is called here.
PROGRAM = f"{sys.executable} -m orchestrate"


class Repository:
    """A repository with one commit, in a home that nobody used before."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "repository"
        self.path.mkdir()
        self._environment = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(folder),
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(PROJECT),
            **{f"GIT_{who}_NAME": "Owner" for who in ("AUTHOR", "COMMITTER")},
            **{f"GIT_{who}_EMAIL": "owner@example.invalid" for who in ("AUTHOR", "COMMITTER")},
        }
        self.types("git init -q -b main && echo hello > hello.txt && git add . && git commit -qm First")

    def types(self, line: str) -> str:
        done = subprocess.run(
            ["/bin/sh", "-c", line],
            cwd=self.path,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture
def repository(tmp_path: Path):
    repository = Repository(tmp_path)
    yield repository
    repository.types(f"{PROGRAM} server stop")
    shutil.rmtree(repository.path)


def test_the_plan_and_commands_of_readme_work_in_a_repository_of_ones_own(
    repository: Repository, tmp_path: Path
) -> None:
    (plan,) = document("README.md").blocks("json")
    (agent,) = document("docs/local-agents.md").blocks("python")
    commands = next(block for block in document("README.md").blocks("sh") if block.startswith("orchestrate "))
    (tmp_path / "agent.py").write_text(agent)
    init, *runs = (
        line.replace("orchestrate", PROGRAM, 1).replace(
            "my-agent --non-interactive", f"{sys.executable} {tmp_path / 'agent.py'}"
        )
        for line in commands.splitlines()
    )
    repository.types(init)
    written = repository.path / ".orchestrate" / "dates" / "plan.json"
    assert json.loads(written.read_text())["goal"] == json.loads(plan)["goal"]
    written.write_text(plan)
    before = repository.types("git rev-parse HEAD && git status --porcelain")

    for line in runs:
        repository.types(line)

    assert "2 of 2 handed off" in repository.types(f"{PROGRAM} status .orchestrate/dates")
    assert "read-iso-dates" in repository.types("git branch --list 'cursor/*'")
    assert repository.types("git rev-parse HEAD && git status --porcelain") == before
