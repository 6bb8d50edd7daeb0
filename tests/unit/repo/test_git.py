import os
import socket
import subprocess
import threading

import pytest

from orchestrate.errors import Refused, Unavailable
from orchestrate.repo.git import BranchAbsent, BranchThere, BranchUnknown, Git

ENVIRONMENT = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "HOME": "/nonexistent"}


def _git(*arguments, cwd):
    identity = {
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@b",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@b",
    }
    done = subprocess.run(
        ["git", *arguments], cwd=cwd, env=ENVIRONMENT | identity, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def remote(tmp_path):
    """A bare repository with the branches main, feature/main and odd."""
    bare, work = tmp_path / "remote.git", tmp_path / "work"
    _git("init", "--bare", "-b", "main", str(bare), cwd=tmp_path)
    _git("init", "-b", "main", str(work), cwd=tmp_path)
    _git("commit", "--allow-empty", "-m", "first", cwd=work)
    for branch in ("main", "feature/main", "odd"):
        _git("push", str(bare), f"HEAD:refs/heads/{branch}", cwd=work)
    return bare


@pytest.fixture
def silent_server():
    """An address that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


async def test_a_branch_that_is_there_has_its_commit(remote):
    sha = _git("rev-parse", "refs/heads/main", cwd=remote)
    assert await Git(ENVIRONMENT).look_up_branch(str(remote), "main") == BranchThere(sha)


async def test_a_branch_whose_name_only_ends_alike_is_another(remote):
    _git("update-ref", "-d", "refs/heads/main", cwd=remote)
    assert await Git(ENVIRONMENT).look_up_branch(str(remote), "main") == BranchAbsent()


async def test_a_remote_that_cannot_be_asked_leaves_the_branch_unknown(tmp_path):
    found = await Git(ENVIRONMENT).look_up_branch(str(tmp_path / "nothing"), "main")
    assert isinstance(found, BranchUnknown)
    assert "does not" in found.reason


async def test_all_branches_are_named(remote):
    assert await Git(ENVIRONMENT).remote_branch_names(f"file://{remote}") == {"main", "feature/main", "odd"}


async def test_only_the_branches_that_are_asked_for_are_answered(remote):
    assert set(await Git(ENVIRONMENT).remote_heads(str(remote), ["odd", "gone"])) == {"odd"}


async def test_an_empty_remote_has_no_branches(tmp_path):
    _git("init", "--bare", "empty.git", cwd=tmp_path)
    assert await Git(ENVIRONMENT).remote_heads(str(tmp_path / "empty.git")) == {}


@pytest.mark.parametrize("branch", ["", "-x", "a b", "a..b", "refs/heads/*"])
async def test_a_name_that_is_no_ref_is_refused_before_git_sees_it(remote, branch):
    with pytest.raises(Refused) as caught:
        await Git(ENVIRONMENT).remote_heads(str(remote), [branch])
    assert caught.value.code == "invalid_ref"


@pytest.mark.parametrize("url", ["--upload-pack=touch x", "ext::sh -c id", "http://127.0.0.1/x"])
async def test_an_address_that_is_not_allowed_is_refused_before_git_sees_it(url):
    with pytest.raises(Refused) as caught:
        await Git(ENVIRONMENT).remote_heads(url)
    assert caught.value.code == "invalid_address"


async def test_no_repository_is_a_refusal(tmp_path):
    with pytest.raises(Refused) as caught:
        await Git(ENVIRONMENT).remote_heads(str(tmp_path))
    assert caught.value.code == "repository_not_found"


async def test_nobody_listening_is_worth_another_try():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(Unavailable) as caught:
        await Git(ENVIRONMENT).remote_heads(f"https://127.0.0.1:{port}/x")
    assert caught.value.code == "git_failed"


async def test_a_silent_remote_ends_at_the_deadline(silent_server):
    with pytest.raises(Unavailable) as caught:
        await Git(ENVIRONMENT, deadline_seconds=0.2).remote_heads(f"https://127.0.0.1:{silent_server}/x")
    assert caught.value.code == "timeout"


async def test_at_the_deadline_the_connection_of_gits_child_ends_too():
    ended = threading.Event()

    def wait_for_the_end(server):
        connection, _ = server.accept()
        with connection:
            while connection.recv(4096):
                continue
        ended.set()

    with socket.create_server(("127.0.0.1", 0)) as server:
        listener = threading.Thread(target=wait_for_the_end, args=[server])
        listener.start()
        url = f"https://127.0.0.1:{server.getsockname()[1]}/x"
        with pytest.raises(Unavailable):
            await Git(ENVIRONMENT, deadline_seconds=0.5).remote_heads(url)
        listener.join(timeout=10)
    assert ended.is_set()


async def test_git_is_installed_here():
    assert await Git(ENVIRONMENT).is_installed()


async def test_without_git_nothing_is_known(tmp_path):
    git = Git({"PATH": str(tmp_path)})
    assert not await git.is_installed()
    assert isinstance(await git.look_up_branch("/srv/x", "main"), BranchUnknown)


async def test_the_repository_of_the_caller_does_not_show_through(remote, tmp_path):
    inherited = ENVIRONMENT | {"GIT_DIR": str(tmp_path / "elsewhere")}
    assert "main" in await Git(inherited).remote_heads(str(remote))


async def test_ssh_never_asks_unless_the_user_chose_a_command(remote, tmp_path):
    program = tmp_path / "ssh"
    program.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\nexit 255\n')
    program.chmod(0o755)
    path = {"PATH": f"{tmp_path}:{ENVIRONMENT['PATH']}"}
    with pytest.raises(Unavailable):
        await Git(ENVIRONMENT | path).remote_heads("git@host.example:a/b")
    with pytest.raises(Unavailable):
        await Git(ENVIRONMENT | path | {"GIT_SSH_COMMAND": "ssh -o Chosen=yes"}).remote_heads("git@host.example:a/b")
    first, *_, last = (tmp_path / "asked").read_text().splitlines()
    assert "BatchMode=yes" in first
    assert "Chosen=yes" in last


async def test_a_complaint_without_words_is_still_a_reason(tmp_path):
    program = tmp_path / "git"
    program.write_text("#!/bin/sh\nexit 3\n")
    program.chmod(0o755)
    with pytest.raises(Unavailable, match="no reason given"):
        await Git({"PATH": f"{tmp_path}:{ENVIRONMENT['PATH']}"}).remote_heads("/srv/x")


@pytest.mark.parametrize(("gives_way", "lower"), [(False, 0), (True, 10)])
async def test_git_in_the_background_takes_the_processors_that_nobody_else_wants(tmp_path, gives_way, lower):
    path = program(tmp_path, "git", "nice")
    said = await Git({"PATH": f"{path}:{ENVIRONMENT['PATH']}"}, gives_way=gives_way).output(["status"])
    assert int(said) == min(os.nice(0) + lower, 19)


async def test_where_the_system_has_no_such_program_git_runs_as_it_is(tmp_path):
    path = program(tmp_path, "git", "echo there")
    assert await Git({"PATH": str(path)}, gives_way=True).output(["status"]) == b"there\n"


async def test_in_the_background_too_a_missing_git_is_told(tmp_path):
    with pytest.raises(Refused, match="git cannot be started"):
        await Git({"PATH": str(tmp_path)}, gives_way=True).output(["status"])


def program(folder, name: str, line: str):
    """A folder with a program of this name."""
    (folder / name).write_text(f"#!/bin/sh\n{line}\n")
    (folder / name).chmod(0o755)
    return folder


async def test_a_call_that_says_too_much_is_ended(remote):
    with pytest.raises(Refused, match="git ls-remote said more than 10 bytes"):
        await Git(ENVIRONMENT, most_bytes=10).remote_heads(str(remote))
    assert len(await Git(ENVIRONMENT, most_bytes=10_000).remote_heads(str(remote))) == 3
