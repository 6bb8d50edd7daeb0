from pathlib import Path

import pytest

from orchestrate.model.vocabulary import FailureMode, TaskStatus
from tests.support.builders import a_handed_off_row, a_row, a_running_row, a_task, a_verifier
from tests.support.command_line import orchestrate
from tests.support.workspaces import a_plan_document, write_plan, write_reply, write_request, write_state

HANDOFF = b"<!-- orchestrate handoff\ntask: a\n-->\n\n## Status\nsuccess \x1b[31mred\r\n"


@pytest.fixture
def workspace(tmp_path) -> Path:
    write_plan(
        tmp_path, a_plan_document(a_task("a"), a_task("b", depends_on=("a",)), a_task("c"), a_verifier("v", "b"))
    )
    rows = [
        a_handed_off_row("a", attempt=2),
        a_row("b", depends_on=("a",)),
        a_running_row("c", status=TaskStatus.ERROR, failure_mode=FailureMode.OOM, note="killed"),
        a_row("v", depends_on=("b",)),
    ]
    write_state(tmp_path, rows)
    write_reply(tmp_path, "a", 1, raw=b"first\xff", handoff=b"first")
    write_reply(tmp_path, "a", 2, raw=b"secret \xff\n", handoff=HANDOFF)
    write_reply(tmp_path, "c", handoff=b"half", postmortem=b"# why c failed\n")
    write_request(tmp_path, "a", 2, prompt="Do a.\n")
    return tmp_path


def test_the_latest_handoff_goes_into_a_pipe_as_it_is(workspace):
    done = orchestrate("handoff", ".", "a", cwd=workspace)
    assert (done.code, done.err) == (0, "")
    assert done.out.encode() == HANDOFF


def test_that_of_another_try_and_the_raw_one(workspace):
    assert orchestrate("handoff", ".", "a", "--attempt", "1", cwd=workspace).out == "first"
    raw = orchestrate("handoff", ".", "a", "--raw", cwd=workspace, text_out=False)
    assert raw.out == "secret \ufffd\n"
    assert (
        orchestrate("handoff", ".", "a", "--raw", "--attempt", "1", cwd=workspace, text_out=False).out == "first\ufffd"
    )


def test_after_an_error_the_postmortem_says_more(workspace):
    assert orchestrate("handoff", ".", "c", cwd=workspace).out == "# why c failed\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["b"], "b has no handoff: it is pending."),
        (["aa"], 'there is no task "aa" in this folder\'s plan.'),
        (["a", "--attempt", "9"], "there is no try 9 of a: it has 2 so far."),
        (["b", "--attempt", "1"], "there is no try 1 of b: it was never tried."),
        (["a", "--attempt", "0"], "is no number from 1 on"),
        (["../a"], 'there is no task "../a" in this folder\'s plan.'),
        ([], "missing: TASK"),
    ],
)
def test_what_is_not_there_is_one_clear_error(workspace, words, said):
    done = orchestrate("handoff", ".", *words, cwd=workspace)
    assert done.code == 2
    assert said in done.err


def test_a_workspace_that_was_never_run_has_no_handoff(tmp_path):
    write_plan(tmp_path, a_plan_document(a_task("a")))
    done = orchestrate("handoff", ".", "a", cwd=tmp_path)
    assert done.code == 2
    assert done.err.rstrip().endswith("orchestrate run .")


def test_the_prompt_that_was_sent_is_shown_as_it_was(workspace):
    done = orchestrate("prompt", ".", "a", cwd=workspace)
    assert (done.code, done.out, done.err) == (0, "Do a.\n", "")
    assert orchestrate("prompt", ".", "a", "--attempt", "1", cwd=workspace).code == 2


def test_the_prompt_of_a_task_to_come_is_rendered_with_what_was_handed_off(workspace):
    done = orchestrate("prompt", ".", "b", cwd=workspace)
    assert done.code == 0
    assert "success" in done.out
    assert "b is done." in done.out
    assert done.err == ""


def test_what_will_still_change_in_it_is_noted(workspace):
    done = orchestrate("prompt", ".", "v", cwd=workspace)
    assert done.err == "note: not handed off yet, so not in this prompt: b\n"
    assert orchestrate("prompt", ".", "v", "-q", cwd=workspace).err == ""


def test_a_prompt_can_be_read_before_the_first_run(tmp_path):
    write_plan(tmp_path, a_plan_document(a_task("a")))
    done = orchestrate("prompt", ".", "a", cwd=tmp_path)
    assert done.code == 0
    assert "a is done." in done.out
    assert "never run" in done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["plan.json"]
    assert 'write "a"' in orchestrate("prompt", ".", "A", cwd=tmp_path).err


def test_a_request_that_is_damaged_is_said(workspace):
    (workspace / "requests" / "a.2.json").write_text("[]")
    done = orchestrate("prompt", ".", "a", cwd=workspace)
    assert done.code == 2
    assert "requests/a.2.json is no request of ours" in done.err


def test_a_folder_of_templates_that_is_none_is_refused(workspace):
    assert orchestrate("prompt", ".", "b", "--templates", "none", cwd=workspace).code == 2
