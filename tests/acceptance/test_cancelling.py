"""``cancel`` with real agents: beside a running engine, and after it was killed."""

import signal

from tests.support.runs import machine, project, task
from tests.support.server import wait_until

__all__ = ["machine", "project"]


def a_run_with_an_agent_at_work(project, *tasks):
    project.agent("long", project.make_gate("never"))
    project.write_plan(task("long"), *tasks)
    engine = project.start()
    project.wait_until_works("long")
    return engine


def test_beside_a_running_engine_the_agent_ends_and_the_row_says_who_wanted_it(project):
    engine = a_run_with_an_agent_at_work(project, task("next", dependsOn=["long"]))
    told = project.command("cancel", str(project.workspace), "long", "--json").end()
    assert told.code == 0, told.said
    assert (told.json()["status"], told.json()["confirmed"]) == ("cancelled", True)
    wait_until(lambda: not project.is_at_work("long"), what="the agent to end")
    assert engine.end().code == 1
    row = project.rows()["long"]
    assert (row["status"], row.get("cancel"), row["attempts"]) == ("cancelled", None, 1)
    assert row["note"].startswith(f"cancelled by {told.json()['by']} at ")
    assert project.statuses()["next"] == "pending"
    story = project.command("story", str(project.workspace), "long").end()
    assert "asked for its cancel" in story.out


def test_after_the_engine_was_killed_the_command_itself_sees_to_it(project):
    engine = a_run_with_an_agent_at_work(project)
    engine.send(signal.SIGKILL)
    engine.end()
    assert project.is_at_work("long")
    told = project.command("cancel", str(project.workspace), "long").end()
    assert told.code == 0, told.said
    assert told.out.startswith("long is cancelled: cancelled by ")
    assert not project.is_at_work("long")
    assert project.statuses() == {"long": "cancelled"}


def test_a_tombstone_stops_a_run_and_keeps_it_from_beginning_again(project):
    engine = a_run_with_an_agent_at_work(project, task("next", dependsOn=["long"]))
    (project.workspace / "stop.json").write_text('{"id": "s1", "by": "ana", "at": "2026-03-04T14:31:36.123Z"}')
    assert engine.end().code == 1
    assert not project.is_at_work("long")
    assert project.statuses() == {"long": "cancelled", "next": "pending"}
    again = project.run()
    assert again.code == 2
    assert "ana stopped this run" in again.err
    assert project.run("--dry-run").code == 2
    project.agent("long", "handoff success '(none)'")
    told = project.command("respawn", str(project.workspace), "long").end()
    assert told.out.splitlines()[0] == "long waits for try 2, starting from main"
    assert project.run().code == 0
    assert project.launches("long") == 2
