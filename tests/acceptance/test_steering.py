"""``steer`` with real agents and a real server: beside a running engine, and for a task that has handed off."""

from tests.support.runs import machine, project, task

__all__ = ["machine", "project"]


def test_a_message_reaches_the_agent_once_its_run_has_ended_and_dependants_wait(project):
    first, second = project.make_gate("first"), "handoff success '(none)'"
    project.agent("a", f"if [ -e told ]; then {second}; else touch told; {first}; {second}; fi")
    project.agent("b", second)
    project.write_plan(task("a"), task("b", dependsOn=["a"]))
    engine = project.start()
    project.wait_until_works("a")
    told = project.command("steer", str(project.workspace), "a", "--message", "Keep the old flag.", "--json").end()
    assert told.code == 0, told.said
    assert (told.json()["outcome"], told.json()["engineRunning"]) == ("revert_to_followup", True)
    project.open_gate("first")
    assert engine.end().code == 0
    row = project.rows()["a"]
    assert [run["message"] for run in row["runs"]] == [told.json()["messageId"]]
    assert row["runId"] == row["runs"][0]["id"]
    assert (row["attempts"], row.get("queue")) == (1, None)
    assert (project.workspace / "handoffs" / "attempts" / "a.1.md").exists()
    assert (project.workspace / "handoffs" / "attempts" / "a.1.follow-up-1.md").exists()
    assert project.rows()["b"]["startedAt"] >= row["finishedAt"]


def test_a_task_that_has_handed_off_runs_again_with_the_next_engine(project):
    project.agent("a", "handoff success '(none)'")
    project.write_plan(task("a"))
    assert project.run().code == 0
    told = project.command("steer", str(project.workspace), "a", "--message", "One more thing.").end()
    assert told.code == 0, told.said
    assert "No engine runs" in told.out
    assert project.run().code == 0
    assert len(project.rows()["a"]["runs"]) == 1
    assert project.statuses() == {"a": "handed-off"}
