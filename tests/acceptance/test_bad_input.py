"""Bad input that a table cannot show: what a run does with what it finds, and that nothing of it is lost.

All that is told word for word stands in the tables of ``bad_input``.
"""

import json
import os
import socket
from pathlib import Path

import pytest

from tests.support.runs import SLUG, Done, Project, machine, project, task
from tests.support.server import wait_until

__all__ = ["machine", "project"]

pytestmark = pytest.mark.slow


def finished(project: Project) -> Project:
    """A workspace whose run is over."""
    project.write_plan(task("one"), task("two", dependsOn=["one"]))
    done = project.run()
    assert done.code == 0, done.said
    return project


def agent(project: Project, command: str) -> Done:
    """A run with this ``--agent-command``."""
    project.write_plan(task("only"), runtime=None)
    return project.run("--runtime", "local", "--agent-command", command)


# the agent program


def test_a_command_is_split_as_a_shell_would(project: Project) -> None:
    program = project.folder / "my agent.sh"
    program.write_text('#!/bin/sh\nfor word in "$@"; do echo "$word" >> "$0.words"; done; echo done\n')
    program.chmod(0o755)

    done = agent(project, """'./my agent.sh' one "two  words" thr\\ ee '$HOME; `id` *' ''""")

    assert done.code == 0, done.said
    words = (project.folder / "my agent.sh.words").read_text()
    assert words == "one\ntwo  words\nthr ee\n$HOME; `id` *\n\n"


def test_a_program_on_the_path_is_found(project: Project) -> None:
    (project.folder / "bin").mkdir()
    program = project.folder / "bin" / "agent-for-this-test"
    program.write_text("#!/bin/sh\necho done\n")
    program.chmod(0o755)
    project.write_plan(task("only"), runtime={"kind": "local", "agent": {"command": ["agent-for-this-test"]}})

    done = project.run(environment={"PATH": f"{project.folder / 'bin'}:{os.environ['PATH']}"})

    assert done.code == 0, done.said


@pytest.mark.parametrize("command", [["bin/agent"], ["./bin/agent"], ["python3", "-u", "bin/agent.py", "bin/agent.py"]])
def test_paths_of_the_plans_command_are_relative_to_the_plan(project: Project, command) -> None:
    (project.workspace / "bin").mkdir()
    (project.workspace / "bin" / "agent").write_text("#!/bin/sh\necho done\n")
    (project.workspace / "bin" / "agent").chmod(0o755)
    (project.workspace / "bin" / "agent.py").write_text("print('done')\n")
    project.write_plan(task("only"), runtime={"kind": "local", "agent": {"command": command}})

    done = project.run(at=project.machine.home)

    assert done.code == 0, done.said


def test_a_program_that_is_no_program(project: Project) -> None:
    program = project.folder / "agent"
    program.write_bytes(b"\x7fELF nonsense")
    program.chmod(0o755)

    done = agent(project, "./agent")

    row = project.rows()["only"]
    assert (done.code, row["status"]) == (1, "error"), done.said
    assert row["note"]
    assert "Traceback" not in done.err


# the workspace


def test_the_state_of_another_tool_resumes(project: Project) -> None:
    project.write_plan(task("one"), task("two", dependsOn=["one"]))
    row = {
        "name": "one",
        "type": "worker",
        "branch": "main",
        "startingRef": "main",
        "dependsOn": [],
        "agentId": "bc-1",
        "runId": "run-1",
        "parentAgentId": None,
        "status": "handed-off",
        "resultStatus": "finished",
        "handoffPath": "handoffs/one.md",
        "startedAt": None,
        "finishedAt": None,
        "lastUpdate": None,
        "note": None,
    }
    state = {"rootSlug": SLUG, "tasks": [{**row, "trackerRef": "X-1"}], "theirs": {"kept": True}}
    (project.workspace / "state.json").write_text(json.dumps(state))
    (project.workspace / "handoffs").mkdir()
    (project.workspace / "handoffs" / "one.md").write_text("## Status\nsuccess\n\n## What I did\nall of it\n")

    done = project.run()

    assert done.code == 0, done.said
    assert (project.launches("one"), project.launches("two")) == (0, 1)
    assert "all of it" in project.prompt("two")
    assert project.state()["theirs"] == {"kept": True}
    assert "trackerRef" not in project.rows()["one"]


def test_a_torn_end_of_the_journal_is_repaired_and_told(project: Project) -> None:
    finished(project)
    whole = (project.workspace / "journal.jsonl").read_bytes()
    (project.workspace / "journal.jsonl").write_bytes(whole + b'{"seq": 99, "half a rec')

    done = project.run()

    assert done.code == 0, done.said
    assert (project.workspace / "journal.jsonl").read_bytes().startswith(whole)
    assert "half a rec" not in project.file("journal.jsonl")
    assert "torn" in project.attention()
    assert project.launches("one") == 1


def test_a_state_that_is_gone_is_rebuilt_from_the_journal(project: Project) -> None:
    before = finished(project).rows()
    (project.workspace / "state.json").unlink()

    done = project.run()

    assert done.code == 0, done.said
    assert project.rows() == before
    assert "state.json was missing and was rebuilt from journal.jsonl" in project.attention()


def test_a_symlink_in_the_place_of_the_attention_log_is_not_written_through(project: Project) -> None:
    project.write_plan(task("one"))
    outside = project.folder / "outside"
    outside.write_bytes(b"mine")
    (project.workspace / "attention.log").symlink_to(outside)

    done = project.run()

    assert done.code == 0, done.said
    assert outside.read_bytes() == b"mine"
    assert project.state()["attention"]


@pytest.mark.parametrize("blocks", [1, 9, 24])
def test_a_full_disk_ends_the_run_with_1_and_the_next_one_goes_on(project: Project, blocks) -> None:
    names = [f"t{number}" for number in range(6)]
    project.write_plan(*(task(name) for name in names))
    limited = ("/bin/sh", "-c", f'ulimit -f {blocks}; exec "$@"', "sh")

    done = project.run("--json", prefix=limited, environment={"PYTHONDONTWRITEBYTECODE": "1"})

    assert done.code == 1, done.said
    assert done.json()["exitCode"] == 1
    assert "Traceback" not in done.err
    after = project.run("--exit-on-all-done")
    assert after.code == 0, after.said
    assert [project.launches(name) for name in names] == [1] * 6


# the local server


def test_a_port_that_is_taken_meanwhile_is_done_without(project: Project) -> None:
    project.write_plan(task("one"))
    assert project.run().code == 0
    port = int((project.machine.server_folder / "port").read_text())
    pid = project.machine.server_pid
    project.machine.kill_server()
    wait_until(lambda: not Path(f"/proc/{pid}").exists(), what="the server's end")
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", port))
        taken.listen()
        project.write_plan(task("one"), task("two"))

        done = project.run()

    assert done.code == 0, done.said
    assert project.launches("two") == 1
