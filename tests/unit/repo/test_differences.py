import os
from pathlib import Path

import pytest

from orchestrate.errors import Refused
from orchestrate.repo.differences import difference
from orchestrate.repo.git import Git
from tests.support.repositories import Remote, git as call_git, remote

__all__ = ["remote"]

ENVIRONMENT = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
GIT = Git(ENVIRONMENT)


async def files_of(remote: Remote, branch: str, start: str, **more: object) -> tuple[str, ...]:
    async with difference(GIT, remote.url, branch=branch, start=start, **more) as found:
        return await found.files()


async def test_a_branch_is_compared_with_where_it_left(remote):
    head = remote.commit("work", {"a.txt": "one\n"})
    remote.commit("main", {"later.txt": "meanwhile\n"})
    async with difference(GIT, remote.url, branch="work", start="main") as found:
        assert await found.files() == ("a.txt",)
        patch = (await found.patch()).decode()
        assert found.head == head
        assert not found.is_empty_by_history
        folder = found.folder
    assert "+++ b/a.txt\n@@ -0,0 +1 @@\n+one\n" in patch
    assert not folder.exists()


async def test_short_forms_are_gits(remote):
    remote.commit("work", {"a.txt": "one\n", "b.txt": "two\n"})
    async with difference(GIT, remote.url, branch="work", start="main") as found:
        assert await found.patch("--name-only") == b"a.txt\nb.txt\n"
        assert b"2 files changed" in await found.patch("--stat")


async def test_a_renamed_file_counts_under_both_names(remote):
    remote.commit("main", {"old name.txt": "the same text\n"})
    work = remote.path.parent / f"{remote.path.name}-work"
    call_git("checkout", "--quiet", "-B", "work", at=work)
    call_git("mv", "old name.txt", "new\tname.txt", at=work)
    call_git("commit", "--quiet", "--message", "rename", at=work)
    call_git("push", "--quiet", "origin", "HEAD:refs/heads/work", at=work)
    assert await files_of(remote, "work", "main") == ("new\tname.txt", "old name.txt")


async def test_a_start_may_be_a_tag_a_whole_ref_or_a_commit(remote):
    first = remote.heads()["main"]
    call_git("tag", "v1", "main", at=remote.path)
    remote.commit("work", {"a.txt": "one\n"})
    for start in ("v1", "refs/tags/v1", "refs/heads/main", first):
        assert await files_of(remote, "work", start) == ("a.txt",)


async def test_a_merged_branch_has_nothing_of_its_own(remote):
    remote.commit("work", {"a.txt": "one\n"})
    call_git("branch", "--force", "main", "work", at=remote.path)
    async with difference(GIT, remote.url, branch="work", start="main") as found:
        assert found.is_empty_by_history
        assert await found.files() == ()


async def test_histories_with_nothing_in_common_are_compared_as_they_are(remote, tmp_path):
    other = tmp_path / "other"
    call_git("init", "--quiet", "--initial-branch=other", str(other), at=tmp_path)
    (other / "b.txt").write_text("b\n")
    call_git("add", "--all", at=other)
    call_git("commit", "--quiet", "--message", "other", at=other)
    call_git("push", "--quiet", remote.url, "other", at=other)
    assert await files_of(remote, "other", "main") == ("README.md", "b.txt")


async def test_settings_of_the_reader_change_nothing(remote, tmp_path):
    remote.commit("work", {"a.txt": "one\n"})
    config = tmp_path / "config"
    config.write_text(
        "[diff]\nexternal = false\nnoprefix = true\nmnemonicPrefix = true\n[color]\nui = always\n[core]\npager = false\n"
    )
    git = Git({**ENVIRONMENT, "GIT_CONFIG_GLOBAL": str(config), "GIT_PAGER": "false", "GIT_EXTERNAL_DIFF": "false"})
    async with difference(git, remote.url, branch="work", start="main") as found:
        assert (await found.patch()).startswith(b"diff --git a/a.txt b/a.txt\n")


@pytest.mark.parametrize(("branch", "start"), [("missing", "main"), ("main", "missing"), ("main", "refs/heads/no")])
async def test_a_ref_that_the_remote_lacks_is_named(remote, branch, start):
    with pytest.raises(Refused, match="is not on the remote"):
        await files_of(remote, branch, start)


async def test_a_commit_that_is_not_in_the_branch_is_refused(remote):
    remote.commit("work", {"a.txt": "one\n"})
    with pytest.raises(Refused, match="is no commit"):
        await files_of(remote, "work", "1" * 40)


@pytest.mark.parametrize("ref", ["--upload-pack=x", "a..b", ""])
async def test_a_ref_that_is_none_never_reaches_git(remote, ref):
    with pytest.raises(Refused, match="no name of a branch"):
        await files_of(remote, ref, "main")
    with pytest.raises(Refused, match="no name of a branch"):
        await files_of(remote, "main", ref)


async def test_an_address_that_is_none_never_reaches_git(tmp_path):
    with pytest.raises(Refused, match="address"):
        await files_of(Remote(Path("--upload-pack=x")), "main", "main")


async def test_a_clone_of_the_reader_is_left_as_it_is(remote, tmp_path):
    remote.commit("work", {"a.txt": "one\n"})
    call_git("clone", "--quiet", remote.url, "clone", at=tmp_path)
    clone = tmp_path / "clone"
    (clone / "README.md").write_text("changed\n")
    call_git("add", "--all", at=clone)
    before = _everything(clone)
    assert await files_of(remote, "work", "main", clone=clone) == ("a.txt",)
    assert _everything(clone) == before


@pytest.fixture
def over_ssh(remote, tmp_path):
    """The same remote at an address with a host, and the environment in which ssh leads to this machine."""
    script = tmp_path / "ssh.sh"
    script.write_text('for last in "$@"; do :; done\nexec sh -c "$last"\n')
    git = Git({**ENVIRONMENT, "GIT_SSH_COMMAND": f"sh {script}", "GIT_SSH_VARIANT": "ssh"})
    return git, f"ssh://git.example.org{remote.path}"


def _clone(remote: Remote, url: str, folder: Path, *options: str) -> Path:
    call_git("clone", "--quiet", *options, f"file://{remote.path}", str(folder), at=remote.path.parent)
    call_git("remote", "set-url", "origin", url, at=folder)
    return folder


async def test_objects_of_a_clone_need_not_be_fetched_again(remote, over_ssh, tmp_path):
    git, url = over_ssh
    remote.commit("work", {"a.txt": "one\n"})
    clone = _clone(remote, url, tmp_path / "clone")
    before = _everything(clone)
    async with difference(git, url, branch="work", start="main", clone=clone / ".git") as found:
        assert await found.files() == ("a.txt",)
        assert (found.folder / "objects" / "info" / "alternates").read_text() == f"{clone / '.git' / 'objects'}\n"
        assert not any((found.folder / "objects" / "pack").glob("*.pack"))
    assert _everything(clone) == before


@pytest.mark.parametrize("kind", ["another repository", "shallow", "partial", "no repository"])
async def test_a_clone_that_may_lack_something_is_not_used(remote, over_ssh, tmp_path, kind):
    git, url = over_ssh
    remote.commit("work", {"a.txt": "one\n"})
    folder = tmp_path / "clone"
    match kind:
        case "another repository":
            _clone(remote, "https://git.example.org/other", folder)
        case "shallow":
            _clone(remote, url, folder, "--depth=1")
        case "partial":
            call_git("config", "extensions.partialClone", "origin", at=_clone(remote, url, folder))
        case _:
            folder.mkdir()
    async with difference(git, url, branch="work", start="main", clone=folder) as found:
        assert await found.files() == ("a.txt",)
        assert not (found.folder / "objects" / "info" / "alternates").exists()


def _everything(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
