"""``spawn`` with real agents: beside a running engine, and before the next one."""

from tests.support.runs import machine, project, task

__all__ = ["machine", "project"]

DONE = "handoff success '(none)'"


def test_beside_a_running_engine_the_task_starts_at_once_and_can_be_waited_for(project):
    project.agent("long", project.make_gate("long") + f"; {DONE}")
    project.agent("extra", DONE)
    project.write_plan(task("long"))
    engine = project.start("--max-concurrent", "4")
    project.wait_until_works("long")
    told = project.command(
        "spawn", str(project.workspace), "--name", "extra", "--goal", "more is done", "--wait", "--json"
    ).end()
    assert told.code == 0, told.said
    assert (told.json()["task"], told.json()["ready"]) == ("extra", ["extra"])
    assert "more is done" in project.prompt("extra")
    project.open_gate("long")
    assert engine.end().code == 0
    assert project.statuses() == {"long": "handed-off", "extra": "handed-off"}


def test_without_an_engine_the_next_run_takes_it_up(project):
    project.agent("extra", DONE)
    project.write_plan(task("one"))
    assert project.run().code == 0
    told = project.command(
        "spawn", str(project.workspace), "--name", "extra", "--goal", "more", "--depends-on", "one"
    ).end()
    assert told.code == 0, told.said
    assert project.run().code == 0
    assert project.statuses() == {"one": "handed-off", "extra": "handed-off"}
    assert project.launches("extra") == 1
