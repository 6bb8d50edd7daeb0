"""``crawl`` and ``tree --deep`` over real repositories: lineage, statuses and ages of what planners have pushed."""

import json

import pytest

from orchestrate.cli.main import main
from orchestrate.model.vocabulary import TaskStatus, TaskType
from tests.support.builders import a_handed_off_row, a_row
from tests.support.pushed_trees import PushedTree, agent_in, planner, state_of, worker
from tests.support.repositories import git, make_remote


@pytest.fixture
def tree(tmp_path):
    return PushedTree(make_remote(tmp_path / "remote.git"))


def three_levels(tree):
    """A root, a planner on a branch of its own, and one below that only has its branch of states."""
    sub, deep = agent_in("shop", "sub"), agent_in("sub", "deep")
    tree.push("orch-state/shop", "shop", [planner("shop", "sub", branch="cursor/sub-1"), worker("shop", "leaf")])
    tree.push("cursor/sub-1", "sub", [planner("sub", "deep"), a_handed_off_row("done")], of=sub)
    tree.push("orch-state/deep", "deep", [worker("deep", "inmost"), a_row("later")], of=deep)


def crawled(capsys, *words):
    code, said = main(["crawl", *words, "--json"]), capsys.readouterr()
    assert code == 0, said
    return json.loads(said.out)


def tasks_of(found):
    """Names by workspace, top down; what was not opened with its reason."""
    told = {found["rootSlug"]: [task["name"] for task in found["tasks"]]}
    for task in found["tasks"]:
        if "workspace" in task:
            told |= tasks_of(task["workspace"])
        if "notOpened" in task:
            told[f"{task['name']}?"] = task["notOpened"]
    return told


WHOLE = {"shop": ["sub", "leaf"], "sub": ["deep", "done"], "deep": ["inmost", "later"]}


def test_the_whole_tree_is_walked_over_recorded_branches_and_branches_of_states(tree, capsys):
    three_levels(tree)
    found = crawled(capsys, tree.remote.url, "main", "shop")
    assert tasks_of(found) == WHOLE
    sub = found["tasks"][0]["workspace"]
    assert (found["branch"], sub["branch"]) == ("orch-state/shop", "cursor/sub-1")
    assert sub["commit"] == tree.remote.heads()["cursor/sub-1"]
    assert sub["ageSeconds"] > 0
    assert "engine" not in found


def test_the_screen_says_where_each_state_is_from_and_how_old_it_is(tree, capsys):
    three_levels(tree)
    assert main(["crawl", tree.remote.url, "main", "shop", "--color", "never"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("shop")
    assert " ago on orch-state/shop" in lines[0]
    assert any("● sub" in line and "subplanner, depth 1; state of " in line for line in lines)
    assert any(line.startswith("│  └─ ● deep") for line in lines)
    assert any(line.startswith("│     ├─ ● inmost") for line in lines)


def test_a_planner_that_runs_still_is_found_by_a_branch_that_is_named_after_it(tree, capsys):
    tree.push("orch-state/shop", "shop", [planner("shop", "sub")])
    tree.push("cursor/sub-77", "sub", [worker("sub", "leaf")], of=agent_in("shop", "sub"))
    tree.push("cursor/sub-88", "sub", [worker("sub", "other")], of="bc-somebody-else")
    assert tasks_of(crawled(capsys, tree.remote.url, "main", "shop"))["sub"] == ["leaf"]


def test_of_two_states_of_one_planner_the_newer_one_counts(tree, capsys):
    owner = agent_in("shop", "sub")
    tree.push("orch-state/shop", "shop", [planner("shop", "sub", branch="cursor/sub-1")])
    tree.push("cursor/sub-1", "sub", [worker("sub", "old")], of=owner, seq=3)
    tree.push("orch-state/sub", "sub", [worker("sub", "new")], of=owner, seq=9)
    assert tasks_of(crawled(capsys, tree.remote.url, "main", "shop"))["sub"] == ["new"]


def test_the_root_may_be_on_the_branch_itself(tree, capsys):
    tree.push("plans", "shop", [worker("shop", "leaf")])
    found = crawled(capsys, tree.remote.url, "plans", "shop")
    assert (found["branch"], tasks_of(found)) == ("plans", {"shop": ["leaf"]})


def test_from_a_clone_its_remote_is_asked_and_nothing_of_the_clone_changes(tree, tmp_path, monkeypatch, capsys):
    three_levels(tree)
    git("clone", "--quiet", tree.remote.url, "clone", at=tmp_path)
    clone = tmp_path / "clone"
    git("update-ref", "-d", "refs/remotes/origin/orch-state/deep", at=clone)
    before = git("for-each-ref", at=clone), git("status", "--porcelain", at=clone)
    monkeypatch.chdir(clone)
    assert tasks_of(crawled(capsys, ".", "main", "shop")) == WHOLE
    assert (git("for-each-ref", at=clone), git("status", "--porcelain", at=clone)) == before
    here = tasks_of(crawled(capsys, ".", "main", "shop", "--no-fetch"))
    assert here["deep?"] == "no state was pushed: orch/shop/deep is not there"


def test_planners_in_a_circle_are_shown_once(tree, capsys):
    sub, back = agent_in("shop", "sub"), agent_in("sub", "shop")
    tree.push("orch-state/shop", "shop", [planner("shop", "sub", branch="orch-state/sub")], of=back)
    tree.push("orch-state/sub", "sub", [planner("sub", "shop", branch="orch-state/shop")], of=sub)
    told = tasks_of(crawled(capsys, tree.remote.url, "main", "shop"))
    assert told["shop?"] == "its state on orch-state/shop is shown elsewhere in this tree"


def test_a_state_of_another_tool_and_one_that_is_half_broken_tell_what_they_can(tree, capsys):
    foreign = {"rootSlug": "shop", "tasks": [{"name": "sub", "type": "subplanner", "status": "running"}]}
    foreign["tasks"][0] |= {"agentId": "bc-1", "runId": "run-1", "branch": "cursor/sub"}
    foreign["tasks"] += [{"name": "No Name", "status": "running"}, {"name": "odd", "status": "???"}, 7]
    tree.put("main", {".orchestrate/shop/state.json": json.dumps(foreign)})
    broken = {"schemaVersion": 99, "tasks": [{"name": "leaf", "status": "running", "parentAgentId": "bc-1"}]}
    tree.put("cursor/sub", {".orchestrate/sub/state.json": json.dumps(broken)})
    found = crawled(capsys, tree.remote.url, "main", "shop")
    assert tasks_of(found) == {"shop": ["sub"], "sub": ["leaf"]}
    assert len(found["notes"]) == 3
    assert "schemaVersion 99" in found["tasks"][0]["workspace"]["notes"][0]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "state.json is empty"),
        (b"[" * 100_000, "not JSON"),
        (b"\xff\xfe{", "not JSON"),
        (b'{"tasks": 7}', "expected a list"),
        (None, "it is a link or a folder, no file"),
    ],
)
def test_a_planners_state_that_cannot_be_read_hides_nobody_else(tree, capsys, content, said):
    tree.push("orch-state/shop", "shop", [planner("shop", "sub", branch="cursor/sub"), worker("shop", "leaf")])
    if content is None:
        tree.put("cursor/sub", {}, links={".orchestrate/sub/state.json": "/etc/passwd"})
    else:
        tree.put("cursor/sub", {".orchestrate/sub/state.json": content})
    told = tasks_of(crawled(capsys, tree.remote.url, "main", "shop"))
    assert told["shop"] == ["sub", "leaf"]
    assert said in told["sub?"]


def test_ten_thousand_rows_are_folded_and_nothing_in_them_is_obeyed_by_the_terminal(tree, capsys):
    rows = [worker("shop", f"w{n}") for n in range(9_999)]
    nasty = "\x1b]0;owned\x07\u202e" + "x" * 500
    rows.append(worker("shop", "bad", status=TaskStatus.ERROR, note=nasty))
    tree.push("orch-state/shop", "shop", rows)
    assert main(["crawl", tree.remote.url, "main", "shop", "--color", "never"]) == 0
    said = capsys.readouterr().out
    assert len(said.splitlines()) < 40
    assert "\x1b" not in said
    assert "\u202e" not in said
    assert len(crawled(capsys, tree.remote.url, "main", "shop")["tasks"]) == 10_000


def test_a_chain_of_planners_is_opened_so_deep_and_no_deeper(tree, capsys):
    for n in range(20):
        of = agent_in(f"p{n - 1}", f"p{n}") if n else None
        tree.push(f"orch-state/p{n}", f"p{n}", [planner(f"p{n}", f"p{n + 1}")], of=of)
    told = tasks_of(crawled(capsys, tree.remote.url, "main", "p0"))
    assert told["p17?"] == "not opened: more than 16 levels deep"
    assert "p16" in told


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["{remote}", "main", "shop"], 1, "there is no state of shop on main or orch-state/shop."),
        (["{remote}", "nowhere", "shop"], 1, "nowhere is not there"),
        (["{remote}", "a..b", "shop"], 2, "BRANCH:"),
        (["{remote}", "main", "Shop"], 2, "SLUG:"),
        (["", "main", "shop"], 2, "REPO:"),
        (["nowhere/at/all", "main", "shop"], 2, "is no folder"),
        (["ext::sh -c id", "main", "shop"], 2, "is no address that git can read"),
        (["http://git.example.org/x", "main", "shop"], 2, "uses http, which is not allowed"),
        (["https://u:p@git.example.org/x", "main", "shop"], 2, "holds credentials"),
        (["https://git.example.org/x", "main", "shop", "--no-fetch"], 2, "nothing to read without fetching"),
        (["{folder}", "main", "shop"], 1, "is no git repository"),
    ],
)
def test_what_names_no_tree_is_one_clear_error(tree, tmp_path, monkeypatch, capsys, words, code, said):
    monkeypatch.chdir(tmp_path)
    words = [word.replace("{remote}", tree.remote.url).replace("{folder}", str(tmp_path)) for word in words]
    assert main(["crawl", *words]) == code
    assert said in capsys.readouterr().err


def test_a_branch_that_cannot_be_fetched_hides_nobody_else(tree, capsys):
    tree.push("orch-state/shop", "shop", [planner("shop", "sub", branch="cursor/sub"), planner("shop", "two")])
    tree.push("orch-state/two", "two", [worker("two", "leaf")], of=agent_in("shop", "two"))
    (tree.remote.path / "refs/heads/cursor").mkdir(parents=True, exist_ok=True)
    (tree.remote.path / "refs/heads/cursor/sub").write_text("1" * 40 + "\n")
    told = tasks_of(crawled(capsys, tree.remote.url, "main", "shop"))
    assert told["two"] == ["leaf"]
    assert "sub?" in told


def test_a_worker_and_a_planner_that_was_never_launched_are_not_looked_for(tree, capsys):
    tree.push("orch-state/shop", "shop", [worker("shop", "sub"), a_row("later", type=TaskType.SUBPLANNER)])
    tree.push("orch-state/sub", "sub", [worker("sub", "leaf")])
    assert tasks_of(crawled(capsys, tree.remote.url, "main", "shop")) == {"shop": ["sub", "later"]}


def a_workspace(folder, tree, *rows, **plan):
    """The root's workspace in a folder here, with the same rows as an engine of it would have pushed."""
    folder.mkdir(parents=True)
    (folder / "state.json").write_bytes(state_of("shop", rows))
    document = {"goal": "g", "rootSlug": "shop", "baseBranch": "main", "repoUrl": tree.remote.url, "tasks": [], **plan}
    document["tasks"] = [{"name": row.name, "type": row.type, "scopedGoal": "x"} for row in rows]
    (folder / "plan.json").write_text(json.dumps(document))
    return folder


def deep(capsys, *words):
    code, said = main(["tree", *words, "--deep", "--json"]), capsys.readouterr()
    assert code == 0, said
    return json.loads(said.out)


@pytest.mark.parametrize("place", ["clone", "beside"])
def test_from_a_workspace_the_rest_of_the_tree_is_fetched(tree, tmp_path, capsys, place):
    three_levels(tree)
    git("clone", "--quiet", tree.remote.url, "clone", at=tmp_path)
    folder = tmp_path / place / ".orchestrate/shop"
    a_workspace(folder, tree, planner("shop", "sub", branch="cursor/sub-1"), worker("shop", "leaf"))
    found = deep(capsys, str(folder))
    assert tasks_of(found) == WHOLE
    assert "engine" in found
    assert main(["tree", str(folder), "--json"]) == 0
    assert "workspace" not in json.loads(capsys.readouterr().out)["tasks"][0]


def test_without_fetching_a_clone_knows_what_it_had(tree, tmp_path, capsys):
    git("clone", "--quiet", tree.remote.url, "clone", at=tmp_path)
    three_levels(tree)
    folder = tmp_path / "clone/.orchestrate/shop"
    a_workspace(folder, tree, planner("shop", "sub", branch="cursor/sub-1"))
    assert tasks_of(deep(capsys, str(folder), "--no-fetch")) == {
        "shop": ["sub"],
        "sub?": "no state was pushed: cursor/sub-1 is not there",
    }


@pytest.mark.parametrize(
    ("url", "words", "said"),
    [
        ("https://git.example.org/x", ["--no-fetch"], "there is nothing to read without fetching"),
        ("", [], "plan.json names no repository"),
        ("ext::sh -c id", [], "is no address that git can read"),
    ],
)
def test_a_workspace_whose_repository_cannot_be_read_says_so(tree, tmp_path, capsys, url, words, said):
    folder = a_workspace(tmp_path / "w", tree, planner("shop", "sub"), repoUrl=url)
    assert main(["tree", str(folder), "--deep", *words]) == 1
    assert said in capsys.readouterr().err
