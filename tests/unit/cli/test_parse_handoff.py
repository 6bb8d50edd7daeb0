import io
import json
import sys

import pytest

from orchestrate.cli import parse_handoff
from orchestrate.cli.main import main

GOOD = """## Status
success

## Branch
`cursor/a-1f2a`

## Measurements
- lines: 10 → 5

## Verification
unit-test-verified
"""


def test_every_value_is_shown(tmp_path, capsys):
    path = tmp_path / "handoff.md"
    path.write_text(GOOD)
    assert main(["parse-handoff", str(path)]) == 0
    out = capsys.readouterr().out
    for line in ("status        success", "branch        cursor/a-1f2a", "measurement   lines: 10 → 5"):
        assert line in out
    assert "nothing in it is odd" in out


def test_an_odd_message_is_shown_with_its_notes_and_is_no_failure(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"## Verification\nmaybe\n\x1b[2J\xff")))
    assert main(["parse-handoff", "-", "--type", "verifier", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["ok"], found["operation"], found["type"]) == (True, "parse-handoff", "verifier")
    assert (found["verification"], found["structured"], found["prNumber"]) == (None, True, None)
    assert found["notes"] == ["Verification: no verification level can be read: maybe"]


def test_a_repository_decides_whose_links_count(tmp_path, capsys):
    path = tmp_path / "handoff.md"
    path.write_text("## Branch\nhttps://github.com/o/r/tree/cursor/x\n## Notes\nhttps://github.com/o/r/pull/5\n")
    assert main(["parse-handoff", str(path), "--json", "--repo-url", "https://github.com/o/r"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["branch"], found["prNumber"]) == ("cursor/x", 5)
    assert main(["parse-handoff", str(path), "--json", "--repo-url", "https://github.com/o/other"]) == 0
    assert json.loads(capsys.readouterr().out)["branch"] is None


@pytest.mark.parametrize("name", ["missing.md", ".", "\0"])
def test_what_cannot_be_read_is_refused(tmp_path, capsys, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    assert main(["parse-handoff", name]) == 2
    assert "cannot be read" in capsys.readouterr().err
    assert main(["parse-handoff", name, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["ok"] is False


def test_a_file_that_is_too_large_is_refused(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(parse_handoff, "LARGEST_BYTES", 3)
    (tmp_path / "x.md").write_text("four")
    assert main(["parse-handoff", str(tmp_path / "x.md")]) == 2
    assert "is no handoff" in capsys.readouterr().err
