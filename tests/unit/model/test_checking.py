import json

import pytest
from hypothesis import given, settings, strategies as st

from orchestrate.errors import PlanRefused
from orchestrate.model.checking import check_plan, parse_plan
from orchestrate.model.faults import Fault


def a_task(name="build", **fields):
    return {"name": name, "type": "worker", "scopedGoal": "It is built.", **fields}


def a_plan(*tasks, **fields):
    return {
        "goal": "Ship it.",
        "rootSlug": "ship",
        "baseBranch": "main",
        "repoUrl": "https://git.example.org/team/project.git",
        "tasks": list(tasks) or [a_task()],
        **fields,
    }


def a_verifier(name="check", verifies="build", **fields):
    return a_task(name, type="verifier", verifies=verifies, **fields)


def without(fields, name):
    return {key: value for key, value in fields.items() if key != name}


WORDS = "worker, subplanner or verifier"
FORMS = "must be https://…, ssh://… or user@host:path"

#: Every refusal of the file format that needs more than reading: the plan, the path, the whole message.
REFUSED = {
    "no task": (a_plan(tasks=[]), "tasks", "must have at least one entry"),
    "tasks missing": (without(a_plan(), "tasks"), "tasks", "is missing"),
    "goal missing": (without(a_plan(), "goal"), "goal", "is missing"),
    "goal empty": (a_plan(goal=" "), "goal", "must not be empty"),
    "goal null": (a_plan(goal=None), "goal", "must be a string, not null"),
    "a number for text": (a_plan(goal=3), "goal", "must be a string, not a number"),
    "a list for an object": (a_plan(limits=[]), "limits", "must be an object, not a list"),
    "text for a list": (a_plan(a_task(dependsOn="a")), "tasks[0].dependsOn", "must be a list, not a string"),
    "text for a flag": (a_plan(syncStateToGit="yes"), "syncStateToGit", "must be true or false, not a string"),
    "a task that is no object": (a_plan(7), "tasks[0]", "must be an object, not a number"),
    "unknown field": (a_plan(colour="red"), "colour", "unknown field"),
    "unknown field, nearly known": (
        a_plan(a_task(dependOn=[])),
        "tasks[0].dependOn",
        'unknown field; did you mean "dependsOn"?',
    ),
    "a field in Python's spelling": (
        a_plan(a_task(depends_on=[])),
        "tasks[0].depends_on",
        'unknown field; did you mean "dependsOn"?',
    ),
    "unknown field deep down": (
        a_plan(a_task(measurements=[{"name": "x", "command": "y", "parser": {"kind": "wc-l", "patern": "z"}}])),
        "tasks[0].measurements[0].parser.patern",
        'unknown field; did you mean "pattern"?',
    ),
    "unknown field with odd letters": (a_plan(**{"a b\u202e": 1}), '["a b\\u202e"]', "unknown field"),
    "unknown type": (
        a_plan(a_task(type="wrker")),
        "tasks[0].type",
        f'must be {WORDS}, not "wrker"; did you mean "worker"?',
    ),
    "a number for a word": (a_plan(a_task(type=1)), "tasks[0].type", f"must be {WORDS}, not a number"),
    "unknown task type of models": (
        a_plan(models={"workers": "m"}),
        "models.workers",
        f'must be {WORDS}, not "workers"; did you mean "worker"?',
    ),
    "no model in a list": (a_plan(models={"worker": []}), "models.worker", "must have at least one entry"),
    "an empty model": (a_plan(models={"worker": ""}), "models.worker", "must not be empty"),
    "an empty model of a task": (a_plan(a_task(model="")), "tasks[0].model", "must not be empty"),
    "a number for a model": (
        a_plan(models={"worker": 3}),
        "models.worker",
        "must be the id of a model or an object, not a number",
    ),
    "a number among models": (
        a_plan(models={"worker": ["m", 3]}),
        "models.worker[1]",
        "must be the id of a model or an object, not a number",
    ),
    "a setting without a value": (
        a_plan(a_task(model={"id": "m", "params": [{"id": "effort"}]})),
        "tasks[0].model.params[0].value",
        "is missing",
    ),
    "true for a number": (a_plan(a_task(maxAttempts=True)), "tasks[0].maxAttempts", "must be a whole number, not true"),
    "3.0 for a whole number": (
        a_plan(a_task(maxAttempts=3.0)),
        "tasks[0].maxAttempts",
        "must be a whole number, not 3.0",
    ),
    "text for a whole number": (
        a_plan(a_task(maxAttempts="3")),
        "tasks[0].maxAttempts",
        "must be a whole number, not a string",
    ),
    "no attempt": (a_plan(a_task(maxAttempts=0)), "tasks[0].maxAttempts", "must be 1 or more"),
    "a huge number": (a_plan(a_task(maxAttempts=10**100)), "tasks[0].maxAttempts", "must be 1000000000 or less"),
    "a negative limit": (a_plan(limits={"maxDepth": -1}), "limits.maxDepth", "must be 0 or more"),
    "no time at all": (a_plan(a_task(timeoutSec=0)), "tasks[0].timeoutSec", "must be more than 0"),
    "text for a number": (a_plan(a_task(cpus="2")), "tasks[0].cpus", "must be a number, not a string"),
    "an unknown failure mode": (
        a_plan(a_task(retry={"attempts": 2, "on": ["ooom"]})),
        "tasks[0].retry.on[0]",
        'must be cap-hit, oom, tool-error, network-drop or unknown, not "ooom"; did you mean "oom"?',
    ),
    "an unknown parser": (
        a_plan(a_task(measurements=[{"name": "x", "command": "y", "parser": {"kind": "rgex"}}])),
        "tasks[0].measurements[0].parser",
        'kind must be wc-l or regex, not "rgex"; did you mean "regex"?',
    ),
    "a parser without a kind": (
        a_plan(a_task(measurements=[{"name": "x", "command": "y", "parser": {}}])),
        "tasks[0].measurements[0].parser",
        "must say its kind",
    ),
    "a parser that is no object": (
        a_plan(a_task(measurements=[{"name": "x", "command": "y", "parser": "wc-l"}])),
        "tasks[0].measurements[0].parser",
        "must be an object, not a string",
    ),
    "a regular expression without a pattern": (
        a_plan(a_task(measurements=[{"name": "x", "command": "y", "parser": {"kind": "regex"}}])),
        "tasks[0].measurements[0].parser.pattern",
        "is missing",
    ),
    "unknown flags": (
        a_plan(
            a_task(
                measurements=[{"name": "x", "command": "y", "parser": {"kind": "regex", "pattern": "z", "flags": "x"}}]
            )
        ),
        "tasks[0].measurements[0].parser.flags",
        'must be letters out of "dgimsuy"',
    ),
    "too much tolerance": (
        a_plan(a_task(measurements=[{"name": "x", "command": "y", "toleranceFraction": 1.5}])),
        "tasks[0].measurements[0].toleranceFraction",
        "must be 1 or less",
    ),
    "a program without a name": (
        a_plan(runtime={"kind": "local", "agent": {}}),
        "runtime.agent",
        "needs a name or a command",
    ),
    "a program with two names": (
        a_plan(runtime={"kind": "local", "agent": {"name": "a", "command": ["b"]}}),
        "runtime.agent",
        "has a name and a command; give one of them",
    ),
    "a command that is a shell line": (
        a_plan(runtime={"kind": "local", "agent": {"command": "run it"}}),
        "runtime.agent.command",
        "must be a list, not a string",
    ),
    "a variable with a value": (
        a_plan(runtime={"kind": "local", "agent": {"command": ["b"], "passEnv": ["A=b"]}}),
        "runtime.agent.passEnv[0]",
        '"A=b" is no name of an environment variable',
    ),
    "a name with capitals": (
        a_plan(a_task("Fix Dates")),
        "tasks[0].name",
        'must be kebab-case: lower-case letters and digits joined by single hyphens; did you mean "fix-dates"?',
    ),
    "a name that nothing is left of": (
        a_plan(a_task("äöü")),
        "tasks[0].name",
        "must be kebab-case: lower-case letters and digits joined by single hyphens",
    ),
    "a name that looks like an option": (
        a_plan(a_task("-x")),
        "tasks[0].name",
        'must be kebab-case: lower-case letters and digits joined by single hyphens; did you mean "x"?',
    ),
    "an empty name": (a_plan(a_task("")), "tasks[0].name", "must not be empty"),
    "a name of 65 characters": (a_plan(a_task("x" * 65)), "tasks[0].name", "must have at most 64 characters, not 65"),
    "a bad root slug": (
        a_plan(rootSlug="a/b"),
        "rootSlug",
        'must be kebab-case: lower-case letters and digits joined by single hyphens; did you mean "a-b"?',
    ),
    "a name twice": (
        a_plan(a_task("a"), a_task("a")),
        "tasks[1].name",
        'duplicate task name "a": tasks[0] has it too',
    ),
    "a task that depends on itself": (
        a_plan(a_task(dependsOn=["build"])),
        "tasks[0].dependsOn[0]",
        "a task cannot depend on itself",
    ),
    "an unknown dependency": (
        a_plan(a_task("build"), a_task("test", dependsOn=["bild"])),
        "tasks[1].dependsOn[0]",
        'unknown task "bild"; did you mean "build"?',
    ),
    "an unknown dependency, nothing near": (
        a_plan(a_task("build"), a_task("test", dependsOn=["zzz"])),
        "tasks[1].dependsOn[0]",
        'unknown task "zzz"',
    ),
    "a cycle": (
        a_plan(a_task("a", dependsOn=["b"]), a_task("b", dependsOn=["a"])),
        "tasks[0].dependsOn[0]",
        "cycle a -> b -> a",
    ),
    "a cycle over a verifier": (
        a_plan(a_task("a", dependsOn=["v"]), a_verifier("v", "a")),
        "tasks[0].dependsOn[0]",
        "cycle a -> v -> a",
    ),
    "a verifier without a target": (
        a_plan(a_task("v", type="verifier")),
        "tasks[0].verifies",
        "is missing; a verifier names the task that it checks",
    ),
    "a verifier of itself": (a_plan(a_verifier("v", "v")), "tasks[0].verifies", "a verifier cannot verify itself"),
    "a verifier of nobody": (
        a_plan(a_task("build"), a_verifier("v", "bild")),
        "tasks[1].verifies",
        'unknown task "bild"; did you mean "build"?',
    ),
    "a target of a wrong type": (a_plan(a_verifier("v", 3)), "tasks[0].verifies", "must be a string, not a number"),
    "a worker that verifies": (
        a_plan(a_task("a"), a_task("b", verifies="a")),
        "tasks[1].verifies",
        "only a verifier has verifies, and this is a worker",
    ),
    "a subplanner that verifies": (
        a_plan(a_task("a"), a_task("b", type="subplanner", verifies="a")),
        "tasks[1].verifies",
        "only a verifier has verifies, and this is a subplanner",
    ),
    "a worker with agents of its own": (
        a_plan(a_task("a", maxAgents=2)),
        "tasks[0].maxAgents",
        "only a subplanner has maxAgents, and this is a worker",
    ),
    "a verifier with a budget of its own": (
        a_plan(a_task("a"), a_task("b", type="verifier", verifies="a", budgetCents=2)),
        "tasks[1].budgetCents",
        "only a subplanner has budgetCents, and this is a verifier",
    ),
    "the file of a postmortem": (
        a_plan(a_task("x-failure"), a_task("x")),
        "tasks[0].name",
        '"x-failure" and the postmortem of "x" would be the same file; rename one task',
    ),
    "the file of a missing handoff": (
        a_plan(a_task("x"), a_task("x-finished-no-handoff")),
        "tasks[1].name",
        '"x-finished-no-handoff" and the postmortem of "x" would be the same file; rename one task',
    ),
    "one branch for two": (
        a_plan(a_task("x"), a_task("merge-x")),
        "tasks[1].name",
        '"merge-x" and "x" would have the same branch; rename one task',
    ),
    "an empty ref": (a_plan(a_task(startingRef="")), "tasks[0].startingRef", "must not be empty"),
    "an option for a ref": (a_plan(a_task(startingRef="-f")), "tasks[0].startingRef", 'a ref must not start with "-"'),
    "a force push for a ref": (a_plan(prBase="+main"), "prBase", 'a ref must not start with "+"'),
    "a ref with a space": (
        a_plan(baseBranch="my branch"),
        "baseBranch",
        '"my branch" is no ref that git accepts: it has " " in it',
    ),
    "a ref that git refuses": (
        a_plan(baseBranch="a..b"),
        "baseBranch",
        '"a..b" is no ref that git accepts: it has ".." in it',
    ),
    "a ref that is a word of git's": (
        a_plan(baseBranch="@"),
        "baseBranch",
        """"@" is no ref that git accepts: that is git's word for HEAD""",
    ),
    "a ref that starts with a dot": (
        a_plan(baseBranch=".a"),
        "baseBranch",
        '".a" is no ref that git accepts: it starts with "."',
    ),
    "a ref that ends with a slash": (
        a_plan(baseBranch="a/"),
        "baseBranch",
        '"a/" is no ref that git accepts: it ends with "/"',
    ),
    "a ref with a locked part": (
        a_plan(baseBranch="a.lock/b"),
        "baseBranch",
        '"a.lock/b" is no ref that git accepts: a part of it ends with ".lock"',
    ),
    "an andon ref that git refuses": (
        a_plan(andonStateRef="x.lock"),
        "andonStateRef",
        '"x.lock" is no ref that git accepts: it ends with ".lock"',
    ),
    "http": (a_plan(repoUrl="http://git.example.org/a"), "repoUrl", f"{FORMS}, not http://"),
    "a path without the local runtime": (
        a_plan(repoUrl="../project"),
        "repoUrl",
        f"{FORMS}; a path or file:// works only with the runtime kind local",
    ),
    "a password": (
        a_plan(repoUrl="https://me:secret@git.example.org/a"),
        "repoUrl",
        "has credentials in it; take them out",
    ),
    "tracker": (
        a_plan(tracker="linear"),
        "tracker",
        "there is no tracker any more; state.json and `orchestrate status` show progress, so take it out",
    ),
    "linearTeam": (
        a_plan(linearTeam="ENG"),
        "linearTeam",
        "there is no tracker any more; an agent that needs one reaches it itself, so take it out",
    ),
    "trackerRef": (
        a_plan(a_task(trackerRef="ENG-1")),
        "tasks[0].trackerRef",
        "there is no tracker any more; use slackKickoffRef for the run's thread, slackTs for a task's message",
    ),
    "parentTrackerRef": (
        a_plan(parentTrackerRef="ENG-1"),
        "parentTrackerRef",
        "there is no tracker any more; use slackKickoffRef for the run's thread",
    ),
    "controlRef": (a_plan(controlRef="x"), "controlRef", "use andonStateRef and andonStatePath instead"),
    "slack": (
        a_plan(slack={"channel": "C1"}),
        "slack",
        "use slackChannel instead, and slackKickoffRef for a thread that is there already",
    ),
}


@pytest.mark.parametrize(("plan", "path", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_each_refusal_has_its_path_and_message(plan, path, message):
    assert check_plan(plan) == [Fault(path, message)]


@pytest.mark.parametrize("plan", [plan for plan, *_ in REFUSED.values()], ids=REFUSED.keys())
def test_text_and_mapping_have_the_same_faults(plan):
    from_text = check_plan(json.dumps(plan))

    assert sorted((fault.path, fault.message) for fault in from_text) == sorted(
        (fault.path, fault.message) for fault in check_plan(plan)
    )
    assert all(fault.line == 1 for fault in from_text)


def test_names_that_differ_by_case_alone_are_duplicates():
    faults = check_plan(a_plan(a_task("build"), a_task("Build")))

    assert [fault.path for fault in faults] == ["tasks[1].name", "tasks[1].name"]
    assert faults[1].message == 'duplicate task name "Build": tasks[0] has it too, written "build"'


def test_all_faults_come_at_once_in_the_order_of_the_file():
    text = """{
  "goal": "",
  "rootSlug": "ship",
  "baseBranch": "main",
  "repoUrl": "https://localhost/a",
  "tasks": [
    {"name": "a", "type": "worker", "scopedGoal": "x",
     "dependsOn": [
       "b",
       "c"
     ]},
    {"name": "b", "type": "worker", "scopedGoal": 1, "dependsOn": ["a"]}
  ],
  "goal": ""
}"""

    assert check_plan(text) == [
        Fault("repoUrl", "names this machine (a loopback host)", 5),
        Fault("tasks[0].dependsOn[0]", "cycle a -> b -> a", 9),
        Fault("tasks[0].dependsOn[1]", 'unknown task "c"', 10),
        Fault("tasks[1].scopedGoal", "must be a string, not a number", 12),
        Fault("goal", "this field is there more than once", 14),
        Fault("goal", "must not be empty", 14),
    ]


def test_each_of_several_cycles_is_named():
    plan = a_plan(
        a_task("a", dependsOn=["b"]),
        a_task("b", dependsOn=["a"]),
        a_task("c", dependsOn=["d"]),
        a_task("d", dependsOn=["e"]),
        a_task("e", dependsOn=["c"]),
    )

    assert [fault.message for fault in check_plan(plan)] == ["cycle a -> b -> a", "cycle c -> d -> e -> c"]


def test_a_long_cycle_is_cut_in_the_middle():
    tasks = [a_task(f"t{index}", dependsOn=[f"t{(index + 1) % 5000}"]) for index in range(5000)]

    (fault,) = check_plan(a_plan(*tasks))

    assert fault.message == (
        "cycle t0 -> t1 -> t2 -> t3 -> t4 -> t5 -> (4989 more) -> t4995 -> t4996 -> t4997 -> t4998 -> t4999 -> t0"
    )


def test_a_good_plan_has_no_faults():
    plan = a_plan(
        a_task("build", model={"id": "m", "params": [{"id": "effort", "value": "high"}]}),
        a_task("plan-rest", type="subplanner", dependsOn=["build"], priority=-3, onBlocked="release"),
        a_verifier(retry={"attempts": 2, "on": ["oom"], "backoffSec": 0}),
        **{"$schema": "schema/plan.schema.json"},
    )

    assert check_plan(plan) == []
    assert check_plan(json.dumps(plan).encode()) == []
    assert check_plan("\ufeff" + json.dumps(plan)) == []
    assert check_plan(b"\xef\xbb\xbf" + json.dumps(plan).encode()) == []


def test_null_is_the_same_as_leaving_an_optional_field_out():
    plan = a_plan(a_task(brief=None, dependsOn=None, priority=None, verifies=None), limits=None, syncStateToGit=None)

    parsed, _ = parse_plan(plan)

    assert parsed == parse_plan(a_plan())[0]


@pytest.mark.parametrize(
    ("runtime", "local", "good"),
    [
        (None, None, False),
        ({"kind": "cloud"}, None, False),
        ({"kind": "local"}, None, True),
        (None, True, True),
        ({"kind": "cloud"}, True, True),  # the command line has chosen otherwise
        ({"kind": "local"}, False, False),
    ],
)
def test_a_path_is_a_repository_only_where_agents_run_here(runtime, local, good):
    plan = a_plan(repoUrl="../project", runtime=runtime)

    assert (check_plan(plan, local=local) == []) is good


def test_a_refused_plan_carries_all_faults_and_their_count():
    with pytest.raises(PlanRefused) as refused:
        parse_plan(a_plan(a_task("a", dependsOn=["b"]), goal=""))

    assert refused.value.message == "the plan has 2 faults"
    assert [fault.path for fault in refused.value.faults] == ["goal", "tasks[0].dependsOn[0]"]


def test_one_fault_is_counted_in_the_singular():
    with pytest.raises(PlanRefused, match=r"^the plan has 1 fault$"):
        parse_plan("{")


def test_warnings_come_beside_the_plan_with_their_lines():
    plan = a_plan(a_task("a"), a_verifier("v", "a", openPR=True))

    parsed, warnings = parse_plan(json.dumps(plan))

    assert parsed.root_slug == "ship"
    assert warnings == [Fault("tasks[1].openPR", "is ignored: a verifier opens no pull request", 1)]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("[]", "a plan is an object, not a list"),
        ("null", "a plan is an object, not null"),
        ('"x"', "a plan is an object, not a string"),
        ("true", "a plan is an object, not true"),
        ("", "not JSON: there is nothing in it"),
    ],
)
def test_what_is_no_object_is_no_plan(source, message):
    assert check_plan(source) == [Fault("", message, 1)]


def test_what_is_neither_text_nor_a_mapping_is_no_plan():
    assert check_plan(7) == [Fault("", "a plan is text, bytes or a mapping")]


_scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=()))
_words = st.sampled_from(
    ["name", "tasks", "goal", "dependsOn", "verifies", "type", "worker", "verifier", "a", "b", "runtime", "models"]
)
_keys = st.text(st.characters(exclude_categories=()), max_size=5) | _words
_values = st.recursive(
    _scalars | _words,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_keys, inner, max_size=5),
    max_leaves=25,
)
_odd = st.binary(max_size=3) | st.sets(st.integers(), max_size=2) | st.complex_numbers() | st.tuples(_scalars)
_tasks = st.lists(st.dictionaries(_keys, _values | _odd, max_size=6) | _values, max_size=4)
_field_names = st.sampled_from([*a_plan(), "models", "runtime", "limits", "env", "$schema"])


@given(st.text(st.characters(exclude_categories=())) | st.binary())
@settings(deadline=None)
def test_no_text_and_no_bytes_make_the_check_raise(source):
    assert isinstance(check_plan(source), list)


@given(st.text('{}[]",:\\0123456789.eE-+nulltrefasNIity \n', max_size=60))
@settings(deadline=None)
def test_no_near_json_makes_the_check_raise(source):
    assert isinstance(check_plan(source), list)


@given(st.dictionaries(_field_names, _values), _tasks)
@settings(deadline=None)
def test_no_json_makes_the_check_raise(fields, tasks):
    plan = {**a_plan(), **fields, "tasks": tasks}

    assert all(fault.line is not None for fault in check_plan(json.dumps(plan, default=str)))


@given(st.dictionaries(st.integers() | st.none() | _keys | _field_names, _values | _odd), _tasks)
@settings(deadline=None)
def test_no_mapping_makes_the_check_raise(fields, tasks):
    faults = check_plan({**fields, "tasks": tasks})

    for fault in faults:
        f"{fault.path} {fault.message}".encode()
        assert fault.line is None
