import json
from types import SimpleNamespace

import pytest

import orchestrate
from orchestrate.cli import main as entry
from orchestrate.errors import InputRefused, OrchestrateError, PlanRefused, StorageFailed
from orchestrate.model.faults import Fault


@pytest.fixture
def verb(monkeypatch):
    """The verb ``status`` with a body of the test's choosing."""

    def use(body):
        module = SimpleNamespace(configure=lambda parser: parser.add_argument("--json", action="store_true"), run=body)
        monkeypatch.setattr(entry, "import_module", lambda _name: module)

    return use


def raising(error: BaseException):
    def body(_args, _settings):
        raise error

    return body


def test_without_a_verb_it_shows_what_it_can_do(capsys):
    assert entry.main([]) == 0
    assert entry.main(["--help"]) == 0
    assert entry.main(["help"]) == 0
    out, err = capsys.readouterr()
    assert out.count("quickstart") >= 3
    assert err == ""


def test_the_version(capsys):
    assert entry.main(["--version"]) == 0
    assert capsys.readouterr().out == f"orchestrate {orchestrate.__version__}\n"


@pytest.mark.parametrize(
    "words", [["help", "status"], ["status", "--help"], ["status", "--bogus", "-h"], ["-h", "status"]]
)
def test_help_of_a_verb(words, capsys):
    assert entry.main(words) == 0
    assert "usage:" in capsys.readouterr().out


def test_a_typing_error_is_answered_with_the_nearest_verb(capsys):
    assert entry.main(["statsu"]) == 2
    assert capsys.readouterr().err.splitlines()[1].endswith("status")
    assert entry.main(["xyzzy"]) == 2
    assert "--help shows all verbs" in capsys.readouterr().err
    assert entry.main(["help", "xyzzy"]) == 2


def test_the_verbs_code_is_the_code(verb):
    verb(lambda _args, _settings: 100)
    assert entry.main(["status"]) == 100


@pytest.mark.parametrize(
    ("error", "plain", "as_json"),
    [
        (InputRefused("no plan", hint="name one"), 2, 1),
        (StorageFailed("the disk is full"), 1, 1),
        (PlanRefused("1 fault", faults=[Fault("goal", "is missing", 1)]), 2, 1),
    ],
)
def test_a_refusal_has_its_code_and_one_object_with_json(verb, capsys, error, plain, as_json):
    verb(raising(error))
    assert entry.main(["status"]) == plain
    assert capsys.readouterr().err.startswith("error: ")
    assert entry.main(["status", "--json"]) == as_json
    out, err = capsys.readouterr()
    assert json.loads(out)["ok"] is False
    assert err == ""


def test_a_line_that_cannot_be_read_is_still_one_object(verb, capsys):
    verb(raising(OrchestrateError("never called")))
    assert entry.main(["status", "--json", "--bogus"]) == 2
    found = json.loads(capsys.readouterr().out)
    assert (found["operation"], found["error"]["code"]) == ("status", "usage_refused")


def test_a_bug_is_one_line_without_a_traceback(verb, capsys):
    verb(raising(ZeroDivisionError("division by zero")))
    assert entry.main(["status"]) == 1
    err = capsys.readouterr().err
    assert err.startswith("error: a fault of this program: ZeroDivisionError: division by zero\n")
    assert "Traceback" not in err
    assert entry.main(["status", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["ok"] is False


def test_an_error_out_of_a_task_group_is_told_as_itself(verb, capsys):
    inner = ExceptionGroup("tasks", [ValueError("cancelled beside it"), StorageFailed("full", hint="make room")])
    verb(raising(ExceptionGroup("tasks", [inner])))
    assert entry.main(["status"]) == 1
    assert capsys.readouterr().err == "error: full.\n  do     make room\n"


def test_verbose_shows_where_it_came_from(verb, capsys):
    verb(raising(ZeroDivisionError()))
    assert entry.main(["-v", "status"]) == 1
    assert "Traceback" in capsys.readouterr().err
    verb(raising(InputRefused("no plan")))
    assert entry.main(["status", "-v"]) == 2
    assert "Traceback" in capsys.readouterr().err


def test_an_interrupt_is_130(verb):
    verb(raising(KeyboardInterrupt()))
    assert entry.main(["status"]) == 130


def test_a_verb_without_a_dry_run_refuses_one(verb, capsys):
    verb(raising(OrchestrateError("never called")))
    assert entry.main(["-n", "quickstart"]) == 2
    assert "quickstart has no --dry-run" in capsys.readouterr().err
    assert entry.main(["quickstart", "-n"]) == 2


def test_a_hidden_verb_is_in_no_help_and_is_never_proposed(capsys):
    assert entry.main(["--help"]) == 0
    assert "_tasks" not in capsys.readouterr().out
    assert entry.main(["tasks"]) == 2
    assert "_tasks" not in capsys.readouterr().err


def test_variables_of_a_file_reach_the_verb(verb, tmp_path):
    path = tmp_path / "variables"
    path.write_text("ORCHESTRATE_RUNTIME=from-the-file\n")
    seen = []

    def body(_args, settings):
        seen.append(settings.environ["ORCHESTRATE_RUNTIME"])
        return 0

    verb(body)
    assert entry.main(["status", "--env-file", str(path)]) == 0
    assert seen == ["from-the-file"]
    assert entry.main(["status", "--env-file", str(tmp_path / "missing")]) == 2


def test_faults_name_the_plan_as_it_was_named(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "plan.json").write_text("[]")
    assert entry.main(["validate", "work"]) == 2
    assert capsys.readouterr().err.startswith("error: work/plan.json:1: ")


def test_what_an_env_file_holds_as_secret_is_in_no_error(tmp_path, capsys):
    (tmp_path / "more.env").write_text("DEPLOY_TOKEN=blue-heron-7\n")
    (tmp_path / "plan.json").write_text('{"goal": "g", "blue-heron-7": 1}')
    for words in (["validate", str(tmp_path)], ["validate", str(tmp_path), "--json"], ["status", "blue-heron-7"]):
        assert entry.main([*words, "--env-file", str(tmp_path / "more.env")]) == 2
        told = "".join(capsys.readouterr())
        assert "[redacted]" in told
        assert "blue-heron-7" not in told
