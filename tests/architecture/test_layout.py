"""Where things stand: each source file of the pure layers has its test file, and no file grows without end."""

from pathlib import Path

import pytest

_PROJECT = Path(__file__).parents[2]
_PACKAGE = _PROJECT / "orchestrate"
_LONGEST_FILE = 400
_BANNED_NAMES = {"utils", "helpers", "common", "manager", "misc"}


def _sources(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*.py")) if path.name != "__init__.py"]


@pytest.mark.parametrize("package", ["core", "text", "model"])
def test_each_source_file_has_its_test_file(package):
    tests = {path.name for path in (_PROJECT / "tests" / "unit" / package).glob("test_*.py")}
    missing = [path.name for path in _sources(_PACKAGE / package) if f"test_{path.name}" not in tests]
    assert missing == []


@pytest.mark.parametrize("package", ["core", "text", "model"])
def test_each_test_file_has_its_source_file(package):
    sources = {f"test_{path.name}" for path in _sources(_PACKAGE / package)}
    orphans = [
        path.name for path in (_PROJECT / "tests" / "unit" / package).glob("test_*.py") if path.name not in sources
    ]
    assert orphans == []


def test_no_source_file_is_longer_than_400_lines():
    lengths = {path.relative_to(_PROJECT).as_posix(): len(path.read_text().splitlines()) for path in _sources(_PACKAGE)}
    assert {name: length for name, length in lengths.items() if length > _LONGEST_FILE} == {}


def test_no_module_is_named_after_nothing():
    assert [path.name for path in _sources(_PACKAGE) if path.stem in _BANNED_NAMES] == []
