"""Real git repositories in a test's folder, untouched by the configuration of whoever runs the tests."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

_ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "Test",
    "GIT_AUTHOR_EMAIL": "test@example.com",
    "GIT_COMMITTER_NAME": "Test",
    "GIT_COMMITTER_EMAIL": "test@example.com",
}


@dataclass(frozen=True)
class Remote:
    """A bare repository, as agents' ``origin``."""

    path: Path

    @property
    def url(self) -> str:
        return str(self.path)

    def heads(self) -> dict[str, str]:
        """Branches and their commits."""
        lines = git("for-each-ref", "--format=%(refname:lstrip=2) %(objectname)", "refs/heads", at=self.path)
        return dict(line.split() for line in lines.splitlines())

    def read(self, branch: str, name: str) -> str:
        """A file's content on a branch."""
        return git("show", f"{branch}:{name}", at=self.path)

    def commit(self, branch: str, files: dict[str, str], *, message: str = "work") -> str:
        """Add a commit to a branch, made from main if it is new; its sha."""
        work = self.path.parent / f"{self.path.name}-work"
        if not work.exists():
            git("clone", "--quiet", str(self.path), str(work), at=self.path.parent)
        git("fetch", "--quiet", "origin", at=work)
        start = f"origin/{branch}" if branch in self.heads() else "origin/main"
        git("checkout", "--quiet", "-B", branch, start, at=work)
        for name, text in files.items():
            (work / name).write_text(text, encoding="utf-8")
        git("add", "--all", at=work)
        git("commit", "--quiet", "--message", message, at=work)
        git("push", "--quiet", "origin", f"HEAD:refs/heads/{branch}", at=work)
        return git("rev-parse", "HEAD", at=work).strip()


def git(*arguments: str, at: Path) -> str:
    """What git printed; fails the test if git fails."""
    done = subprocess.run(
        ["git", *arguments], cwd=at, env={**os.environ, **_ENVIRONMENT}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"git {arguments}: {done.stderr}"
    return done.stdout


def make_remote(path: Path) -> Remote:
    """A bare repository with one commit on ``main``."""
    seed = path.parent / f"{path.name}-seed"
    git("init", "--quiet", "--initial-branch=main", str(seed), at=path.parent)
    (seed / "README.md").write_text("a repository\n", encoding="utf-8")
    git("add", "--all", at=seed)
    git("commit", "--quiet", "--message", "begin", at=seed)
    git("clone", "--quiet", "--bare", str(seed), str(path), at=path.parent)
    return Remote(path)


@pytest.fixture
def remote(tmp_path) -> Remote:
    """A bare repository with one commit on ``main``."""
    return make_remote(tmp_path / "remote.git")
