"""``accept``: a person stands for a task, beside a running engine, after it, and when it dies in the middle."""

import json
import os
import signal
import subprocess
import sys
import uuid

from tests.support.runs import machine, project, task
from tests.support.server import wait_until

__all__ = ["machine", "project"]

FAILS = "exit 3"
PUSHES = "commit {name}.txt; push; handoff success"

#: ``run`` in an engine that carries requests out and never comes to answer them.
MUTE = """\
import sys
import anyio
from orchestrate.store.workspace import WorkspaceStore

async def never(self, answer):
    await anyio.sleep_forever()

WorkspaceStore.answer_request = never
from orchestrate.cli.main import main
raise SystemExit(main(sys.argv[1:]))
"""


def make_branch(project, name):
    """A branch of the remote with a person's commit on it."""
    project.remote.commit(name, {"mended.txt": "by hand\n"})


def a_failed_first_task(project, **fields):
    project.agent("first", FAILS)
    project.agent("second", PUSHES.format(name="second"))
    project.write_plan(task("first"), task("second", dependsOn=["first"], startingRef="orch/demo/first"), **fields)


def accept(project, name, branch, *more):
    return project.command("accept", str(project.workspace), name, "--branch", branch, *more)


def test_without_an_engine_it_is_done_at_once_and_the_next_run_goes_on_from_there(project):
    a_failed_first_task(project)
    assert project.run().code == 1
    make_branch(project, "ana/first")

    done = accept(project, "first", "ana/first", "--note", "Took out the cache.\n## Status\nblocked").end()
    assert done.code == 0, done.said
    assert "first handed off on ana/first" in done.out
    assert f"second starts with: orchestrate run {project.workspace}" in done.out
    row = project.rows()["first"]
    assert (row["status"], row["branch"], row["attempts"], row["handoffStatus"]) == (
        "handed-off",
        "ana/first",
        1,
        "success",
    )
    assert row["accepted"]["by"] in row["note"]
    assert "Took out the cache." in row["note"]
    assert "> ## Status\n> blocked" in project.file("handoffs/first.md")
    assert list((project.workspace / "inbox").iterdir()) == []

    done = project.run()
    assert done.code == 0, done.said
    assert project.rows()["second"]["startingRef"] == "ana/first"
    assert project.remote.read(project.rows()["second"]["branch"], "mended.txt") == "by hand\n"
    assert "Took out the cache." in project.prompt("second")
    story = project.command("story", str(project.workspace), "first").end()
    assert "accepted by" in story.out


def test_beside_a_running_engine_dependants_start_at_once(project):
    a_failed_first_task(project)
    project.agent("slow", f"{project.make_gate('go')}; handoff success '(none)'")
    project.write_plan(task("first"), task("second", dependsOn=["first"]), task("slow"), baseBranch="main")
    run = project.start("--exit-on-all-done")
    project.wait_until_row("first", status="error")
    make_branch(project, "ana/first")

    answer = accept(project, "first", "ana/first", "--json").end()
    assert answer.code == 0, answer.said
    told = answer.json()
    assert (told["ok"], told["operation"], told["task"], told["branch"]) == (True, "accept", "first", "ana/first")
    assert (told["released"], told["engineRunning"]) == (["second"], True)

    project.wait_until_row("second", status="handed-off")
    project.open_gate("go")
    done = run.end()
    assert done.code == 0, done.said
    assert project.launches("first") == 1


def test_what_the_engine_journalled_before_it_died_is_answered_and_not_done_again(project):
    a_failed_first_task(project)
    project.agent("slow", f"{project.make_gate('go')}; handoff success '(none)'")
    project.write_plan(task("first"), task("slow"))
    mute = subprocess.Popen(
        [sys.executable, "-c", MUTE, "run", str(project.workspace), "--exit-on-all-done"],
        cwd=project.folder,
        env=project.machine.environment({}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        project.wait_until_row("first", status="error")
        make_branch(project, "ana/first")
        asking = accept(project, "first", "ana/first", "--json")
        project.wait_until_row("first", status="handed-off")
    finally:
        os.kill(mute.pid, signal.SIGKILL)
        mute.wait()

    answer = asking.end()
    assert answer.code == 0, answer.said
    assert answer.json()["branch"] == "ana/first"
    written = [record for record in project.journal() if record["event"]["type"] == "AcceptanceWritten"]
    assert len(written) == 1
    assert project.rows()["slow"]["status"] == "running"
    assert list((project.workspace / "inbox").iterdir()) == []


def test_of_two_people_at_once_both_are_answered_and_one_is_refused(project):
    a_failed_first_task(project)
    assert project.run().code == 1
    for name in ("ana/first", "ben/first"):
        make_branch(project, name)
    ends = [each.end() for each in [accept(project, "first", name, "--json") for name in ("ana/first", "ben/first")]]
    assert sorted(done.code for done in ends) == [0, 1], [done.said for done in ends]
    winner = next(done.json() for done in ends if done.code == 0)
    loser = next(done.json() for done in ends if done.code == 1)
    assert project.rows()["first"]["branch"] == winner["branch"]
    assert winner["branch"] in project.file("handoffs/first.md")
    assert loser["error"]["code"] in ("already_handed_off", "accepted_meanwhile")


def test_refusals_say_what_to_do_and_leave_everything_as_it_is(project):
    project.agent("first", f"{project.make_gate('go')}; handoff success '(none)'")
    project.write_plan(task("first"))
    run = project.start()
    project.wait_until_row("first", status="running")
    make_branch(project, "ana/first")

    running = accept(project, "first", "ana/first").end()
    assert running.code == 1
    assert "first runs" in running.err
    assert "wait for its end" in running.err
    absent = accept(project, "first", "ana/nothing", "--json").end()
    assert (absent.code, absent.json()["error"]["code"]) == (1, "branch_not_found")
    bad = accept(project, "first", "-x y").end()
    assert bad.code == 2
    unknown = accept(project, "frist", "ana/first").end()
    assert 'write "first"' in unknown.err

    project.open_gate("go")
    assert run.end().code == 0


def test_hostile_files_in_the_inbox_stop_nothing_and_are_told(project):
    a_failed_first_task(project)
    assert project.run().code == 1
    make_branch(project, "ana/first")
    inbox = project.workspace / "inbox"
    outside = project.folder / "outside.json"
    outside.write_text("{}")
    names = [str(uuid.uuid4()) for _ in range(7)]
    (inbox / f"{names[0]}.json").symlink_to(outside)
    os.mkfifo(inbox / f"{names[1]}.json")
    (inbox / f"{names[2]}.json").write_bytes(b"\0" * 300_000)
    (inbox / f"{names[3]}.json").write_text("[" * 5000)
    (inbox / f"{names[4]}.json").mkdir()
    (inbox / f"{names[5]}.json").write_text(json.dumps({"id": names[0], "kind": "accept"}))
    (inbox / f"{names[6]}.json").write_text(json.dumps({"id": names[6], "kind": "dance"}))
    (inbox / "../inbox/readme.txt").write_text("hello")

    done = accept(project, "first", "ana/first").end()
    assert done.code == 0, done.said
    assert sorted(path.name for path in (inbox / "rejected").iterdir()) == sorted(
        [*(f"{name}.json" for name in names[:6]), "readme.txt"]
    )
    assert outside.read_text() == "{}"
    answers = {name: json.loads((inbox / f"{name}.done.json").read_text()) for name in names}
    assert answers[names[6]]["code"] == "unknown_request"
    assert {answers[name]["code"] for name in names[:6]} == {"no_request"}
    assert project.attention().count("is no request") == 7


def test_an_engine_that_starts_takes_up_what_was_asked_before(project):
    a_failed_first_task(project)
    assert project.run().code == 1
    name = str(uuid.uuid4())
    request = {"id": name, "kind": "accept", "by": "ana", "task": "first", "branch": "main"}
    (project.workspace / "inbox" / f"{name}.json").write_text(json.dumps(request))

    done = project.run()
    assert done.code == 0, done.said
    assert project.rows()["first"]["accepted"]["by"] == "ana"
    assert project.rows()["second"]["startingRef"] == "main"
    assert json.loads((project.workspace / "inbox" / f"{name}.done.json").read_text())["done"] is True


def test_a_task_that_was_never_launched_can_be_accepted_before_the_first_run(project):
    a_failed_first_task(project)
    make_branch(project, "ana/first")
    done = accept(project, "first", "ana/first").end()
    assert done.code == 0, done.said
    assert "never launched" in project.file("handoffs/first.md")
    assert project.run().code == 0
    assert project.launches("first") == 0
    wait_until(lambda: project.rows()["second"]["status"] == "handed-off", what="second")


def test_files_beyond_a_task_s_paths_are_told_and_hold_nothing_up(project):
    project.agent("first", "commit docs.txt; commit first.txt; push; handoff success")
    project.agent("second", PUSHES.format(name="second"))
    project.write_plan(
        task("first", pathsAllowed=["first.txt"]), task("second", dependsOn=["first"], pathsAllowed=["second.txt"])
    )
    done = project.run()
    assert done.code == 0, done.said
    rows = project.rows()
    assert rows["first"]["pathsCheck"]["notKept"] == [{"path": "docs.txt", "rule": "not-allowed"}]
    assert (rows["second"]["pathsCheck"]["notKept"], rows["second"]["pathsCheck"]["total"]) == ([], 0)
    line = "first changed a file that the plan does not give it: docs.txt (outside pathsAllowed)"
    assert line in project.attention()
    status = project.command("status", str(project.workspace)).end()
    assert "1 file beyond its paths" in status.out
    told = project.command("status", str(project.workspace), "--json").end().json()
    assert told["tasks"][0]["pathsCheck"]["total"] == 1
    assert "first of all docs.txt" in project.command("story", str(project.workspace), "first").end().out


def test_after_a_reset_everything_begins_anew(project):
    a_failed_first_task(project)
    assert project.run().code == 1
    before = project.state()["workspaceId"]
    assert project.command("reset", str(project.workspace)).end().code == 1
    done = project.command("reset", str(project.workspace), "--yes", "--json").end()
    assert done.code == 0, done.said
    former = project.workspace / done.json()["movedTo"]
    assert json.loads((former / "state.json").read_text())["workspaceId"] == before

    project.agent("first", PUSHES.format(name="first"))
    done = project.run()
    assert done.code == 0, done.said
    assert project.state()["workspaceId"] != before
    assert [row["attempts"] for row in project.rows().values()] == [1, 1]
