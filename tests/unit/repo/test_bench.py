import os
import shutil

import pytest

from orchestrate.errors import ServiceError
from orchestrate.ports import BenchCommand, Ran
from orchestrate.repo.bench import RemoteBench
from orchestrate.repo.git import Git
from tests.support.repositories import remote

__all__ = ["remote"]

needs_sandbox = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bwrap is not installed")


def bare_path(folder):
    """A search path with all that a command needs, and no sandbox."""
    for name in ("bash", "git", "cat", "wc", "env", "touch", "sh"):
        (folder / name).symlink_to(shutil.which(name))
    return str(folder)


async def ran(remote, *lines, not_bare=None, path=None, **variables):
    sha = remote.commit("cursor/a", {"a.py": "x\ny\n"})
    bench = RemoteBench(Git({"PATH": path or os.environ["PATH"], **variables}), remote.url, not_bare=not_bare)
    return await bench.run(branch="cursor/a", sha=sha, commands=[BenchCommand(line) for line in lines])


@needs_sandbox
async def test_each_command_has_a_clean_checkout_in_a_sandbox(remote, tmp_path):
    found = await ran(remote, "wc -l < a.py; echo new > b.py", "ls", f"cat {tmp_path}/../*/config", not_bare="no")
    assert found[:2] == [Ran(stdout="2\n"), Ran(stdout="README.md\na.py\n")]
    assert found[2].failure.startswith("exit status 1")


@needs_sandbox
async def test_a_command_sees_no_secret_and_cannot_write_to_the_system(remote):
    found = await ran(remote, "env | grep -c SECRET", "touch /usr/orchestrate", SECRET="s", not_bare="no")
    assert found[0].failure == "exit status 1"
    assert "Read-only file system" in found[1].failure


async def test_without_a_sandbox_it_runs_only_where_agents_run(remote, tmp_path):
    assert await ran(remote, "true", path=bare_path(tmp_path), not_bare="no bwrap") == [Ran(not_run="no bwrap")]


async def test_where_agents_run_a_command_has_a_home_of_its_own(remote, tmp_path):
    path = bare_path(tmp_path)
    found = await ran(remote, "wc -l < a.py", 'touch "$HOME/x"', "echo no >&2; exit 3", path=path)
    assert found == [Ran(stdout="2\n"), Ran(), Ran(failure="exit status 3: no")]


async def test_a_commit_that_is_gone_is_an_error(remote):
    bench = RemoteBench(Git({"PATH": os.environ["PATH"]}), remote.url, not_bare=None)
    with pytest.raises(ServiceError):
        await bench.run(branch="gone", sha="0" * 40, commands=[BenchCommand("true")])


async def test_a_checkout_that_fails_is_a_command_that_was_not_run(remote, tmp_path):
    path = bare_path(tmp_path)
    (tmp_path / "git").unlink()
    script = f'#!/bin/sh\ncase "$*" in *" checkout "*) echo "disk full" >&2; exit 1;; esac\nexec {shutil.which("git")} "$@"\n'
    (tmp_path / "git").write_text(script)
    (tmp_path / "git").chmod(0o755)
    (found,) = await ran(remote, "true", path=path)
    assert found.not_run is not None
    assert found.not_run.startswith("the commit cannot be checked out: ")
