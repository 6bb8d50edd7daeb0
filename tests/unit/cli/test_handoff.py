from argparse import Namespace

import pytest

from orchestrate.cli.handoff import run
from orchestrate.cli.main import main
from orchestrate.cli.settings import Streams, settings_of
from tests.support.builders import a_handed_off_row, a_task
from tests.support.workspaces import a_plan_document, write_plan, write_reply, write_state


@pytest.fixture
def workspace(tmp_path):
    write_plan(tmp_path, a_plan_document(a_task("a")))
    write_state(tmp_path, [a_handed_off_row("a")])
    write_reply(tmp_path, "a", raw=b"raw", handoff=b"one\r\n\x1b[31mtwo\xff\n")
    return tmp_path


def test_a_terminal_gets_it_escaped(workspace, capsys):
    args = Namespace(plan=str(workspace), task="a", attempt=None, raw=False)
    assert run(args, settings_of({}, streams=Streams(stdout_is_terminal=True))) == 0
    assert capsys.readouterr().out == "one\n\\x1b[31mtwo\ufffd\n"


def test_a_try_without_a_handoff_is_said(workspace, capsys):
    (workspace / "handoffs" / "attempts" / "a.1.md").unlink()
    assert main(["handoff", str(workspace), "a", "--attempt", "1"]) == 2
    assert "try 1 of a left no handoff" in capsys.readouterr().err


def test_a_link_in_the_place_of_a_handoff_is_not_followed(workspace, tmp_path, capsys):
    secret = tmp_path / "secret"
    secret.write_text("hunter2")
    path = workspace / "handoffs" / "a.md"
    path.unlink()
    path.symlink_to(secret)
    assert main(["handoff", str(workspace), "a"]) == 2
    assert "hunter2" not in "".join(capsys.readouterr())
