"""What the wheel holds."""

import zipfile
from pathlib import Path

import pytest

from tests.support.wheel import PROJECT, build_wheel

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def names(wheel: Path) -> frozenset[str]:
    with zipfile.ZipFile(wheel) as archive:
        return frozenset(archive.namelist())


@pytest.mark.parametrize("folder", ["templates", "plans", "examples"])
def test_the_wheel_holds_every_file_that_comes_with_the_program(names: frozenset[str], folder: str) -> None:
    files = [path for path in (PROJECT / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    expected = {f"orchestrate/_shipped/{path.relative_to(PROJECT)}" for path in files}

    assert expected
    assert expected <= names


def test_the_wheel_holds_the_package_and_its_types(names: frozenset[str]) -> None:
    modules = {str(path.relative_to(PROJECT)) for path in (PROJECT / "orchestrate").rglob("*.py")}

    assert {*modules, "orchestrate/py.typed"} <= names


def test_the_wheel_holds_nothing_else(names: frozenset[str]) -> None:
    others = [name for name in names if not name.startswith(("orchestrate/", "orchestrate_agents-0.1.0.dist-info/"))]

    assert others == []
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]


def test_the_wheel_has_the_console_script_and_the_licence(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        scripts = archive.read("orchestrate_agents-0.1.0.dist-info/entry_points.txt").decode()
        licence = archive.read("orchestrate_agents-0.1.0.dist-info/licenses/LICENSE").decode()

    assert "orchestrate = orchestrate.__main__:main" in scripts
    assert licence.startswith("MIT License")
