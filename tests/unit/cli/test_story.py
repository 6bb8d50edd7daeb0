import json

import pytest

from orchestrate.cli.main import main
from orchestrate.model.names import EngineId
from orchestrate.model.records import Record
from orchestrate.model.vocabulary import TaskStatus
from tests.support.builders import a_handed_off_row, a_row, a_running_row, a_task, agent_of, moment, run_of
from tests.support.workspaces import a_plan_document, write_journal, write_plan, write_state


def record(seq, event, *rows, at=0.0):
    return Record(seq, EngineId("e"), moment(at), event, rows=rows)


@pytest.fixture
def story(tmp_path, capsys):
    def ask(task: str, *words: str) -> list[str]:
        assert main(["story", str(tmp_path), task, "--color", "never", *words]) == 0
        return capsys.readouterr().out.splitlines()

    return ask


@pytest.fixture
def workspace(tmp_path):
    write_plan(tmp_path, a_plan_document(a_task("a"), a_task("new")))
    done = a_handed_off_row("a", attempt=2, url="https://example.org/a")
    write_state(tmp_path, (done,))
    records = [
        record(1, {"type": "PlanRead"}, a_row("a"), a_row("b")),
        record(2, {"type": "PlanRead"}, a_running_row("a"), at=5),
        record(3, {"type": "RunEnded", "task": "a", "message": "killed"}, a_row("a", attempts=1), at=9),
        record(4, {"type": "RunEnded", "task": "b"}, a_row("b"), at=10),
        record(5, {"type": "TimerFired"}, a_running_row("a", attempt=2), at=12),
        record(6, {"type": "RunEnded", "task": "a"}, done, at=20),
    ]
    write_journal(tmp_path, records)


def test_the_whole_journal_is_told_not_only_its_tail(workspace, story):
    lines = story("a")
    assert lines[0] == "✓ a  handed off, not verified"
    assert lines[1] == "2026-03-04"
    assert "in the plan" in lines[2]
    assert any("ended in error: killed" in line for line in lines)
    assert "handed off" in lines[-1]


def test_ids_of_every_try_are_there_for_those_who_ask(workspace, story):
    text = "\n".join(story("a", "-v"))
    assert f"agent 1 {agent_of('a')}" in text
    assert f"run 2   {run_of('a', 2)}" in text
    assert "https://example.org/a" in text
    assert "branch  cursor/a-1f2a" in text


def test_the_object_has_the_row_and_the_sentences(workspace, story):
    found = json.loads(story("a", "--json")[0])
    assert (found["ok"], found["operation"], found["task"]["standing"]) == (True, "story", "done")
    assert found["story"][0] == {"at": moment(), "text": "in the plan"}


def test_a_state_without_a_journal_tells_what_its_row_says(tmp_path, story):
    failed = a_running_row("c", status=TaskStatus.ERROR, note="error before launch: no", finished_at=moment(3))
    stalled = a_running_row("s", stalled_since=moment(60), note="asked twice", last_update=moment(90), launch=None)
    write_state(tmp_path, (failed, stalled, a_row("w", last_update=None), a_handed_off_row("h", finished_at=moment(9))))
    assert [line[9:] for line in story("c")[2:4]] == [
        "launch 1, as the state has it; there is no journal",
        "error before launch: no",
    ]
    assert [line[9:] for line in story("s")[3:5]] == ["silent since then", "note: asked twice"]
    assert story("h")[3].endswith(" handed-off")
    assert story("w")[1:] == ["  it was never launched"]
    assert f"agent   {agent_of('s')}" in story("s", "-v")[-3]


def test_a_task_that_is_not_there_is_refused_with_the_nearest(workspace, tmp_path, capsys):
    assert main(["story", str(tmp_path), "aa"]) == 2
    assert 'write "a"' in capsys.readouterr().err
