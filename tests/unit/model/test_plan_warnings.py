import json

import pytest

from orchestrate.model import plan_warnings
from orchestrate.model.checking import parse_plan
from orchestrate.model.plan_warnings import secret_kind


def a_task(name="build", **fields):
    return {"name": name, "type": "worker", "scopedGoal": "It is built.", **fields}


def warnings(*tasks, **fields):
    plan = {
        "goal": "Ship it.",
        "rootSlug": "ship",
        "baseBranch": "main",
        "repoUrl": "https://git.example.org/team/project.git",
        "tasks": list(tasks),
        **fields,
    }
    return [(fault.path, fault.message) for fault in parse_plan(json.dumps(plan))[1]]


SECRETS = {
    "a GitHub token": ["ghp_" + "a1" * 18, "github_pat_" + "a_" * 30],
    "a GitLab token": ["glpat-" + "a" * 20],
    "a Slack token": ["xoxb-1234567890-abc"],
    "an AWS access key": ["AKIA" + "A1" * 8],
    "a Google key": ["AIza" + "a" * 35],
    "an API key": ["sk-" + "a" * 30, "key_" + "0f" * 16, "crsr_" + "0f" * 32],
    "a JSON web token": ["eyJhbGciOiJI.eyJzdWIiOiIx.abcdefghij"],
    "a private key": ["-----BEGIN RSA PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----"],
    "a password in an address": ["postgres://me:secret@db.example.org/x"],
}


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in SECRETS.items() for text in texts])
def test_the_shape_of_a_secret_is_known_and_never_repeated(kind, text):
    ((path, message),) = warnings(a_task(brief=f"Use\n{text} for it."))

    assert path == "tasks[0].brief"
    assert message == f"looks like {kind}; agents and everybody who reads the plan get it, take it out"


@pytest.mark.parametrize(
    "text",
    [
        "task-one-of-the-many-tasks-of-this-plan",
        "monkey_0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f",
        "https://git.example.org:8080/a@b",
        "AKIAAAAAAAAAAAAAAAAAAAAAA",
        "-----BEGIN PUBLIC KEY-----",
        "ghp_short",
    ],
)
def test_harmless_text_is_left_alone(text):
    assert secret_kind(text) is None


def test_a_pattern_that_cannot_be_used_is_warned_of():
    parsers = [{"kind": "wc-l"}, {"kind": "regex", "pattern": "(?<n>\\d+)"}, {"kind": "regex", "pattern": "(?P<n>a)"}]
    measurements = [{"name": f"m{place}", "command": "c", "parser": parser} for place, parser in enumerate(parsers)]

    ((path, message),) = warnings(a_task(measurements=measurements))

    assert path == "tasks[0].measurements[2].parser.pattern"
    assert message == "cannot be used, (?P begins no group of JavaScript; this will be parse-failed"


@pytest.mark.parametrize("kind", ["subplanner", "verifier"])
def test_a_pull_request_of_these_is_ignored(kind):
    task = a_task("b", type=kind, openPR=True, **({"verifies": "a"} if kind == "verifier" else {}))

    assert warnings(a_task("a", openPR=True), task) == [
        ("tasks[1].openPR", f"is ignored: a {kind} opens no pull request")
    ]


def test_a_planned_branch_of_a_task_that_is_not_waited_for():
    message = 'is the planned branch of "a", and nothing makes this task wait for it; add "a" to dependsOn'

    assert warnings(a_task("a"), a_task("b", startingRef="orch/ship/a")) == [("tasks[1].startingRef", message)]


@pytest.mark.parametrize(
    "task",
    [
        a_task("c", startingRef="orch/ship/a", dependsOn=["a"]),
        a_task("c", startingRef="orch/ship/a", dependsOn=["b"]),
        a_task("c", startingRef="orch/ship/c"),
        a_task("c", startingRef="orch/other/a"),
        a_task("c", type="verifier", verifies="a", startingRef="orch/ship/a"),
    ],
)
def test_a_starting_ref_that_is_waited_for_or_is_no_plan_of_another(task):
    assert warnings(a_task("a"), a_task("b", dependsOn=["a"]), task) == []


def test_a_starting_ref_like_a_planned_branch_that_no_task_has():
    begin = "has the form of a planned branch, and no task has it"
    found = warnings(
        a_task("build"),
        a_task("b", startingRef="orch/ship/biuld"),
        a_task("c", startingRef="orch/ship/an-entirely-different-piece-of-work"),
    )
    assert found == [
        ("tasks[1].startingRef", f'{begin}; did you mean "orch/ship/build"?'),
        ("tasks[2].startingRef", begin),
    ]
    assert warnings(a_task("c", startingRef="orch/other/build")) == []


def test_tasks_side_by_side_that_may_change_the_same_files():
    found = warnings(
        a_task("a", pathsAllowed=["src/**"]),
        a_task("b", pathsAllowed=["docs/**", "src/api/*.py"]),
        a_task("c", pathsAllowed=["src/**"], dependsOn=["a", "b"]),
    )

    assert found == [
        ("tasks[1].pathsAllowed[1]", '"b" and "a" may run side by side and both may change "src/api/*.py"')
    ]


def test_tasks_one_after_the_other_may_change_the_same_files():
    assert (
        warnings(
            a_task("c", pathsAllowed=["src/**"], dependsOn=["b"]),
            a_task("b", dependsOn=["a"]),
            a_task("a", pathsAllowed=["src/**"]),
            a_task("v", type="verifier", verifies="a", pathsAllowed=["src/**"]),
        )
        == []
    )


def test_a_comparison_that_was_cut_short_says_so(monkeypatch):
    monkeypatch.setattr("orchestrate.model.path_overlap.MAX_COMPARISONS", 2)
    chain = [
        a_task(f"t{index}", pathsAllowed=["src/**"], dependsOn=[f"t{index - 1}"] if index else []) for index in range(4)
    ]

    assert warnings(*chain) == [("tasks", "more than 20000 pairs of paths may overlap; the rest was not compared")]


def test_very_many_tasks_are_not_compared(monkeypatch):
    monkeypatch.setattr(plan_warnings, "MAX_TASKS_COMPARED", 1)

    assert warnings(a_task("a"), a_task("b")) == [("tasks", "has more than 1 entries; their paths were not compared")]


def test_a_path_that_leads_out_matches_no_file():
    told = "leads out of the folder that it begins in, and matches no file"
    found = warnings(a_task(pathsAllowed=["src/..x/**", "../x"], pathsForbidden=["a/../b"]))
    assert found == [
        ("tasks[0].pathsAllowed[1]", f'"../x" {told}'),
        ("tasks[0].pathsForbidden[0]", f'"a/../b" {told}'),
    ]
