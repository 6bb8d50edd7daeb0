import json

from orchestrate.cli.main import main
from tests.support.builders import a_task
from tests.support.workspaces import a_plan_document, write_plan


def test_the_runtime_decides_what_a_repository_may_be(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("ORCHESTRATE_RUNTIME", raising=False)
    write_plan(tmp_path, a_plan_document(a_task("a"), repoUrl="../repo"))
    assert main(["validate", str(tmp_path)]) == 2
    assert main(["validate", str(tmp_path), "--runtime", "local"]) == 0
    monkeypatch.setenv("ORCHESTRATE_RUNTIME", "local")
    assert main(["validate", str(tmp_path)]) == 0
    assert main(["validate", str(tmp_path), "--runtime", "cloud"]) == 2


def test_a_good_plan_is_one_object_with_its_warnings(tmp_path, capsys):
    write_plan(tmp_path, a_plan_document(a_task("a", brief="ghp_" + "a1B2" * 9)))
    assert main(["validate", str(tmp_path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["warnings"][0]["path"] == "tasks[0].brief"
    assert main(["validate", str(tmp_path), "-q"]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("attention: ")
