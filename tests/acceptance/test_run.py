"""``orchestrate run`` from outside: exit codes, the one JSON object, reruns, and a plan that changes between runs."""

import json

import pytest

from tests.support.runs import Done, Project, machine, project, task

__all__ = ["machine", "project"]

pytestmark = pytest.mark.slow

KEYS_OF_AN_ERROR = {"code", "message", "retryable", "recoveryAction"}


def refusal(done: Done, code: int = 2) -> dict:
    """The error of a refused ``run --json``; its contract is checked on the way."""
    document = done.json()
    assert done.code == code, done.said
    assert (document["ok"], document["operation"], document["exitCode"]) == (False, "run", code)
    assert set(document["error"]) == KEYS_OF_AN_ERROR
    assert "Traceback" not in done.err
    return document["error"]


def test_a_plan_of_one_task_runs_to_exit_0(project: Project) -> None:
    project.agent("only", "commit one.txt; push; handoff success '' unit-test-verified")
    project.write_plan(task("only"))

    done = project.run()

    row = project.rows()["only"]
    assert done.code == 0, done.said
    assert done.out == ""
    assert done.err.startswith("runtime: local (the plan's runtime)\n")
    assert project.remote.read(row["branch"], "one.txt") == "text\n"
    assert project.state()["schemaVersion"] == 1
    assert project.rows()["only"]["parentAgentId"] is None


def test_json_of_a_good_run_is_one_object_on_stdout(project: Project) -> None:
    project.write_plan(task("one"), task("two", dependsOn=["one"]))

    done = project.run("--json")

    document = done.json()
    assert (done.code, document["ok"], document["exitCode"]) == (0, True, 0)
    assert "error" not in document
    assert document["counts"]["handed-off"] == 2
    assert [row["name"] for row in document["tasks"]] == ["one", "two"]
    assert document["workspaceId"] == project.state()["workspaceId"]
    assert "handed-off one" in done.err


def test_a_finished_plan_run_again_launches_nothing(project: Project) -> None:
    project.write_plan(task("one"), task("two", dependsOn=["one"]))
    project.run()
    before = project.rows()

    done = project.run()

    assert done.code == 0, done.said
    assert project.rows() == before
    assert (project.launches("one"), project.launches("two")) == (1, 1)


def test_the_first_error_returns_1_while_others_run_on(project: Project) -> None:
    project.agent("slow", f"{project.make_gate('go')}; handoff success '(none)'")
    project.agent("bad", f"{project.make_gate('fail')}; exit 5")
    project.write_plan(task("slow"), task("bad"), task("after", dependsOn=["bad"]), task("next", dependsOn=["slow"]))
    command = project.start("--json")
    project.wait_until_works("slow")
    project.open_gate("fail")

    done = command.end()

    assert done.code == 1, done.said
    assert project.statuses() == {"slow": "running", "bad": "error", "after": "pending", "next": "pending"}
    assert done.json()["error"]["code"] == "needs_planner"
    project.open_gate("go")
    again = project.run("--json")
    assert again.code == 1, again.said
    assert project.statuses() == {"slow": "handed-off", "bad": "error", "after": "pending", "next": "handed-off"}
    assert (project.launches("slow"), project.launches("bad")) == (1, 1)


def test_exit_on_all_done_goes_on_until_nothing_is_left(project: Project) -> None:
    project.agent("bad", "exit 5")
    project.agent("slow", f"{project.make_gate('go')}; handoff success '(none)'")
    project.write_plan(task("bad"), task("slow"), task("next", dependsOn=["slow"]), task("after", dependsOn=["bad"]))
    command = project.start("--exit-on-all-done")
    project.wait_until_row("bad", status="error")
    project.open_gate("go")

    done = command.end()

    assert done.code == 1, done.said
    assert project.statuses() == {"bad": "error", "slow": "handed-off", "next": "handed-off", "after": "pending"}
    assert "demo needs you   2 of 4 handed off · 1 waiting · 1 error" in done.err


def test_a_checkpoint_is_100_and_the_next_call_goes_on_without_a_second_agent(project: Project) -> None:
    project.agent("slow", f"{project.make_gate('go')}; handoff success '(none)'")
    project.write_plan(task("slow"), task("next", dependsOn=["slow"]))

    done = project.run("--max-runtime-sec", "0.3", "--json")

    assert (done.code, done.json()["ok"], done.json()["exitCode"]) == (100, True, 100), done.said
    command = project.start()
    project.open_gate("go")
    assert command.end().code == 0
    assert (project.launches("slow"), project.launches("next")) == (1, 1)
    assert project.rows()["slow"]["attempts"] == 1


def test_never_more_agents_than_allowed_run_at_once(project: Project) -> None:
    names = [f"t{number}" for number in range(5)]
    for name in names:
        project.agent(
            name,
            "mkdir $here/at-work/$ORCHESTRATE_TASK; ls $here/at-work | wc -l >> $here/most; sleep 0.1;"
            "rmdir $here/at-work/$ORCHESTRATE_TASK; handoff success '(none)'",
        )
    (project.folder / "at-work").mkdir()
    project.write_plan(*(task(name) for name in names), limits={"maxConcurrent": 5})

    done = project.run("--max-concurrent", "2")

    assert done.code == 0, done.said
    assert max(int(number) for number in (project.folder / "most").read_text().split()) <= 2


def test_two_hundred_tasks_run(project: Project) -> None:
    names = [f"task-{number}" for number in range(200)]
    edges = {name: names[max(0, place - 7) : place : 3] for place, name in enumerate(names)}
    project.write_plan(
        *(task(name, dependsOn=edges[name]) for name in names), runtime={"kind": "local", "agent": {"name": "null"}}
    )

    done = project.run("--json", "--max-concurrent", "50")

    assert done.code == 0, done.said
    assert done.json()["counts"]["handed-off"] == 200
    assert len(list((project.workspace / "handoffs" / "attempts").iterdir())) == 200


def test_a_task_added_between_runs_is_launched_and_one_taken_out_is_pruned(project: Project) -> None:
    project.agent("bad", "exit 1")
    project.write_plan(task("good"), task("bad", dependsOn=["good"]), task("later", dependsOn=["bad"]))
    assert project.run().code == 1

    project.write_plan(task("good"), task("added", dependsOn=["good"]), task("bad", dependsOn=["good"]))
    project.run()
    pruned = project.statuses()
    project.write_plan(task("good"), task("added"), task("bad"), task("later", dependsOn=["added"]))
    project.run()

    assert pruned == {"good": "handed-off", "added": "handed-off", "bad": "error", "later": "pruned"}
    assert project.statuses() == {"good": "handed-off", "added": "handed-off", "bad": "error", "later": "handed-off"}
    assert (project.launches("good"), project.launches("bad"), project.launches("later")) == (1, 1, 1)


def test_a_task_taken_out_while_it_runs_stays_running(project: Project) -> None:
    project.agent("slow", f"{project.make_gate('go')}; handoff success '(none)'")
    project.write_plan(task("slow"), task("other"))
    assert project.run("--max-runtime-sec", "1").code == 100
    project.write_plan(task("other"))
    command = project.start()
    project.open_gate("go")

    done = command.end()

    assert done.code == 0, done.said
    assert project.statuses()["slow"] == "handed-off"


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        (("--no-such-option",), "--no-such-option"),
        (("--max-concurrent", "0"), "from 1 on"),
        (("--max-concurrent", "3abc"), "3abc"),
        (("--max-runtime-sec", "nan"), "nan"),
        (("--max-runtime-sec", "-5"), "-5"),
        (("--max-runtime-sec",), "--max-runtime-sec"),
        (("--runtime", "moon"), "moon"),
        (("surplus",), "surplus"),
    ],
)
def test_a_call_that_cannot_be_read_is_2_with_one_object(project: Project, arguments, fragment) -> None:
    project.write_plan(task("only"))

    error = refusal(project.run("--json", *arguments))

    assert fragment in error["message"]
    assert not (project.workspace / "state.json").exists()


def test_a_refused_plan_is_2_with_every_fault(project: Project) -> None:
    project.write_plan(
        task("a", dependsOn=["b"]), task("b", dependsOn=["c"]), task("c", dependsOn=["a"]), task("d", verifies="a")
    )

    done = project.run("--json")
    for_people = project.run()

    assert refusal(done)["code"] == "plan_refused"
    assert len(done.json()["faults"]) == 2
    assert for_people.code == 2
    assert "a -> b -> c -> a" in for_people.err or "a -> c -> b -> a" in for_people.err
    assert for_people.err.splitlines()[-1] == "2 faults. Nothing was launched."


def test_without_a_runtime_the_call_fails_and_names_both_choices(project: Project) -> None:
    project.write_plan(task("only"), runtime=None, repoUrl="https://example.com/some/repo")

    done = project.run()

    assert done.code == 2
    assert done.err == (
        "error: no runtime chosen. Nothing was launched.\n"
        "  do     add `--runtime local`, or set CURSOR_API_KEY and add `--runtime cloud`\n"
    )


def test_a_missing_key_never_means_local(project: Project) -> None:
    project.write_plan(task("only"), runtime=None, repoUrl="https://example.com/some/repo")

    done = project.run("--runtime", "cloud", "--json")

    assert "CURSOR_API_KEY" in refusal(done)["message"]


def test_the_variable_chooses_the_runtime_and_the_flag_wins(project: Project) -> None:
    project.write_plan(task("only"), runtime=None)
    command = ("--agent-command", " ".join(project.agent_command))

    by_variable = project.run(*command, environment={"ORCHESTRATE_RUNTIME": "local"})
    by_flag = project.run(*command, "--runtime", "local", environment={"ORCHESTRATE_RUNTIME": "cloud"})
    wrong = project.run(*command, "--json", environment={"ORCHESTRATE_RUNTIME": "moon"})

    assert (by_variable.code, by_flag.code) == (0, 0), by_variable.said
    assert by_variable.err.startswith("runtime: local (ORCHESTRATE_RUNTIME)\n")
    assert by_flag.err.startswith("runtime: local (--runtime)\n")
    assert 'ORCHESTRATE_RUNTIME: unknown runtime "moon"' in refusal(wrong)["message"]


def test_what_a_plan_asks_for_and_nobody_does_is_told_once(project: Project) -> None:
    limits = {"budgetCents": 500, "maxAgents": 3, "maxDepth": 1}
    measured = [{"name": "lines", "command": "wc -l README.md"}]
    project.write_plan(task("only", measurements=measured, memoryMb=512), limits=limits)

    done = project.run()

    line = "attention: the plan has tasks[].memoryMb; this version does not act on it."
    assert done.code == 0
    assert done.err.count(line) == 1, done.err


def test_a_plan_that_is_said_to_be_the_root_and_names_another_one_is_told_of(project: Project) -> None:
    project.write_plan(task("one"), andonStateRef="orch-state/above")
    fragment = "attention: --root: the plan is no root plan"

    assert fragment in project.run("--root").err

    project.write_plan(task("one"))
    assert fragment not in project.run("--root").err


def test_own_templates_replace_the_shipped_ones(project: Project) -> None:
    templates = project.folder / "own templates"
    templates.mkdir()
    (templates / "worker.md.j2").write_text("Only this: {{ task.scoped_goal }}\n")
    project.write_plan(task("only", scopedGoal="sing {{ goal }} {% if %}"))

    done = project.run("--templates", "own templates")

    assert done.code == 0, done.said
    assert project.prompt("only") == "Only this: sing {{ goal }} {% if %}\n"


@pytest.mark.parametrize(
    ("name", "text", "fragment"),
    [
        ("worker.md.j2", "line\n{% if %}", "worker.md.j2:2"),
        ("_rules.md.j2", "{{ unclosed", "_rules.md.j2:1"),
        ("wroker.md.j2", "text", "holds no template"),
    ],
)
def test_a_broken_template_is_2_before_anything_is_launched(project: Project, name, text, fragment) -> None:
    templates = project.folder / "templates"
    templates.mkdir()
    (templates / name).write_text(text)
    project.write_plan(task("only"))

    error = refusal(project.run("--templates", str(templates), "--json"))

    assert fragment in error["message"]
    assert not (project.workspace / "state.json").exists()


def test_a_template_that_asks_for_an_unknown_value_is_refused_before_anything_is_written(project: Project) -> None:
    templates = project.folder / "templates"
    templates.mkdir()
    (templates / "worker.md.j2").write_text("{{ no_such_value }}")
    project.write_plan(task("only"))

    error = refusal(project.run("--templates", str(templates), "--json"))

    assert "no_such_value" in error["message"]
    assert [path.name for path in project.workspace.iterdir()] == ["plan.json"]


def test_a_plan_named_by_its_file_its_folder_or_not_at_all_is_the_same(project: Project) -> None:
    project.write_plan(task("only"))

    by_file = project.run(plan=project.plan_path)
    by_folder = project.run(plan=project.workspace)
    at_home = project.command("run", at=project.workspace).end()

    assert (by_file.code, by_folder.code, at_home.code) == (0, 0, 0), at_home.said
    assert project.launches("only") == 1


def test_the_plan_is_never_written(project: Project) -> None:
    project.write_plan(task("only"))
    before = (project.plan_path.read_bytes(), project.plan_path.stat().st_mtime_ns)

    project.run()

    assert (project.plan_path.read_bytes(), project.plan_path.stat().st_mtime_ns) == before
    assert json.loads(before[0])["tasks"][0]["name"] == "only"


def test_quiet_says_errors_and_results_only(project: Project) -> None:
    project.write_plan(task("only"))

    done = project.run("--quiet")

    assert done.code == 0
    assert "runtime:" not in done.err
    assert "launching" not in done.err
