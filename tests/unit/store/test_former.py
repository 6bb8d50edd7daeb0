"""Starting a workspace afresh."""

import pytest

from orchestrate.errors import InputRefused
from orchestrate.store.former import left_by_runs, move_to_former
from orchestrate.store.loading import read_workspace
from orchestrate.store.workspace import WorkspaceStore
from tests.support.records import ENGINE, NOW, ROOT_SLUG, first_record, row


async def a_workspace(path):
    store = await WorkspaceStore.open(path, root_slug=ROOT_SLUG, engine_id=ENGINE, now=NOW)
    await store.append([first_record(row("a"))])
    await store.write_snapshot()
    await store.close()
    (path / "plan.json").write_text("{}")
    (path / "stop.json").write_text("{}")


def names(path):
    return sorted(each.name for each in path.iterdir())


async def test_all_that_runs_have_left_is_moved_and_the_next_run_begins_anew(tmp_path):
    await a_workspace(tmp_path)
    assert left_by_runs(tmp_path)[:2] == ["state.json", "journal.jsonl"]
    where, moved = move_to_former(tmp_path, holder=ENGINE, now=NOW)
    assert where == "former/2026-03-04T14-31-36Z"
    assert names(tmp_path) == [".gitignore", ".lock", "former", "plan.json"]
    assert sorted(moved) == names(tmp_path / where)
    assert read_workspace(tmp_path).workspace is None
    assert read_workspace(tmp_path / where).rows == {"a": row("a")}
    assert left_by_runs(tmp_path) == []

    again = await WorkspaceStore.open(tmp_path, root_slug=ROOT_SLUG, engine_id=ENGINE, now=NOW)
    await again.close()
    assert again.loaded.workspace is None


async def test_two_resets_in_a_second_have_two_places(tmp_path):
    for _ in range(2):
        await a_workspace(tmp_path)
        move_to_former(tmp_path, holder=ENGINE, now=NOW)
    assert names(tmp_path / "former") == ["2026-03-04T14-31-36Z", "2026-03-04T14-31-36Z-2"]
    for number in range(3, 100):
        (tmp_path / "former" / f"2026-03-04T14-31-36Z-{number}").mkdir()
    with pytest.raises(InputRefused, match="this second"):
        move_to_former(tmp_path, holder=ENGINE, now=NOW)


async def test_a_workspace_that_an_engine_runs_is_left_alone(tmp_path):
    store = await WorkspaceStore.open(tmp_path, root_slug=ROOT_SLUG, engine_id=ENGINE, now=NOW)
    with pytest.raises(InputRefused, match="engine already runs"):
        move_to_former(tmp_path, holder=ENGINE, now=NOW)
    await store.close()
    assert not (tmp_path / "former").exists()


async def test_links_are_moved_and_not_followed_and_former_is_none(tmp_path):
    await a_workspace(tmp_path)
    (tmp_path / "attention.log").symlink_to(tmp_path / "plan.json")
    where, _ = move_to_former(tmp_path, holder=ENGINE, now=NOW)
    assert (tmp_path / where / "attention.log").is_symlink()
    assert (tmp_path / "plan.json").read_text() == "{}"

    other = tmp_path / "other"
    other.mkdir()
    await a_workspace(other)
    (other / "former").symlink_to(tmp_path)
    with pytest.raises(InputRefused):
        move_to_former(other, holder=ENGINE, now=NOW)
    assert (other / "state.json").exists()
