"""The files of the skill, and what keeps them from being written."""

from pathlib import Path

import pytest

from orchestrate.cli.skill_files import install, skill_files
from orchestrate.errors import InputRefused


def test_a_folder_in_the_place_of_a_file_loses_nothing(tmp_path):
    (tmp_path / "orchestrate/SKILL.md").mkdir(parents=True)

    for replaces in (False, True):
        with pytest.raises(InputRefused):
            install(skill_files(tmp_path), replaces=replaces)
    assert (tmp_path / "orchestrate/SKILL.md").is_dir()


def test_a_link_to_nowhere_is_somebodys_and_its_target_is_not_made(tmp_path):
    (tmp_path / "orchestrate").mkdir()
    (tmp_path / "orchestrate/SKILL.md").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(InputRefused):
        install(skill_files(tmp_path), replaces=False)
    install(skill_files(tmp_path), replaces=True)

    assert not (tmp_path / "elsewhere").exists()
    assert not (tmp_path / "orchestrate/SKILL.md").is_symlink()


@pytest.mark.parametrize("name", ["file", "a\0b"])
def test_a_folder_that_cannot_be_is_refused(tmp_path, name):
    (tmp_path / "file").write_text("")

    with pytest.raises(InputRefused, match="cannot be written"):
        install(skill_files(Path(tmp_path / name)), replaces=False)


def test_no_part_of_a_file_is_left(tmp_path):
    install(skill_files(tmp_path), replaces=False)

    assert not list(tmp_path.rglob(".*"))
