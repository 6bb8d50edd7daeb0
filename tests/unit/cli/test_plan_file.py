"""The file of a plan is read at once or refused."""

import os
from pathlib import Path

import pytest

from orchestrate.cli import plan_file
from orchestrate.cli.plan_file import PlanPlaces, read_plan_file, sized
from orchestrate.errors import InputRefused


def refusal(path: Path) -> str:
    with pytest.raises(InputRefused) as refused:
        read_plan_file(path)
    return refused.value.message


def test_a_file_is_read_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_bytes(b"\xff\x00{}")

    assert read_plan_file(tmp_path / "plan.json") == b"\xff\x00{}"


def test_what_is_no_file_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    assert refusal(tmp_path / "pipe") == f"{tmp_path / 'pipe'} cannot be read: it is no file."
    assert refusal(tmp_path) == f"{tmp_path} cannot be read: is a directory."
    assert refusal(tmp_path / "gone") == f"{tmp_path / 'gone'} cannot be read: no such file or directory."


def test_what_is_too_large_is_no_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan_file, "LARGEST_PLAN_BYTES", 2 * 1024 * 1024)

    with pytest.raises(InputRefused) as refused:
        sized(b"x" * (2 * 1024 * 1024 + 1), Path("plan.json"))

    assert refused.value.message == "plan.json is larger than 2 MiB; that is no plan."


def test_a_field_is_found_on_its_line() -> None:
    places = PlanPlaces(b'\xef\xbb\xbf{\n "goal": "x",\n\n "tasks": [\n{"model": "m"}]\n}', "b.json")

    assert places.line_of("tasks") == "b.json:4"
    assert places.at("tasks", 0, "model") == "b.json:5 tasks[0].model"
