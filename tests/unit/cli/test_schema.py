import json

import pytest

from orchestrate.cli.main import main
from orchestrate.model.schema import plan_schema
from orchestrate.model.state_schema import state_schema

SCHEMAS = [("plan", plan_schema), ("state", state_schema)]


@pytest.mark.parametrize(("which", "made"), SCHEMAS, ids=["plan", "state"])
def test_it_is_printed(which, made, capfdbinary):
    assert main(["schema", which]) == 0
    assert json.loads(capfdbinary.readouterr().out) == made()


def test_it_is_written_where_it_is_wanted(tmp_path, capsys):
    path = tmp_path / "plan.schema.json"
    path.write_text("an old one")
    assert main(["schema", "plan", "--out", str(path)]) == 0
    assert json.loads(path.read_text()) == plan_schema()
    assert capsys.readouterr() == ("", f"{path} written\n")
    assert main(["-q", "schema", "plan", "--out", str(path)]) == 0
    assert capsys.readouterr() == ("", "")


def test_a_dry_run_writes_nothing(tmp_path, capsys):
    path = tmp_path / "plan.schema.json"
    assert main(["schema", "plan", "--out", str(path), "-n"]) == 0
    assert "would be written" in capsys.readouterr().err
    assert not path.exists()


def test_a_file_that_cannot_be_written_is_told(tmp_path, capsys):
    assert main(["schema", "plan", "--out", str(tmp_path / "missing" / "x")]) == 2
    assert "cannot be written" in capsys.readouterr().err
    assert main(["schema", "moon"]) == 2
