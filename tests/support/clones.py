"""Clones of a user: with work that is staged, changed and untracked, and with hooks that fail."""

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from orchestrate.repo.git import Git
from orchestrate.repo.publishing import GitMedium
from orchestrate.repo.signatures import Signature
from orchestrate.repo.site import Site, site_of
from tests.support.repositories import Remote, git, make_remote

SLUG = "shop"
FOLDER = f".orchestrate/{SLUG}"
HOOKS = ("pre-commit", "commit-msg", "pre-push", "post-index-change", "reference-transaction", "post-commit")


def our_git(**variables: str) -> Git:
    """Git without the configuration of whoever runs the tests, and without an identity."""
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    return Git(environment | variables, deadline_seconds=60)


@dataclass(frozen=True)
class Clone:
    """A user's clone with a workspace in it."""

    top: Path
    remote: Remote

    @property
    def workspace(self) -> Path:
        return self.top / FOLDER

    def run(self, *arguments: str) -> str:
        return git(*arguments, at=self.top)

    def write(self, name: str, text: str) -> None:
        (self.top / name).parent.mkdir(parents=True, exist_ok=True)
        (self.top / name).write_text(text, encoding="utf-8")

    def commit(self, name: str, text: str, *, message: str = "work") -> str:
        """A commit of the user's with this file and whatever is staged; no hook has a say."""
        self.write(name, text)
        self.run("add", "--", name)
        self.run("-c", "core.hooksPath=/dev/null", "commit", "--quiet", "--message", message)
        return self.run("rev-parse", "HEAD").strip()

    def make_busy(self) -> None:
        """Files that are staged, changed after that, changed only and untracked; every hook fails."""
        self.write("staged.txt", "staged\n")
        self.run("add", "staged.txt")
        self.write("staged.txt", "changed after that\n")
        self.write("README.md", "changed only\n")
        self.write("untracked.txt", "untracked\n")
        for hook in HOOKS:
            path = self.top / ".git" / "hooks" / hook
            path.write_text("#!/bin/sh\nexit 1\n")
            path.chmod(0o755)

    def foreign_files(self) -> dict[str, bytes]:
        """Every file of the checkout outside the workspace, byte for byte."""
        files = (path for path in self.top.rglob("*") if path.is_file() and ".git" not in path.parts)
        return {str(path): path.read_bytes() for path in files if not path.is_relative_to(self.workspace)}

    def foreign_entries(self) -> list[str]:
        """Every entry of the index outside the workspace."""
        listed = self.run("ls-files", "--stage", "-v", "--", ".", f":(exclude){FOLDER}")
        return listed.splitlines()

    async def site(self) -> Site:
        found = await site_of(our_git(), self.workspace, repo_url=self.remote.url)
        assert isinstance(found, Site), found
        return found

    async def medium(
        self, *, engine: str = "e1", started: str = "2026-01-01", own: bool = False, **variables: str
    ) -> GitMedium:
        return GitMedium(
            our_git(**variables),
            await self.site(),
            slug=SLUG,
            base_branch="main",
            signature=Signature("workspace", engine, started),
            may_use_checkout=own,
        )


def make_clone(path: Path, remote: Remote, *, branch: str | None = None) -> Clone:
    """A clone with an empty workspace, on this branch, which is on the remote too."""
    git("clone", "--quiet", remote.url, str(path), at=path.parent)
    clone = Clone(path, remote)
    clone.workspace.mkdir(parents=True)
    if branch is not None:
        clone.run("checkout", "--quiet", "-b", branch)
        clone.run("push", "--quiet", "origin", branch)
    return clone


@pytest.fixture
def clone(tmp_path) -> Clone:
    """A clone on ``main``."""
    return make_clone(tmp_path / "clone", make_remote(tmp_path / "remote.git"))


@pytest.fixture
def planner(tmp_path) -> Clone:
    """A clone on the pushed branch of a planner."""
    return make_clone(tmp_path / "clone", make_remote(tmp_path / "remote.git"), branch="cursor/plan")
