from pathlib import Path

import pytest

from orchestrate.cli.settings import (
    Settings,
    Streams,
    own_program,
    program_in_help,
    program_of,
    read_settings,
    settings_of,
)
from orchestrate.errors import InputRefused

HOME = {"HOME": "/home/ada"}


def settings(variables: dict[str, str] | None = None, **fields) -> Settings:
    return settings_of({**HOME, **(variables or {})}, streams=Streams(), **fields)


def test_an_empty_environment_means_the_defaults():
    found = settings()
    assert found.api_key is None
    assert found.backend_url is None
    assert found.runtime is None
    assert found.agent_depth == 0
    assert not any((found.is_ci, found.no_color, found.force_color, found.is_dumb))
    assert found.state_dir == Path("/home/ada/.local/state/orchestrate")
    assert found.cache_dir == Path("/home/ada/.cache/orchestrate")


def test_xdg_folders_are_taken_and_relative_ones_are_not():
    found = settings({"XDG_STATE_HOME": "/state", "XDG_CACHE_HOME": "cache"})
    assert found.state_dir == Path("/state/orchestrate")
    assert found.cache_dir == Path("/home/ada/.cache/orchestrate")


@pytest.mark.parametrize(
    ("value", "expected"), [("", False), ("0", False), ("false", False), ("1", True), ("true", True)]
)
def test_ci_and_force_color_may_be_switched_off_by_value(value, expected):
    found = settings({"CI": value, "FORCE_COLOR": value})
    assert found.is_ci is expected
    assert found.force_color is expected


@pytest.mark.parametrize(("value", "expected"), [("", False), ("0", True), ("1", True)])
def test_no_color_counts_whatever_it_says(value, expected):
    assert settings({"NO_COLOR": value}).no_color is expected


def test_variables_of_a_file_stand_in_for_missing_ones_only():
    found = settings(
        {"CURSOR_API_KEY": "real"}, file_variables={"CURSOR_API_KEY": "file", "ORCHESTRATE_RUNTIME": "local"}
    )
    assert found.api_key == "real"
    assert found.runtime == "local"
    assert found.environ["ORCHESTRATE_RUNTIME"] == "local"


def test_the_backend_address_never_comes_from_a_file():
    found = settings(file_variables={"CURSOR_BACKEND_URL": "https://elsewhere.example.org"})
    assert found.backend_url is None


def test_secrets_are_not_in_the_printed_form():
    assert "hunter2" not in repr(settings({"CURSOR_API_KEY": "hunter2"}))


@pytest.mark.parametrize("text", ["-1", "two", "1.5", "99999", "²", "9" * 5000])
def test_a_depth_that_is_none_is_refused(text):
    with pytest.raises(InputRefused, match="ORCHESTRATE_AGENT_DEPTH"):
        settings({"ORCHESTRATE_AGENT_DEPTH": text})


def test_the_depth_is_read():
    assert settings({"ORCHESTRATE_AGENT_DEPTH": "2"}).agent_depth == 2
    assert settings({"ORCHESTRATE_PLANNER_ID": " bc-1 "}).planner_id == "bc-1"
    assert settings({"ORCHESTRATE_PLANNER_ID": " "}).planner_id is None


@pytest.mark.parametrize(("text", "expected"), [("132", 132), ("0", None), ("wide", None), ("1234567", None)])
def test_columns_that_are_no_number_count_for_nothing(text, expected):
    assert settings({"COLUMNS": text}).columns == expected


def test_the_program_is_named_as_the_reader_called_it(tmp_path):
    python = tmp_path / "python"
    python.touch(mode=0o755)
    found = program_of([str(python), "-m", "orchestrate"], "/x/__main__.py", search_path=str(tmp_path))
    assert found == "python -m orchestrate"
    away = program_of([str(python), "-m", "orchestrate"], "/x/__main__.py", search_path="/nowhere")
    assert away == f"{python} -m orchestrate"
    assert (
        program_of([".venv/bin/python", "-m", "orchestrate"], "", search_path="") == ".venv/bin/python -m orchestrate"
    )


def test_another_program_of_the_same_name_first_on_the_path_is_not_meant(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
        (folder / "orchestrate").touch(mode=0o755)
    script = str(second / "orchestrate")
    assert program_of(["python", script], script, search_path=f"{first}:{second}") == script
    assert program_of(["python", script], script, search_path=f"{second}:{first}") == "orchestrate"


def test_embedded_in_another_program_it_is_called_by_its_name():
    assert program_of(["python", "tool.py"], "tool.py", search_path="") == "orchestrate"


def test_this_process_has_settings():
    assert read_settings().environ["PATH"]
    assert "orchestrate" in own_program()
    assert "orchestrate" in program_in_help()
