"""Agents as real processes, in real clones, with real pushes."""

import base64
import json
import sys
from pathlib import Path

import pytest

from tests.support.repositories import git, make_remote
from tests.support.server import Created, ServerCalls, running_server, text_of, wait_until

WRITE = {"write": {"path": "new.txt", "text": "new\n"}}
REPLY_LIMIT = 5_000_000


@pytest.fixture
def remote(tmp_path):
    return make_remote(tmp_path / "remote.git")


@pytest.fixture
def server(tmp_path):
    with running_server(tmp_path / "state", grace_seconds=0.5) as server:
        yield server


@pytest.fixture
def calls(server):
    with ServerCalls(server) as calls:
        yield calls


def repos(remote, ref="main"):
    return [{"url": remote.url, "startingRef": ref}]


def branch_of(run):
    (branch,) = run["git"]["branches"]
    return branch.get("branch")


def clone_of(tmp_path: Path, created: Created) -> Path:
    return tmp_path / "state" / "agents" / created.agent["id"] / "clone"


def program(tmp_path: Path, source: str) -> list[str]:
    path = tmp_path / "agent.py"
    path.write_text(source, encoding="utf-8")
    return [sys.executable, str(path)]


def error_of(response):
    return response.status_code, response.json()["error"]["code"], response.json()["error"]["message"]


def test_what_an_agent_pushes_is_on_a_branch_of_the_servers_choosing(calls, remote):
    script = [WRITE, {"commit": "add"}, {"push": True}, {"print": "on {branch}"}]
    created = calls.create_scripted(script, name="root/Fix the Bug!", repos=repos(remote))

    run = calls.end(created)

    branch = branch_of(run)
    assert branch.startswith("cursor/fix-the-bug-")
    assert run["result"] == f"on {branch}"
    assert remote.read(branch, "new.txt") == "new\n"


def test_what_is_committed_and_not_pushed_is_pushed_by_the_server_and_noted(calls, remote):
    created = calls.create_scripted([WRITE, {"commit": "add"}], repos=repos(remote))

    frames = calls.frames(created)

    branch = branch_of(calls.run(created))
    assert remote.read(branch, "new.txt") == "new\n"
    assert f"[server] pushed 1 commit that the agent had not pushed to {branch}" in text_of(frames, "thinking")


def test_a_failed_agents_commits_are_pushed_too(calls, remote):
    run = calls.end(calls.create_scripted([WRITE, {"commit": "add"}, {"exit": 1}], repos=repos(remote)))

    assert run["status"] == "ERROR"
    assert remote.read(branch_of(run), "new.txt") == "new\n"


def test_without_commits_there_is_no_branch(calls, remote):
    run = calls.end(calls.create_scripted([{"print": "looked only"}], repos=repos(remote)))

    assert run["git"] == {"branches": [{"repoUrl": remote.url}]}
    assert set(remote.heads()) == {"main"}


def test_a_branch_that_was_pushed_under_another_name_is_reported(calls, remote):
    script = [WRITE, {"commit": "add"}, {"push": "feature/mine"}]

    assert branch_of(calls.end(calls.create_scripted(script, repos=repos(remote)))) == "feature/mine"
    assert set(remote.heads()) == {"main", "feature/mine"}


def test_a_branch_that_the_agent_has_switched_to_is_reported(calls, remote):
    script = [{"checkout": "mine"}, WRITE, {"commit": "add"}]

    assert branch_of(calls.end(calls.create_scripted(script, repos=repos(remote)))) == "mine"


@pytest.mark.parametrize("ref", ["main", "shared", "refs/heads/shared"])
def test_commits_on_the_starting_branch_go_to_the_agents_own_branch(calls, remote, ref):
    remote.commit("shared", {"shared.txt": "shared"})
    switch = {"run": ["git", "checkout", "--quiet", ref.removeprefix("refs/heads/")]}
    before = remote.heads()

    run = calls.end(calls.create_scripted([switch, WRITE, {"commit": "add"}], repos=repos(remote, ref)))

    assert branch_of(run).startswith("cursor/")
    assert before.items() <= remote.heads().items()


def test_commits_on_no_branch_at_all_go_to_the_agents_own_branch(calls, remote):
    script = [{"run": ["git", "checkout", "--quiet", "--detach"]}, WRITE, {"commit": "add"}]

    branch = branch_of(calls.end(calls.create_scripted(script, repos=repos(remote))))

    assert branch.startswith("cursor/")
    assert remote.read(branch, "new.txt") == "new\n"


def test_a_branch_that_moved_on_the_remote_is_not_overwritten(calls, remote, tmp_path):
    remote.commit("shared", {"theirs.txt": "theirs"})
    script = [{"checkout": "shared"}, WRITE, {"commit": "mine"}]
    created = calls.create_scripted(script, repos=repos(remote))
    before = remote.heads()["shared"]

    frames = calls.frames(created)

    assert remote.heads()["shared"] == before
    assert "could not be pushed" in text_of(frames, "thinking")
    assert clone_of(tmp_path, created).exists()


def test_uncommitted_work_is_kept_and_noted(calls, remote, tmp_path):
    created = calls.create_scripted([WRITE], repos=repos(remote))

    assert "left uncommitted work behind" in text_of(calls.frames(created), "thinking")
    assert (clone_of(tmp_path, created) / "new.txt").read_text() == "new\n"


def test_commits_that_cannot_be_pushed_are_kept_and_noted(calls, remote, tmp_path):
    hook = remote.path / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o700)
    created = calls.create_scripted([WRITE, {"commit": "add"}], repos=repos(remote))

    frames = calls.frames(created)

    assert branch_of(calls.run(created)) is None
    assert "could not be pushed" in text_of(frames, "thinking")
    assert "add" in git("log", "-1", "--format=%s", at=clone_of(tmp_path, created))


def test_a_clone_that_lost_its_repository_is_not_taken_for_the_one_above(calls, remote, tmp_path):
    git("init", "--quiet", "--initial-branch=above", ".", at=tmp_path)
    git("commit", "--quiet", "--allow-empty", "--message", "foreign", at=tmp_path)

    run = calls.end(calls.create_scripted([{"run": ["rm", "-rf", ".git"]}], repos=repos(remote)))

    assert branch_of(run) is None
    assert set(remote.heads()) == {"main"}


def test_commits_on_a_side_branch_keep_the_clone(calls, remote, tmp_path):
    side = [{"checkout": "side"}, WRITE, {"commit": "side"}, {"run": ["git", "checkout", "--quiet", "-"]}]
    created = calls.create_scripted(side, repos=repos(remote))

    calls.end(created)

    assert "side" in git("log", "-1", "--format=%s", "side", at=clone_of(tmp_path, created))


def test_a_clone_with_nothing_to_lose_is_removed(calls, remote, tmp_path):
    created = calls.create_scripted([WRITE, {"commit": "add"}, {"push": True}], repos=repos(remote))

    calls.end(created)

    assert not clone_of(tmp_path, created).exists()


@pytest.mark.parametrize("ref", ["other", "v1", None])
def test_an_agent_starts_from_a_branch_a_tag_or_the_default(calls, remote, ref):
    other = remote.commit("other", {"other.txt": "other\n"})
    git("tag", "--annotate", "--message", "one", "v1", other, at=remote.path)
    start = {"url": remote.url, **({"startingRef": ref} if ref else {})}

    run = calls.end(calls.create_scripted([{"print": "{head}"}], repos=[start]))

    assert run["result"] == (other if ref else remote.heads()["main"])


def test_an_agent_starts_from_a_commit_even_a_shortened_one(calls, remote):
    first = remote.heads()["main"]
    remote.commit("main", {"more.txt": "more\n"})

    for ref in (first, first[:10]):
        assert calls.end(calls.create_scripted([{"print": "{head}"}], repos=repos(remote, ref)))["result"] == first


def test_a_later_agent_sees_what_an_earlier_one_has_pushed(calls, remote):
    first = calls.end(calls.create_scripted([WRITE, {"commit": "add"}], repos=repos(remote)))
    merge = [{"merge": f"origin/{branch_of(first)}"}, {"print": "{head}"}]

    assert calls.end(calls.create_scripted(merge, repos=repos(remote)))["result"] == remote.heads()[branch_of(first)]


@pytest.mark.parametrize(
    ("url", "ref", "code", "words"),
    [
        (None, "nope", "validation_error", "Branch 'nope' does not exist"),
        (None, "abcdef1234", "validation_error", "Branch 'abcdef1234' does not exist"),
        (None, "--upload-pack=x", "validation_error", "startingRef"),
        ("/nowhere", "main", "repository_access", "cannot be read"),
        ("relative/path", "main", "validation_error", "repos[0].url"),
        ("--upload-pack=touch x", "main", "validation_error", "repos[0].url"),
        ("ext::sh -c true", "main", "validation_error", "repos[0].url"),
        ("https://user:secret@example.com/x", "main", "validation_error", "repos[0].url"),
    ],
)
def test_what_cannot_be_started_from_is_refused_before_anything_is_made(calls, remote, tmp_path, url, ref, code, words):
    answer = calls.try_create(
        "scripted-runner: []",
        localAgent={"runner": "scripted"},
        repos=[{"url": url or remote.url, "startingRef": ref}],
    )

    assert error_of(answer)[:2] == (400, code)
    assert words in error_of(answer)[2]
    assert not (tmp_path / "state" / "agents").exists()


def test_an_empty_repository_is_refused(calls, tmp_path):
    git("init", "--quiet", "--bare", "empty.git", at=tmp_path)

    answer = calls.try_create(
        "scripted-runner: []", localAgent={"runner": "scripted"}, repos=[{"url": str(tmp_path / "empty.git")}]
    )

    assert error_of(answer) == (400, "validation_error", "The repository has no commits")


def test_an_agent_program_that_is_missing_or_not_executable_is_refused_by_name(calls, tmp_path):
    (tmp_path / "plain.txt").write_text("no program")
    wrong = {
        "no-such-program-anywhere": "does not exist",
        str(tmp_path / "absent"): "does not exist",
        str(tmp_path / "plain.txt"): "is not executable",
        "./relative": "must be absolute",
        "nul\0": "must not contain NUL",
        "": "is missing",
    }
    for command, words in wrong.items():
        status, code, message = error_of(calls.try_create(localAgent={"command": [command]}))
        assert (status, code) == (400, "validation_error")
        assert words in message
        assert command.strip("nul\0") in message


@pytest.mark.parametrize("script", ['{"a": 1}', '[{"fly": 1}]', "[1]", "nonsense"])
def test_a_script_that_is_none_is_refused(calls, script):
    answer = calls.try_create(f"scripted-runner: {script}", localAgent={"runner": "scripted"})

    assert error_of(answer)[:2] == (400, "validation_error")


def test_a_script_may_lie_in_a_file(calls, tmp_path):
    (tmp_path / "script.json").write_text('[{"print": "from a file"}]')
    agent = {"runner": "scripted", "command": [str(tmp_path / "script.json")]}

    assert calls.end(calls.create(localAgent=agent))["result"] == "from a file"
    missing = {"runner": "scripted", "command": [str(tmp_path / "absent.json")]}
    assert calls.try_create(localAgent=missing).status_code == 400
    assert calls.try_create(localAgent={"runner": "scripted"}).status_code == 400


@pytest.mark.parametrize("via", ["stdin", "file"])
def test_the_prompt_reaches_the_program(calls, via):
    prompt = 'ä prompt\nscripted-runner: [{"print": "{prompt}"}]'
    agent = {"runner": "scripted", "promptVia": via}

    assert calls.end(calls.create(prompt, localAgent=agent))["result"] == prompt


def test_any_program_is_an_agent(calls, tmp_path):
    command = program(tmp_path, "import sys; print(sys.argv[1], sys.stdin.read())")

    run = calls.end(calls.create("the prompt", localAgent={"command": [*command, "an argument; $HOME"]}))

    assert (run["status"], run["result"]) == ("FINISHED", "an argument; $HOME the prompt\n")


def test_exit_status_and_last_words_are_told(calls):
    run = calls.end(calls.create_scripted([{"log": "no such model"}, {"exit": 3}]))

    assert run["error"] == {
        "code": "agent_exit",
        "message": "the agent program ended with exit status 3: no such model",
    }


def test_a_signal_is_told(calls):
    run = calls.end(calls.create_scripted([{"signal": 9}]))

    assert run["error"] == {"code": "agent_exit", "message": "the agent program ended with signal SIGKILL"}


def test_an_agent_beyond_its_time_is_ended(calls):
    run = calls.end(calls.create_scripted([{"waitFor": "/never"}], agent={"timeoutSec": 0.2}))

    assert (run["status"], run["error"]["code"]) == ("ERROR", "timeout")


def test_an_agent_that_says_nothing_has_an_empty_reply(calls):
    run = calls.end(calls.create_scripted([]))

    assert (run["status"], run["result"]) == ("FINISHED", "")


def test_bytes_that_are_no_text_are_replaced(calls):
    created = calls.create_scripted([{"printBytes": "61ff62c3"}, {"print": "!"}, {"printBytes": "c3"}])

    frames = calls.frames(created)

    assert calls.run(created)["result"] == "a\ufffdb\ufffd!\ufffd"
    assert text_of(frames, "assistant") == "a\ufffdb\ufffd!\ufffd"


def test_of_a_very_long_reply_the_end_is_kept(calls):
    created = calls.create_scripted([{"repeat": {"text": "ä", "times": REPLY_LIMIT}}, {"print": "the end"}])

    frames = calls.frames(created)

    result = calls.run(created)["result"]
    assert result == "ä" * ((REPLY_LIMIT - 7) // 2) + "the end"
    assert text_of(frames, "assistant") == "ä" * REPLY_LIMIT + "the end"


def test_a_character_that_comes_in_two_pieces_is_one(calls, tmp_path):
    seen, go = tmp_path / "seen", tmp_path / "go"
    script = [{"printBytes": "61c3"}, {"touch": str(seen)}, {"waitFor": str(go)}, {"printBytes": "a4"}]
    created = calls.create_scripted(script)

    stream = calls.stream(created)
    texts = []
    for frame in stream:
        if frame.event == "assistant":
            texts.append(frame.data["text"])
            go.touch()

    assert texts == ["a", "ä"]


def test_activity_comes_in_whole_lines_while_the_agent_works(calls, tmp_path):
    go = tmp_path / "go"
    created = calls.create_scripted([{"log": "reading"}, {"waitFor": str(go)}, {"log": "writing"}])

    lines = []
    for frame in calls.stream(created):
        if frame.event == "thinking":
            lines.append(frame.data["text"])
            go.touch()

    assert lines == ["reading\n", "writing\n"]


def test_a_cut_stream_goes_on_after_each_of_its_frames(calls):
    created = calls.create_scripted([{"log": "one"}, {"print": "two"}, {"log": "three"}, {"print": "four"}])
    whole = calls.frames(created)

    for number, frame in enumerate(whole):
        assert calls.frames(created, after=frame.id) == whole[number + 1 :]


def test_a_stream_that_was_cut_in_mid_run_loses_and_doubles_nothing(calls, tmp_path):
    go = tmp_path / "go"
    created = calls.create_scripted([{"print": "first "}, {"waitFor": str(go)}, {"print": "second"}])
    seen = []
    for frame in calls.stream(created):
        seen.append(frame)
        if frame.event == "assistant":
            break
    go.touch()

    rest = calls.frames(created, after=seen[-1].id)

    assert text_of([*seen, *rest], "assistant") == "first second"
    assert [frame.event for frame in rest][-2:] == ["result", "done"]


def test_frames_have_rising_ids(calls):
    frames = calls.frames(calls.create_scripted([{"log": "one"}, {"print": "two"}]))

    ids = [tuple(map(int, frame.id.split("."))) for frame in frames]
    assert ids == sorted(set(ids))


@pytest.mark.parametrize("last", ["x", "1.2", "0.0.9", "999.0.2", "0.999.2", "-1.0.0", "1" * 30 + ".0.0"])
def test_an_id_that_is_none_of_the_runs_is_told(calls, last):
    created = calls.create_scripted([])
    calls.end(created)

    (frame,) = calls.frames(created, after=last)

    assert (frame.event, frame.data["code"]) == ("error", "invalid_last_event_id")


def test_many_watch_one_run(calls, server, tmp_path):
    go = tmp_path / "go"
    created = calls.create_scripted([{"print": "a"}, {"waitFor": str(go)}, {"print": "b"}])
    others = [ServerCalls(server) for _ in range(5)]
    streams = [other.stream(created) for other in others]
    firsts = [next(stream) for stream in streams]
    go.touch()

    for first, stream in zip(firsts, streams, strict=True):
        assert text_of([first, *stream], "assistant") == "ab"
    for other in others:
        other.http.close()


def test_an_agent_sees_what_is_listed_and_nothing_else(tmp_path):
    own = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "LC_ALL": "C", "CURSOR_API_KEY": "secret", "OTHER": "x"}
    passed = base64.b64encode(json.dumps({"MODEL_KEY": "passed", "UNASKED": "y"}).encode()).decode()
    with running_server(tmp_path / "state", environment=own) as server, ServerCalls(server) as calls:
        created = calls.create_scripted(
            [{"saveEnvironment": str(tmp_path / "environment.json")}],
            name="root/task",
            agent={"passEnv": ["MODEL_KEY", "ABSENT"]},
            runEnvVars={"FOR_THIS_RUN": "z"},
            model={"id": "large"},
            metadata={"orchestrateTask": "task", "orchestrateDepth": "2"},
            headers={"X-Orchestrate-Pass-Env": passed},
        )
        calls.end(created)

    seen = json.loads((tmp_path / "environment.json").read_text())
    folder = tmp_path / "state" / "agents" / created.agent["id"]
    assert seen == {
        "PATH": "/usr/bin:/bin",
        "HOME": str(tmp_path),
        "LC_ALL": "C",
        "MODEL_KEY": "passed",
        "FOR_THIS_RUN": "z",
        "ORCHESTRATE_AGENT_ID": created.agent["id"],
        "ORCHESTRATE_AGENT_NAME": "root/task",
        "ORCHESTRATE_TASK": "task",
        "ORCHESTRATE_AGENT_DEPTH": "2",
        "ORCHESTRATE_MODEL": "large",
        "GIT_CEILING_DIRECTORIES": str(folder),
        "ORCHESTRATE_ARTIFACTS_DIR": str(folder / "artifacts"),
        "ORCHESTRATE_USAGE_FILE": str(folder / created.run["id"] / "usage.json"),
    } | {name: value for name, value in seen.items() if name == "LC_CTYPE"}
    kept = b"".join(path.read_bytes() for path in (tmp_path / "state").rglob("*") if path.is_file())
    assert b"passed" not in kept.replace(b'"passed":"MODEL_KEY"', b"")


def test_agents_commit_with_an_identity_even_where_the_user_has_none(tmp_path, remote):
    own = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    with running_server(tmp_path / "state", environment=own) as server, ServerCalls(server) as calls:
        branch = branch_of(calls.end(calls.create_scripted([WRITE, {"commit": "add"}], repos=repos(remote))))

    assert git("log", "-1", "--format=%an", branch, at=remote.path) == "Orchestrate agent\n"


def test_agents_commit_as_the_user_where_there_is_one(tmp_path, remote):
    (tmp_path / ".gitconfig").write_text("[user]\nname = Someone\nemail = someone@example.com\n")
    own = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    with running_server(tmp_path / "state", environment=own) as server, ServerCalls(server) as calls:
        branch = branch_of(calls.end(calls.create_scripted([WRITE, {"commit": "add"}], repos=repos(remote))))

    assert git("log", "-1", "--format=%an %ae", branch, at=remote.path) == "Someone someone@example.com\n"


def test_what_an_agent_leaves_running_is_ended_with_it(calls, tmp_path):
    mark = str(tmp_path / "mark")
    loop = f"import time, pathlib\nwhile True:\n    pathlib.Path({mark!r}).touch(); time.sleep(0.01)"
    leave = [{"spawn": [sys.executable, "-c", loop]}, {"spawn": ["setsid", sys.executable, "-c", loop]}]

    run = calls.end(calls.create_scripted([*leave, {"waitFor": mark}]))

    assert run["status"] == "FINISHED"
    assert processes_with(mark) == []


def test_a_cancel_ends_the_whole_group_however_stubborn(calls, tmp_path):
    mark = str(tmp_path / "mark")
    ready = tmp_path / "ready"
    child = [{"ignoreTerm": True}, {"spawn": ["sh", "-c", f"trap '' TERM; touch {mark}; sleep 3600; : {mark}"]}]
    created = calls.create_scripted([*child, {"waitFor": mark}, {"touch": str(ready)}, {"waitFor": "/never"}])
    wait_until(ready.exists, what="the agent")

    assert calls.cancel(created).status_code == 200
    assert calls.cancel(created).status_code == 200

    assert calls.end(created)["status"] == "CANCELLED"
    assert processes_with(mark) == []


def test_a_cancel_right_after_the_create_ends_the_agent_whatever_it_is_at(calls, remote, tmp_path):
    never = str(tmp_path / "never")
    created = [calls.create_scripted([{"waitFor": never}], repos=repos(remote)) for _ in range(8)]

    for each in created:
        assert calls.cancel(each).status_code == 200

    assert {calls.end(each)["status"] for each in created} == {"CANCELLED"}
    assert processes_with(never) == []


def test_a_program_that_ends_well_after_its_cancel_is_still_cancelled(calls, tmp_path):
    ready = tmp_path / "ready"
    created = calls.create_scripted([{"print": "half"}, {"touch": str(ready)}, {"waitFor": "/never"}])
    wait_until(ready.exists, what="the agent")

    calls.cancel(created)

    run = calls.end(created)
    assert (run["status"], run["result"]) == ("CANCELLED", "half")
    assert "error" not in run


def processes_with(word: str) -> list[str]:
    """Command lines of living processes that contain the word."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes()
        except OSError:
            continue
        if word.encode() in line:
            found.append(line.replace(b"\0", b" ").decode(errors="replace"))
    return found


def test_an_end_that_the_agent_wrote_down_itself_does_not_end_its_run(calls, tmp_path):
    source = """
import os, pathlib, time
folder = pathlib.Path(os.environ["ORCHESTRATE_USAGE_FILE"]).parent
(folder / "exit.json").write_text('{"reason": "exited", "exitStatus": 0}')
time.sleep(0.3)
print("still here")
raise SystemExit(3)
"""
    run = calls.end(calls.create(localAgent={"command": program(tmp_path, source)}))

    assert (run["status"], run["error"]["code"]) == ("ERROR", "agent_exit")


def test_an_agent_that_puts_a_pipe_in_the_place_of_its_reply_stops_nobody(calls, tmp_path):
    source = """
import os, pathlib
folder = pathlib.Path(os.environ["ORCHESTRATE_USAGE_FILE"]).parent
for name in ("stdout", "stderr"):
    (folder / name).unlink()
    os.mkfifo(folder / name)
"""
    run = calls.end(calls.create(localAgent={"command": program(tmp_path, source)}))

    assert (run["status"], run.get("result", "")) == ("FINISHED", "")
