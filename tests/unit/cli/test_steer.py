import io
import json

import pytest

from orchestrate.cli.main import main
from orchestrate.model.messages import FollowUpRun
from orchestrate.store.loading import read_workspace
from tests.support.builders import a_handed_off_row, a_row, a_running_row, a_task, moment, run_of
from tests.support.messages import M1, M2, a_message
from tests.support.workspaces import a_plan_document, write_plan, write_state


@pytest.fixture
def workspace(tmp_path):
    write_plan(tmp_path, a_plan_document(a_task("a"), a_task("b", depends_on=("a",)), runtime={"kind": "local"}))
    write_state(tmp_path, [a_running_row("a"), a_row("b", depends_on=("a",))])
    return tmp_path


def told(capsys):
    return json.loads(capsys.readouterr().out)


def test_a_message_is_kept_with_its_text_and_waits(workspace, capsys):
    assert main(["steer", str(workspace), "a", "--message", "Keep the flag.", "--queue", "--json"]) == 0
    answer = told(capsys)
    assert (answer["outcome"], answer["engineRunning"], answer["position"]) == ("revert_to_followup", False, 1)
    (message,) = read_workspace(workspace).rows["a"].queue
    assert message.id == answer["messageId"]
    assert (workspace / "messages" / f"{message.id}.md").read_bytes() == b"Keep the flag."
    assert b"Keep the flag." not in (workspace / "journal.jsonl").read_bytes()


def test_people_are_told_what_sends_it(workspace, capsys, tmp_path):
    file = tmp_path / "more.md"
    file.write_text("Keep the flag.")
    assert main(["steer", str(workspace), "a", "--message-file", str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("revert_to_followup: message ")
    assert f"orchestrate run {workspace} sends it." in lines[1]


def test_one_that_waits_is_listed_and_taken_back(workspace, capsys):
    main(["steer", str(workspace), "a", "--message", "x", "--json"])
    message = told(capsys)["messageId"]
    assert main(["steer", str(workspace), "a", "--list"]) == 0
    assert capsys.readouterr().out == f"{message}  waits\n"
    assert main(["steer", str(workspace), "a", "--drop", message]) == 0
    assert "taken back" in capsys.readouterr().out
    assert main(["steer", str(workspace), "a", "--list"]) == 0
    assert capsys.readouterr().out == "nobody had a message for a.\n"


def test_the_list_says_what_became_of_each(workspace, capsys):
    runs = (FollowUpRun(run_of("a", 8), M1, 1, moment()), FollowUpRun(run_of("a", 9), M2, 1, moment()))
    queue = (a_message(M2, run_id=run_of("a", 9)), a_message(sent_at=moment()))
    write_state(workspace, [a_handed_off_row("a", runs=runs, queue=queue)])
    assert main(["steer", str(workspace), "a", "--list", "--json"]) == 0
    states = [message["state"] for message in told(capsys)["messages"]]
    assert states == ["answered", "with the agent", "being sent"]
    assert main(["steer", str(workspace), "b", "--list", "--json"]) == 0
    assert told(capsys)["messages"] == []


def test_what_no_agent_can_read_is_refused_before_anything_is_kept(workspace, capsys, monkeypatch):
    for text in ("", "  \n", "a\0b", "x" * 1_000_001, "\ud800"):
        assert main(["steer", str(workspace), "a", "--message", text]) == 2
    assert main(["steer", str(workspace), "a", "--message-file", str(workspace / "none")]) == 2
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xff")))
    assert main(["steer", str(workspace), "a", "--message-file", "-"]) == 2
    assert main(["steer", str(workspace), "a", "--drop", "x"]) == 2
    assert main(["steer", str(workspace), "a"]) == 2
    assert main(["steer", str(workspace), "a", "--message", "x", "--list"]) == 2
    assert "Traceback" not in capsys.readouterr().err
    assert not (workspace / "messages").exists()


def test_a_task_without_an_agent_takes_none(workspace, capsys):
    assert main(["steer", str(workspace), "b", "--message", "x", "--json"]) == 1
    assert told(capsys)["error"]["code"] == "not_launched"
    assert not list((workspace / "messages").iterdir())
