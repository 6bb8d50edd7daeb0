import io

import pytest

from orchestrate.cli.main import main
from orchestrate.cli.task_names import with_task_names
from orchestrate.cli.usage import UsageRefused
from tests.support.builders import a_row, a_task
from tests.support.workspaces import a_plan_document, write_plan, write_state


@pytest.fixture
def names(monkeypatch, capsys):
    """The names for a command line so far."""

    def asked(*words: str) -> list[str]:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{word}\n" for word in words)))
        assert main(["_tasks"]) == 0
        out, err = capsys.readouterr()
        assert err == ""
        return out.split()

    return asked


def test_names_come_from_the_state_and_the_plan(tmp_path, names):
    write_plan(tmp_path, a_plan_document(a_task("a"), a_task("new")))
    write_state(tmp_path, [a_row("a"), a_row("gone")])
    assert names("handoff", "--json", str(tmp_path)) == ["a", "gone", "new"]
    assert names(str(tmp_path / "plan.json")) == ["a", "gone", "new"]


def test_the_current_folder_is_meant_where_no_word_is_a_plan(tmp_path, monkeypatch, names):
    write_plan(tmp_path / ".orchestrate" / "x", a_plan_document(a_task("a")))
    (tmp_path / "README.md").write_text("")
    monkeypatch.chdir(tmp_path)
    assert names() == ["a"]
    assert names("handoff", "README.md", "~nobody-of-this-name/x", "-h") == ["a"]


@pytest.mark.parametrize("text", ["", "[]", '{"tasks": 3}', '{"tasks": [1, {"name": 2}, {"name": "$(x) `y`"}]}'])
def test_what_is_no_name_is_never_printed(tmp_path, text, names):
    (tmp_path / "plan.json").write_text(text)
    assert names(str(tmp_path)) == []


def test_a_line_without_its_task_is_told_which_there_are(tmp_path):
    write_plan(tmp_path, a_plan_document(a_task("a"), a_task("b")))
    refusal = with_task_names(UsageRefused("missing: TASK", hint="help"), words=["-v", str(tmp_path)])
    assert (refusal.message, refusal.hint, refusal.known) == ("missing: TASK", "help", ("tasks: a, b",))
    assert with_task_names(UsageRefused("missing: TASK"), words=[str(tmp_path / "nowhere")]).known == ()
