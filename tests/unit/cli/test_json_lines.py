import json

import pytest

from orchestrate.cli.json_lines import JsonLines
from orchestrate.core.changes import Settings
from orchestrate.model.names import EngineId
from orchestrate.model.records import Record
from orchestrate.ports import Publication
from orchestrate.store.lock import Holder
from tests.support.builders import a_plan, a_row, a_running_row, a_state, moment
from tests.support.clocks import StoppedClock
from tests.support.records import attention

HOLDER = Holder(EngineId("e"), "host", "boot", 4121, since=moment(), beat=moment())


@pytest.fixture
def lines(capsys):
    def told() -> list[dict]:
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    return told


def test_first_all_rows_then_each_change(lines):
    state = a_state(a_plan("a", "b"), a_running_row("a"), settings=Settings(max_concurrent=1))
    shown = JsonLines(StoppedClock())
    shown.publish(Publication(state, tuple(state.rows.values()), ()), ())
    (snapshot,) = lines()
    assert (snapshot["event"], snapshot["rootSlug"], snapshot["counts"]["running"]) == ("snapshot", "shop", 1)
    assert {task["name"]: task["standing"] for task in snapshot["tasks"]} == {"a": "running", "b": "ready"}
    record = Record(7, EngineId("e"), moment(3), {}, rows=(a_row("a"),), attention=(attention("look"),))
    shown.publish(Publication(state, record.rows, record.attention), (record,))
    task, told = lines()
    assert (task["event"], task["at"], task["seq"], task["task"]["word"]) == ("task", moment(3), 7, "ready")
    assert (told["event"], told["message"]) == ("attention", "look")
    assert None not in task["task"].values()


def test_engines_are_told(lines):
    shown = JsonLines(StoppedClock())
    shown.engine(HOLDER)
    shown.engine(None)
    shown.close()
    assert lines() == [
        {"event": "engine", "at": moment(), "running": True, "pid": 4121, "host": "host", "since": moment()},
        {"event": "engine", "at": moment(), "running": False},
    ]
