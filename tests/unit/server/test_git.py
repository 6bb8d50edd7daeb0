import pytest

from orchestrate.server.git import Git, GitFailed

ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent"}


async def test_what_git_prints_is_the_answer():
    assert (await Git(ENVIRONMENT).run("--version")).startswith("git version")


async def test_a_failure_is_told_in_gits_words(tmp_path):
    with pytest.raises(GitFailed, match="not a git repository") as failure:
        await Git(ENVIRONMENT).run("status", at=tmp_path)

    assert not failure.value.is_passing


async def test_a_missing_git_is_told(tmp_path):
    with pytest.raises(GitFailed, match="cannot be started"):
        await Git({"PATH": str(tmp_path)}).run("status")


async def test_git_has_a_deadline(tmp_path):
    (tmp_path / "git").write_text("#!/bin/sh\nexec sleep 60\n")
    (tmp_path / "git").chmod(0o700)

    with pytest.raises(GitFailed, match="did not end within") as failure:
        await Git({"PATH": f"{tmp_path}:/usr/bin:/bin"}).run("status", seconds=0.05)

    assert failure.value.is_passing
