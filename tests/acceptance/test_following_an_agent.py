"""``inspect`` and ``tail`` beside a running engine, with a real agent on the local server."""

import json

from tests.support.runs import machine, project, task

__all__ = ["machine", "project"]


def a_run(project):
    project.agent(
        "long",
        f"""printf 'looking \\033[2J around ghp_{"a" * 36}\\n' >&2; {project.make_gate("go")}; handoff success '(none)'""",
    )
    project.write_plan(task("long"))
    engine = project.start()
    project.wait_until_works("long")
    return engine


def test_a_sample_is_safe_to_print_and_leaves_the_agent_alone(project):
    engine = a_run(project)
    told = project.command("inspect", str(project.workspace), "long").end()
    assert told.code == 0, told.said
    assert "looking \\x1b[2J around" in told.out
    assert "\x1b" not in told.out
    assert "ghp_" not in told.out
    found = project.command("inspect", str(project.workspace), "long", "--json", "--seconds", "1").end().json()
    assert (found["ok"], found["status"], found["last"]["kind"]) == (True, "running", "thinking")
    assert project.is_at_work("long")
    project.open_gate("go")
    assert engine.end().code == 0
    over = project.command("inspect", str(project.workspace), "long").end()
    assert (over.code, "orchestrate handoff" in over.out) == (0, True)


def test_tail_follows_to_the_end_and_names_the_handoff(project):
    engine = a_run(project)
    tail = project.command("tail", str(project.workspace), "long", "--json-lines")
    first = json.loads(tail.process.stdout.readline())
    assert (first["event"], first["text"].startswith("looking")) == ("thinking", True)
    project.open_gate("go")
    assert engine.end().code == 0
    done = tail.end()
    lines = [json.loads(line) for line in done.out.splitlines()]
    assert done.code == 0, done.said
    assert (lines[-1]["event"], lines[-1]["status"]) == ("end", "finished")
    assert "orchestrate handoff" in lines[-1]["message"]
    again = project.command("tail", str(project.workspace), "long").end()
    assert (again.code, "does not run any more: handed-off" in again.out) == (0, True)


def test_a_task_that_was_never_launched_has_nothing_to_look_at(project):
    project.write_plan(task("long"))
    told = project.command("tail", str(project.workspace), "long").end()
    assert told.code != 0
    assert "has no run that could be looked at" in told.said
    assert "there is no task" in project.command("inspect", str(project.workspace), "lnog").end().said
