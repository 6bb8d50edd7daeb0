import subprocess
import uuid

import pytest

from orchestrate.model.names import (
    agent_id_for,
    agent_name,
    idempotency_key_for,
    is_agent_id,
    is_kebab_case,
    is_request_id,
    is_run_id,
    is_valid_ref,
    placeholder_branch,
)

WORKSPACE = "5f0c7c1e-0000-4000-8000-000000000001"

REFS = [
    "main",
    "feature/x",
    "release-2.0",
    "a./b",
    "a@b",
    "HEAD",
    "refs/heads/x",
    "ünïcode",
    "a{b}",
    "a" * 40,
    "",
    "@",
    ".a",
    "a.",
    "a/.b",
    "a..b",
    "a//b",
    "/a",
    "a/",
    "a.lock",
    "a.lock/b",
    "a@{b",
    "a b",
    "a~1",
    "a^",
    "a:b",
    "a?",
    "a*",
    "a[b",
    "a\\b",
    "a\nb",
    "a\x7f",
]


@pytest.mark.parametrize("ref", REFS)
def test_a_ref_is_good_if_git_says_so(ref):
    answer = subprocess.run(["git", "check-ref-format", "--allow-onelevel", ref], check=False)

    assert is_valid_ref(ref) is (answer.returncode == 0)


@pytest.mark.parametrize("ref", ["-a", "--force", "+a", "+refs/heads/a"])
def test_options_and_force_pushes_are_no_refs(ref):
    assert not is_valid_ref(ref)


@pytest.mark.parametrize(
    ("name", "good"),
    [("a", True), ("fix-date-2", True), ("2", True)]
    + [(name, False) for name in ("", "-a", "a-", "a--b", "A", "a_b", "a b", "ä", "a\n", "a/b", "²")],
)
def test_kebab_case_is_lower_case_words_with_single_hyphens(name, good):
    assert is_kebab_case(name) is good


@pytest.mark.parametrize(
    ("text", "agent", "run"),
    [
        (f"bc-{WORKSPACE}", True, False),
        (f"run-{WORKSPACE}", False, True),
        (f"bc-{WORKSPACE.upper()}", False, False),
        (f"bc-{WORKSPACE}\n", False, False),
        (WORKSPACE, False, False),
        ("", False, False),
    ],
)
def test_ids_have_the_shapes_of_the_service(text, agent, run):
    assert (is_agent_id(text), is_run_id(text)) == (agent, run)


def test_the_same_intent_has_the_same_ids_and_every_other_has_others():
    intents = [(WORKSPACE, "a", 1), (WORKSPACE, "a", 2), (WORKSPACE, "b", 1), (str(uuid.UUID(int=1)), "a", 1)]
    agents = [agent_id_for(*intent) for intent in intents]
    keys = [idempotency_key_for(*intent) for intent in intents]

    assert agents == [agent_id_for(*intent) for intent in intents]
    assert all(map(is_agent_id, agents))
    assert len({*agents, *(f"bc-{key}" for key in keys)}) == 8


@pytest.mark.parametrize(
    ("task", "task_type", "branch"),
    [
        ("build", "worker", "orch/ship/build"),
        ("merge-build", "worker", "orch/ship/build"),
        ("merge-merge-build", "worker", "orch/ship/merge-build"),
        ("merge-build", "subplanner", "orch/ship/merge-build"),
        ("merge-build", "verifier", "orch/ship/merge-build"),
    ],
)
def test_the_planned_branch_of_a_merge_worker_is_that_of_what_it_merges(task, task_type, branch):
    assert placeholder_branch("ship", task, task_type=task_type) == branch


@pytest.mark.parametrize(
    ("slug", "task", "name"),
    [
        ("ship", "build", "ship/build"),
        ("s" * 200, "build", "s" * 94 + "/build"),
        ("ship", "t" * 64, "ship/" + "t" * 64),
    ],
)
def test_in_an_agents_name_the_slug_is_cut_and_the_task_is_whole(slug, task, name):
    assert agent_name(slug, task) == name
    assert len(name) <= 100


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        (str(uuid.UUID(int=1)), True),
        (str(uuid.UUID(int=255)).upper(), False),
        ("", False),
        ("1", False),
        (f"{uuid.UUID(int=1)}.done", False),
        (f"{uuid.UUID(int=1)}\n", False),
    ],
)
def test_the_id_of_a_request_is_a_lower_case_uuid(text, is_one):
    assert is_request_id(text) is is_one
