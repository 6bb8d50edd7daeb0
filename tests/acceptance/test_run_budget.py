"""A budget as a user meets it: costs that agents report, a run that only the budget holds, and a plan that allows more."""

import json

from tests.support.runs import Project, machine, project, task

__all__ = ["machine", "project"]

COSTS = """echo '{"cost": {"chargedCents": 40}}' > "$ORCHESTRATE_USAGE_FILE"; handoff success '(none)'"""


def write(project: Project, **limits: int) -> None:
    for name in ("one", "two"):
        project.agent(name, COSTS)
    project.write_plan(task("one"), task("two", dependsOn=["one"]), limits=limits)


def test_only_the_budget_holds_the_run_until_the_plan_allows_more(project: Project) -> None:
    write(project, budgetCents=60, reserveCents=50)

    held = project.run("--json")

    answer = held.json()
    assert (held.code, answer["ok"], answer["error"]["code"]) == (1, False, "limit_reached"), held.said
    assert "set limits.budgetCents in plan.json to 80 or more" in answer["error"]["recoveryAction"]
    assert answer["money"] == {"spentCents": 40.0, "reservedCents": 0.0, "agents": 1, "budgetCents": 60}
    assert project.statuses() == {"one": "handed-off", "two": "pending"}
    assert project.rows()["one"]["usage"]["cents"] == 40.0
    assert "To go on, set limits.budgetCents" in project.attention()
    status = project.command("status", str(project.workspace), "--json").end().json()
    assert status["money"]["spentCents"] == 40.0
    dry = project.run("--dry-run").out
    assert "budget $0.60: $0.40 spent, $0.00 set aside" in dry, dry

    write(project, budgetCents=80)
    done = project.run()

    assert done.code == 0, done.said
    assert project.state()["spent"] == {"cents": 80.0}
    assert project.launches("one") == 1


def test_a_plan_is_taken_in_while_it_runs(project: Project) -> None:
    project.agent("first", f"{project.make_gate('first')}; handoff success '(none)'")
    path = project.write_plan(task("first"))
    running = project.start()
    project.wait_until_works("first")
    document = json.loads(path.read_text())
    project.agent("second", "handoff success '(none)'")
    path.write_text('{"torn')
    project.wait_until_attention("plan.json was changed and is not taken in")
    lacking = task("second", startingRef="nowhere")
    path.write_text(json.dumps({**document, "tasks": [*document["tasks"], lacking]}))
    project.wait_until_attention('branch "nowhere", from which task second starts, is not on the remote')
    path.write_text(json.dumps({**document, "tasks": [*document["tasks"], task("second")]}))
    project.wait_until_works("second")
    project.open_gate("first")

    done = running.end()

    assert done.code == 0, done.said
    assert project.statuses() == {"first": "handed-off", "second": "handed-off"}
    assert project.attention().count("is not taken in") == 2
