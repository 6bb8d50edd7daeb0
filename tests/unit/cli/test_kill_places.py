from orchestrate.cli.kill_places import places_of, sightings_in
from orchestrate.core.lineage import agent_of
from orchestrate.model.vocabulary import TaskStatus, TaskType
from orchestrate.server.state import StateFolder
from tests.support.builders import a_handed_off_row, a_launching_row, a_row, a_running_row, agent_of as agent_named
from tests.support.workspaces import write_state


def a_workspace(folder, *rows):
    folder.mkdir(parents=True, exist_ok=True)
    write_state(folder, rows)
    return folder


def a_planner(name="sub", **fields):
    return a_running_row(name, type=TaskType.SUBPLANNER, **fields)


def test_a_planners_workspace_lies_below_beside_or_in_its_clone(tmp_path):
    root = a_workspace(tmp_path / ".orchestrate" / "root", a_planner("below"), a_planner("beside"), a_planner("cloned"))
    below = a_workspace(root / ".orchestrate" / "below", a_running_row("x", parent_agent_id=agent_named("below")))
    beside = a_workspace(tmp_path / ".orchestrate" / "beside", a_running_row("y"))
    clone = StateFolder(tmp_path / "server").clone(agent_named("cloned"))
    cloned = a_workspace(clone / ".orchestrate" / "any", a_running_row("z"))
    found = places_of(root, server_folder=tmp_path / "server")
    assert [place.folder for place in found] == [root, below, beside, cloned]
    assert [place.owner for place in found[1:]] == [agent_named(name) for name in ("below", "beside", "cloned")]
    assert [place.folder for place in places_of(root, server_folder=None, below="beside")] == [root, beside]


def test_a_workspace_of_another_agent_and_one_that_cannot_be_read_are_left_alone(tmp_path):
    root = a_workspace(
        tmp_path, a_planner("a"), a_planner("b", agent_id="../../etc"), a_row("c", type=TaskType.SUBPLANNER)
    )
    a_workspace(root / ".orchestrate" / "a", a_running_row("x", parent_agent_id="bc-another"))
    broken = root / ".orchestrate" / "b"
    broken.mkdir()
    (broken / "state.json").write_text("{")
    assert [place.folder for place in places_of(root, server_folder=tmp_path / "server")] == [root]


def test_rows_and_intents_are_seen_and_what_ended_is_known_to_be_over(tmp_path):
    rows = [a_launching_row("new"), a_running_row("runs"), a_handed_off_row("done"), a_row("waits")]
    (place,) = places_of(a_workspace(tmp_path, *rows), server_folder=None)
    seen = {each.task: each for each in sightings_in([place])}
    assert set(seen) == {"new", "runs", "done"}
    assert (seen["new"].agent_id, seen["new"].run_id, seen["new"].may_run) == (agent_named("new"), None, True)
    assert [seen[name].is_over for name in ("new", "runs", "done")] == [False, False, True]
    assert place.running == ["new", "runs"]
    gone = a_launching_row("gone", status=TaskStatus.CANCELLED)
    assert agent_of(gone) == agent_named("gone")
