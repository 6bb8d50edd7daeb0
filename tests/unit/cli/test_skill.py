"""``skill install``: what is written, what is kept, and what is told."""

import json
from pathlib import Path

import pytest

from orchestrate.cli.main import main
from orchestrate.shipped import shipped

SOURCE = shipped("skills") / "orchestrate"


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_whole_skill_is_written_where_agents_look_for_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    assert main(["skill", "install"]) == 0

    assert contents(tmp_path / ".agents/skills/orchestrate") == contents(SOURCE)
    assert capsys.readouterr() == ("", f".agents/skills/orchestrate: {len(contents(SOURCE))} files written\n")


def test_a_second_time_there_is_nothing_to_do(tmp_path, capsys):
    main(["skill", "install", "--dir", str(tmp_path)])
    capsys.readouterr()

    assert main(["skill", "install", "--dir", str(tmp_path)]) == 0

    assert "has the skill already" in capsys.readouterr().err


def test_a_file_that_somebody_changed_is_kept_until_force(tmp_path, capsys):
    changed = tmp_path / "orchestrate/SKILL.md"
    changed.parent.mkdir()
    changed.write_text("mine")

    assert main(["skill", "install", "--dir", str(tmp_path)]) == 2
    assert "Nothing was written" in capsys.readouterr().err
    assert contents(tmp_path) == {"orchestrate/SKILL.md": b"mine"}

    assert main(["skill", "install", "--dir", str(tmp_path), "--force"]) == 0
    assert contents(tmp_path / "orchestrate") == contents(SOURCE)


def test_one_changed_file_is_the_only_one_written_again(tmp_path, capsys):
    main(["skill", "install", "--dir", str(tmp_path)])
    (tmp_path / "orchestrate/SKILL.md").write_text("an older one")
    (tmp_path / "orchestrate/own.md").write_text("mine")
    capsys.readouterr()

    assert main(["skill", "install", "--dir", str(tmp_path), "--force", "--json"]) == 0

    document = json.loads(capsys.readouterr().out)
    assert document["written"] == [str(tmp_path / "orchestrate/SKILL.md")]
    assert (tmp_path / "orchestrate/own.md").read_text() == "mine"


def test_a_dry_run_writes_nothing(tmp_path, capsys):
    assert main(["skill", "install", "--dir", str(tmp_path), "--dry-run", "--json"]) == 0

    document = json.loads(capsys.readouterr().out)
    assert (document["ok"], document["operation"], document["dryRun"]) == (True, "skill", True)
    assert len(document["written"]) == len(contents(SOURCE))
    assert contents(tmp_path) == {}


def test_quiet_says_nothing(tmp_path, capsys):
    assert main(["-q", "skill", "install", "--dir", str(tmp_path)]) == 0
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("words", [["skill"], ["skill", "remove"], ["skill", "install", "more"]])
def test_a_line_that_cannot_be_read_is_refused(words):
    assert main(words) == 2
