import anyio
import pytest

from orchestrate.cli.plan_file import watched_plan_file
from orchestrate.errors import InputRefused, PlanRefused
from orchestrate.model.vocabulary import RuntimeKind
from tests.support.builders import a_plan


def text(*tasks):
    return a_plan(*tasks).model_dump_json(by_alias=True, exclude_defaults=True).encode()


def watched(path):
    return watched_plan_file(path, path.read_bytes(), kind=RuntimeKind.CLOUD)


def test_another_plan_is_read_once(tmp_path):
    path = tmp_path / "plan.json"
    path.write_bytes(text("a"))
    file = watched(path)
    assert anyio.run(file.read) is None
    path.write_bytes(text("a", "b"))
    assert [task.name for task in anyio.run(file.read).tasks] == ["a", "b"]
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
