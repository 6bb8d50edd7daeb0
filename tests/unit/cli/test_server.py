import json
import os

import pytest

from orchestrate.cli import main as entry
from orchestrate.server.processes import process_start


@pytest.fixture
def folder(tmp_path):
    """A server's folder whose server is ended after the test, whatever happened."""
    path = tmp_path / "server"
    yield path
    entry.main(["server", "stop", "--state-dir", str(path)])


def said(capsys, *words) -> dict[str, object]:
    assert entry.main(["server", *map(str, words), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_server_is_started_looked_at_and_stopped(folder, capsys):
    assert said(capsys, "status", "--state-dir", folder)["running"] is False
    assert said(capsys, "start", "-n", "--state-dir", folder)["dryRun"] is True
    started = said(capsys, "start", "--state-dir", folder)
    assert started["url"].startswith("http://127.0.0.1:")
    assert "token" not in started
    running = said(capsys, "status", "--state-dir", folder)
    assert (running["running"], running["url"], running["liveRuns"]) == (True, started["url"], 0)
    assert entry.main(["server", "status", "--state-dir", str(folder)]) == 0
    assert started["url"] in capsys.readouterr().out
    assert said(capsys, "stop", "-n", "--state-dir", folder)["running"] is True
    assert said(capsys, "stop", "--state-dir", folder)["stopped"] is True
    assert said(capsys, "stop", "--state-dir", folder)["stopped"] is False


@pytest.mark.parametrize(
    "words", [["start", "--port", "99999"], ["start", "--port", "x"], ["start", "--idle-seconds", "0"], ["restart"], []]
)
def test_what_cannot_be_read_is_refused(words, capsys):
    assert entry.main(["server", *words]) == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_serving_can_be_told_without_being_done(tmp_path, capsys):
    assert entry.main(["server", "serve", "-n", "--state-dir", str(tmp_path / "server")]) == 0
    assert "would be run" in capsys.readouterr().out
    assert not (tmp_path / "server").exists()


def test_of_a_server_of_a_foreign_format_only_what_is_known_is_told(tmp_path, capsys):
    process = {"pid": os.getpid(), "started": process_start(os.getpid())}
    (tmp_path / "server.json").write_text(json.dumps(process))
    assert entry.main(["server", "status", "--state-dir", str(tmp_path)]) == 0
    told = f"the server runs (pid {os.getpid()}, of another version) for 0 agents"
    assert capsys.readouterr().out.strip() == told
    assert said(capsys, "status", "--state-dir", tmp_path) == {
        "ok": True,
        "operation": "server-status",
        "running": True,
        "pid": os.getpid(),
        "liveRuns": 0,
    }


def test_a_program_for_clients_that_name_none_has_to_be_there(tmp_path, capsys):
    words = ["server", "serve", "-n", "--state-dir", str(tmp_path / "server"), "--agent-command"]
    assert entry.main([*words, "sh"]) == 0
    assert entry.main([*words, "./no-such-program"]) == 2
    assert "--agent-command" in capsys.readouterr().err
