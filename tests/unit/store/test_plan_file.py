import anyio
import pytest

from orchestrate.cli.plan_file import watched_plan_file
from orchestrate.errors import InputRefused, PlanRefused
from orchestrate.model.vocabulary import RuntimeKind
from orchestrate.ports import PlanEdit
from tests.support.builders import a_plan


def text(*tasks):
    return a_plan(*tasks).model_dump_json(by_alias=True, exclude_defaults=True).encode()


def watched(path, examine=None):
    return watched_plan_file(path, path.read_bytes(), plan=a_plan("a"), kind=RuntimeKind.CLOUD, examine=examine)


def test_another_plan_is_read_until_it_is_taken(tmp_path):
    path = tmp_path / "plan.json"
    path.write_bytes(text("a"))
    file = watched(path)
    assert anyio.run(file.read) is None
    path.write_bytes(text("a", "b"))
    for _ in range(2):
        assert anyio.run(file.read) == PlanEdit(a_plan("a", "b"))
    file.take()
    assert anyio.run(file.read) is None


def test_a_faulty_plan_is_refused_until_it_is_mended(tmp_path):
    path = tmp_path / "plan.json"
    path.write_bytes(text("a"))
    file = watched(path)
    path.write_bytes(text("a", "b")[:-5])
    for _ in range(2):
        with pytest.raises(PlanRefused):
            anyio.run(file.read)
    path.write_bytes(text("a"))
    assert anyio.run(file.read) is None


def test_a_plan_is_examined_beside_the_one_in_force(tmp_path):
    path, asked = tmp_path / "plan.json", []
    path.write_bytes(text("a"))

    async def examine(plan, source, former):
        asked.append((plan, source, former))
        if "bad" in plan.tasks_by_name:
            raise InputRefused("it will not do.")
        return ["odd"]

    file = watched(path, examine)
    path.write_bytes(text("a", "bad"))
    with pytest.raises(InputRefused):
        anyio.run(file.read)
    path.write_bytes(text("a", "b"))
    assert anyio.run(file.read) == PlanEdit(a_plan("a", "b"), ("odd",))
    file.take()
    path.write_bytes(text("c"))
    anyio.run(file.read)
    assert asked == [
        (a_plan("a", "bad"), text("a", "bad"), a_plan("a")),
        (a_plan("a", "b"), text("a", "b"), a_plan("a")),
        (a_plan("c"), text("c"), a_plan("a", "b")),
    ]


def test_each_state_of_the_file_has_a_stamp_of_its_own(tmp_path):
    path = tmp_path / "plan.json"
    path.write_bytes(text("a"))
    file, stamps = watched(path), []
    stamps.append(anyio.run(file.stamp))
    (tmp_path / "new.json").write_bytes(text("b"))
    (tmp_path / "new.json").replace(path)
    stamps.append(anyio.run(file.stamp))
    path.unlink()
    stamps.append(anyio.run(file.stamp))
    assert len(set(stamps)) == 3
    assert stamps[2] is None
    with pytest.raises(InputRefused):
        anyio.run(file.read)
