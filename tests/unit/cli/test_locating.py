from pathlib import Path

import pytest

from orchestrate.cli.locating import locate, locate_plan
from orchestrate.errors import InputRefused


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def with_plan(folder: Path, name: str = "plan.json") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}")
    return path


def test_a_file_is_taken_whatever_its_name(folder):
    with_plan(folder, "plans/shop.plan.json")
    found = locate("plans/shop.plan.json")
    assert found.path == Path("plans/shop.plan.json")
    assert found.folder == Path("plans")
    assert found.argument == "plans/shop.plan.json"
    assert found.shown("state.json") == "plans/state.json"


def test_a_folder_means_its_plan(folder):
    with_plan(folder, "work/plan.json")
    assert locate("work").path == Path("work/plan.json")
    assert locate_plan("work") == Path("work/plan.json")


def test_nothing_means_the_one_plan_of_the_current_folder(folder):
    with_plan(folder)
    assert locate(None).path == Path("plan.json")
    assert locate(None).argument == "."


def test_nothing_also_means_the_one_at_its_customary_place_and_so_does_a_dot(folder):
    with_plan(folder, ".orchestrate/shop/plan.json")
    assert locate(None).path == locate(".").path == Path(".orchestrate/shop/plan.json")
    assert locate(None).folder == Path(".orchestrate/shop")


def test_two_plans_are_named_and_neither_is_chosen(folder):
    with_plan(folder, ".orchestrate/a/plan.json")
    with_plan(folder, ".orchestrate/b/plan.json")
    with pytest.raises(InputRefused, match="holds 2 plans") as refusal:
        locate(None)
    assert refusal.value.known == (".orchestrate/a/plan.json", ".orchestrate/b/plan.json")


def test_a_folder_that_is_named_and_has_a_plan_is_not_doubted(folder):
    with_plan(folder, "work/plan.json")
    with_plan(folder, "work/.orchestrate/a/plan.json")
    assert locate("work").path == Path("work/plan.json")


def test_no_plan_is_said_with_what_to_name(folder):
    with pytest.raises(InputRefused, match="no plan in this folder"):
        locate(None)
    (folder / "empty").mkdir()
    with pytest.raises(InputRefused, match='no plan in "empty"'):
        locate("empty")


def test_a_state_alone_will_do_for_readers(folder):
    (folder / "state.json").write_text("{}")
    assert locate(None, needs_plan=False).folder == Path()
    with pytest.raises(InputRefused):
        locate(None)


@pytest.mark.parametrize("argument", ["missing.json", "plan.json/x", "", "a\0b", "-", "x" * 5000])
def test_what_is_no_path_is_refused(folder, argument):
    with_plan(folder)
    with pytest.raises(InputRefused):
        locate(argument)


def test_paths_are_quoted_for_a_shell(folder):
    with_plan(folder, "my work/plan.json")
    assert locate("my work").argument == "'my work'"
