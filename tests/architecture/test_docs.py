"""Pages that are made from the code are current."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

_PROJECT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", _PROJECT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_generated_page_is_current(generate):
    on_disk = {name: (_PROJECT / name).read_text(encoding="utf-8") for name in generate.pages()}
    assert on_disk == generate.pages(), "run: python docs/generate.py"


def test_the_check_says_which_page_is_not_current(generate, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(generate, "_PROJECT", tmp_path)
    assert generate.main(["--check"]) == 1
    assert "docs/state-machine.md is not current" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_writing_the_pages_makes_them_current(generate, monkeypatch, tmp_path):
    monkeypatch.setattr(generate, "_PROJECT", tmp_path)
    assert generate.main([]) == 0
    assert generate.main(["--check"]) == 0


def test_the_page_names_every_event_and_effect(generate):
    page = generate.state_machine()
    assert all(f"| `{name}` |" in page for name in ("EngineStarted", "EffectFailed", "LaunchAgent", "EndRun"))
