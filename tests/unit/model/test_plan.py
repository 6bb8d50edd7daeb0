import pickle

import pytest
from pydantic import ValidationError

from orchestrate.model.plan import (
    AgentProgram,
    Environment,
    LineCountParser,
    Measurement,
    ModelParameter,
    ModelSelection,
    Plan,
    RegexParser,
    Retry,
    Task,
)
from orchestrate.model.vocabulary import FailureMode, OnBlocked, OnUnstructured, RuntimeKind, TaskType


def a_task(name="build", **fields):
    return {"name": name, "type": "worker", "scopedGoal": "It is built.", **fields}


def parsed(*tasks, **fields):
    return Plan.model_validate(
        {
            "goal": "Ship it.",
            "rootSlug": "ship",
            "baseBranch": "main",
            "repoUrl": "https://git.example.org/team/project.git",
            "tasks": list(tasks) or [a_task()],
            **fields,
        }
    )


def test_a_small_plan_has_defaults_for_the_rest():
    plan = parsed()

    assert plan.sync_state_to_git is True
    assert (plan.runtime, plan.env, plan.models, plan.pr_base) == (None, None, {}, None)
    assert (plan.on_unstructured, plan.tasks[0].on_unstructured) == (None, None)
    assert set(plan.limits.model_dump().values()) == {None}
    (task,) = plan.tasks
    assert task == Task.model_validate(a_task())
    assert (task.starting_ref, task.depends_on, task.model, task.retry) == (None, (), None, None)
    assert (task.open_pr, task.priority, task.on_blocked) == (False, 0, OnBlocked.HOLD)


def test_every_field_of_a_task_arrives():
    plan = parsed(
        a_task(
            brief="b",
            pathsAllowed=["src/**"],
            pathsForbidden=["docs/**"],
            acceptance=["ok"],
            verify="run it",
            startingRef="release",
            dependsOn=["other", "other"],
            model={"id": "m", "params": [{"id": "effort", "value": "high"}]},
            maxAttempts=2,
            openPR=True,
            measurements=[
                {"name": "n", "command": "c"},
                {
                    "name": "n",
                    "command": "c",
                    "parser": {"kind": "regex", "pattern": "p", "flags": "i"},
                    "toleranceFraction": 0,
                },
            ],
            slackTs="1.2",
            retry={"attempts": 3, "on": ["oom"], "backoffSec": 1.5},
            timeoutSec=60,
            env={"type": "pool", "name": "farm"},
            priority=-1,
            onBlocked="release",
            onUnstructured="error",
            cpus=0.5,
            memoryMb=512,
        ),
        a_task("other"),
    )
    task = plan.task("build")

    assert task.type is TaskType.WORKER
    assert (task.paths_allowed, task.paths_forbidden, task.acceptance) == (("src/**",), ("docs/**",), ("ok",))
    assert (task.brief, task.verify, task.starting_ref, task.slack_ts) == ("b", "run it", "release", "1.2")
    assert task.depends_on == ("other",)
    assert task.model == ModelSelection(id="m", params=(ModelParameter(id="effort", value="high"),))
    assert task.measurements == (
        Measurement(name="n", command="c", parser=LineCountParser(kind="wc-l"), toleranceFraction=0.1),
        Measurement(
            name="n", command="c", parser=RegexParser(kind="regex", pattern="p", flags="i"), toleranceFraction=0
        ),
    )
    assert task.retry == Retry(attempts=3, on=(FailureMode.OOM,), backoffSec=1.5)
    assert task.env == Environment(type="pool", name="farm")
    assert (task.max_attempts, task.open_pr, task.timeout_sec, task.priority) == (2, True, 60, -1)
    assert task.on_unstructured is OnUnstructured.ERROR
    assert (task.on_blocked, task.cpus, task.memory_mb) == (OnBlocked.RELEASE, 0.5, 512)


def test_a_verifier_waits_for_its_target_and_names_it_once():
    plan = parsed(
        a_task("a"),
        a_task("b"),
        a_task("v", type="verifier", verifies="a", dependsOn=["b"]),
        a_task("w", type="verifier", verifies="a", dependsOn=["a", "b"]),
    )

    assert plan.task("v").depends_on == ("b", "a")
    assert plan.task("w").depends_on == ("a", "b")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("m", (ModelSelection(id="m"),)),
        ({"id": "m"}, (ModelSelection(id="m"),)),
        (["m", {"id": "n"}], (ModelSelection(id="m"), ModelSelection(id="n"))),
    ],
)
def test_models_are_written_as_an_id_an_object_or_a_list(written, read):
    assert parsed(models={"verifier": written}).models == {TaskType.VERIFIER: read}


def test_a_local_runtime_names_its_program():
    plan = parsed(
        runtime={"kind": "local", "agent": {"command": ["agent", "-p"], "promptVia": "file", "passEnv": ["A_KEY"]}}
    )

    assert plan.is_local
    assert plan.runtime.kind is RuntimeKind.LOCAL
    assert plan.runtime.agent == AgentProgram(command=("agent", "-p"), promptVia="file", passEnv=("A_KEY",))
    assert not parsed(runtime={"kind": "cloud"}).is_local
    assert not parsed().is_local


@pytest.mark.parametrize(
    ("fields", "root"),
    [
        ({}, True),
        ({"andonStateRef": "orch-state/shop"}, False),
        ({"andonStatePath": ".orchestrate/shop/state.json"}, False),
    ],
)
def test_a_root_plan_has_no_andon_of_another(fields, root):
    assert parsed(**fields).is_root is root


def test_a_task_is_found_by_its_name():
    plan = parsed(a_task("a"), a_task("b"))

    assert plan.task("b") is plan.tasks[1]
    with pytest.raises(KeyError):
        plan.task("c")


def test_a_plan_never_changes():
    plan = parsed()

    with pytest.raises(ValidationError):
        plan.goal = "another"


def test_a_plan_survives_pickling_and_a_look_up_changes_no_equality():
    plan = parsed()
    copied = pickle.loads(pickle.dumps(plan))
    plan.task("build")

    assert copied == plan


def test_an_error_never_repeats_what_was_given():
    with pytest.raises(ValidationError) as refused:
        parsed(goal=["a secret"])

    assert "a secret" not in str(refused.value)
