import json

from orchestrate.cli.main import main
from orchestrate.model.names import EngineId
from orchestrate.model.records import Record
from tests.support.builders import a_handed_off_row, a_row, a_running_row, moment
from tests.support.workspaces import write_journal, write_state


def test_the_object_has_every_try(tmp_path, capsys):
    done = a_handed_off_row("a", started_at=moment(60), finished_at=moment(100), attempt=2)
    records = [
        Record(1, EngineId("e"), moment(), {}, rows=(a_running_row("a"), a_row("b", depends_on=("a",)))),
        Record(2, EngineId("e"), moment(50), {}, rows=(a_row("a", attempts=1),)),
        Record(3, EngineId("e"), moment(60), {}, rows=(a_running_row("a", attempt=2, started_at=moment(60)),)),
        Record(4, EngineId("e"), moment(90), {}, rows=(a_running_row("a", attempt=2, stalled_since=moment(70)),)),
        Record(5, EngineId("e"), moment(100), {}, rows=(done,)),
    ]
    write_journal(tmp_path, records)
    write_state(tmp_path, (done, a_row("b", depends_on=("a",))))
    assert main(["timeline", str(tmp_path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert found["tasks"] == [
        {
            "name": "a",
            "standing": "done",
            "tries": [
                {"attempt": 1, "from": moment(), "to": moment(50), "ended": "pending"},
                {"attempt": 2, "from": moment(60), "to": moment(100), "ended": "handed-off"},
            ],
            "waited": [{"from": moment(50), "to": moment(60)}],
            "silent": [{"from": moment(70), "to": moment(100)}],
        },
        {"name": "b", "standing": "ready", "tries": [], "waited": [], "silent": []},
    ]
    assert found["longestPath"] == {"seconds": 40.0, "tasks": ["a"]}


def test_a_state_without_a_journal_has_a_timeline_too(tmp_path, capsys):
    write_state(tmp_path, (a_handed_off_row("a", finished_at=moment(100)),))
    assert main(["timeline", str(tmp_path), "--color", "never"]) == 0
    assert "✓" in capsys.readouterr().out.splitlines()[2]
