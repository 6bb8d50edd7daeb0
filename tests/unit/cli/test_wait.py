import json
import os
import signal

import pytest

from orchestrate.cli.locating import locate
from orchestrate.cli.main import main
from orchestrate.cli.wait import (
    EXIT_HANDED_OFF,
    EXIT_OTHERWISE,
    EXIT_TIMED_OUT,
    LOOK_SECONDS,
    WITHOUT_ENGINE_SECONDS,
    Looks,
    told,
    wait_until_over,
)
from orchestrate.model.names import EngineId, TaskName
from orchestrate.model.vocabulary import TaskStatus
from orchestrate.store.files import Folder
from orchestrate.store.lock import WorkspaceLock
from tests.support.builders import START, a_handed_off_row, a_row, a_running_row, a_task
from tests.support.workspaces import a_plan_document, write_plan, write_state


class Script:
    """Time that passes only by waiting; what happens at a moment is done while somebody waits for it."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.plot: list[tuple[float, object]] = []

    def now(self) -> float:
        return START + self.seconds

    def monotonic(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        self.seconds += seconds
        while self.plot and self.plot[0][0] <= self.seconds:
            self.plot.pop(0)[1]()

    def at(self, seconds: float, action) -> None:
        self.plot.append((seconds, action))


@pytest.fixture
def clock() -> Script:
    return Script()


@pytest.fixture
def engine(tmp_path):
    """An engine's lock on the workspace, to be taken and given back."""
    lock = WorkspaceLock(Folder(tmp_path), engine=EngineId("e"))
    yield lock
    lock.release()


@pytest.fixture
def workspace(tmp_path, clock):
    """Waits in a workspace with the tasks a and b."""
    write_plan(tmp_path, a_plan_document(a_task("a"), a_task("b", depends_on=("a",))))

    async def wait(task: str | None = None, *, seconds: float | None = None):
        looks = Looks(locate(str(tmp_path)), clock)
        name = None if task is None else TaskName(task)
        return await wait_until_over(looks, task=name, timeout_seconds=seconds, clock=clock)

    return wait


DONE = a_handed_off_row("a"), a_handed_off_row("b", depends_on=("a",))


async def test_what_is_over_already_is_not_waited_for(workspace, tmp_path, clock):
    write_state(tmp_path, DONE)
    assert (await workspace()).exit_code == EXIT_HANDED_OFF
    assert clock.seconds == 0


async def test_it_comes_back_soon_after_the_last_task_has_handed_off(workspace, tmp_path, clock, engine):
    write_state(tmp_path, [a_running_row("a"), a_row("b", depends_on=("a",))])
    engine.acquire(START)
    clock.at(100, lambda: write_state(tmp_path, DONE))
    assert (await workspace()).exit_code == EXIT_HANDED_OFF
    assert 100 <= clock.seconds <= 100 + LOOK_SECONDS


async def test_one_task_may_be_over_before_the_run(workspace, tmp_path, clock, engine):
    write_state(tmp_path, [DONE[0], a_running_row("b")])
    engine.acquire(START)
    assert (await workspace("a")).exit_code == EXIT_HANDED_OFF
    assert (await workspace("b", seconds=60)).exit_code == EXIT_TIMED_OUT
    assert clock.seconds == 60


@pytest.mark.parametrize("status", [TaskStatus.ERROR, TaskStatus.CANCELLED, TaskStatus.PRUNED])
async def test_another_end_is_told_by_the_exit_code(workspace, tmp_path, status):
    write_state(tmp_path, [a_handed_off_row("a", status=status), DONE[1]])
    waited = await workspace("a")
    assert waited.exit_code == EXIT_OTHERWISE
    assert [row.name for row in waited.missing] == ["a"]


async def test_a_task_that_left_the_plan_does_not_keep_the_run_from_being_over(workspace, tmp_path):
    write_state(tmp_path, [*DONE, a_row("gone", status=TaskStatus.PRUNED)])
    assert (await workspace()).exit_code == EXIT_HANDED_OFF


async def test_a_task_that_no_engine_has_read_yet_is_waited_for(workspace, tmp_path, engine):
    write_state(tmp_path, [DONE[0]])
    engine.acquire(START)
    assert (await workspace(seconds=5)).exit_code == EXIT_TIMED_OUT


async def test_an_engine_that_begins_or_comes_back_soon_is_waited_for(workspace, tmp_path, clock, engine):
    clock.at(WITHOUT_ENGINE_SECONDS - 1, lambda: engine.acquire(clock.now()))
    clock.at(100, engine.release)
    clock.at(100 + WITHOUT_ENGINE_SECONDS - 1, lambda: engine.acquire(clock.now()))
    clock.at(200, lambda: write_state(tmp_path, DONE))
    assert (await workspace()).exit_code == EXIT_HANDED_OFF


async def test_without_an_engine_nothing_is_expected_any_more(workspace, tmp_path, clock, engine):
    write_state(tmp_path, [a_running_row("a"), a_row("b", depends_on=("a",))])
    engine.acquire(START)
    clock.at(50, engine.release)
    waited = await workspace()
    assert waited.exit_code == EXIT_OTHERWISE
    assert clock.seconds == pytest.approx(50 + WITHOUT_ENGINE_SECONDS, abs=2 * LOOK_SECONDS)
    first, do = told(waited, task=None, location=locate(str(tmp_path)), program="orchestrate")
    assert first == "error: no engine runs this workspace, and a, b are open."
    assert do.endswith(f"orchestrate status {tmp_path}")


async def test_files_are_read_again_only_after_a_change(tmp_path, clock):
    write_plan(tmp_path, a_plan_document(a_task("a")))
    write_state(tmp_path, [a_running_row("a")])
    looks = Looks(locate(str(tmp_path)), clock)
    first, second = looks(), looks()
    assert second.loaded is first.loaded
    write_state(tmp_path, [a_running_row("a"), a_row("b")])
    assert looks().loaded is not first.loaded


def test_the_end_is_told_in_words_and_as_an_object(tmp_path, capsys):
    write_plan(tmp_path, a_plan_document(a_task("a"), a_task("b")))
    write_state(tmp_path, DONE)
    assert main(["wait", str(tmp_path)]) == 0
    assert capsys.readouterr().err.splitlines()[-1] == "every task of shop handed off"
    assert main(["wait", str(tmp_path), "--until", "a", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["ok"], found["exitCode"], found["isOver"]) == (True, 0, True)
    assert [task["name"] for task in found["tasks"]] == ["a"]
    assert main(["wait", str(tmp_path), "-q"]) == 0
    assert capsys.readouterr() == ("", "")


def test_a_bad_end_says_what_to_look_at(tmp_path, capsys):
    write_plan(tmp_path, a_plan_document(a_task("a"), a_task("b")))
    write_state(tmp_path, [a_handed_off_row("a", status=TaskStatus.ERROR, failure_mode="oom"), DONE[1]])
    assert main(["wait", str(tmp_path)]) == 1
    err = capsys.readouterr().err
    assert "error: a: error after 1 try: oom." in err
    assert f"status {tmp_path}" in err
    assert main(["wait", str(tmp_path), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "not_handed_off"


def test_time_that_is_up_has_a_code_of_its_own(tmp_path, capsys):
    write_plan(tmp_path, a_plan_document(a_task("a")))
    assert main(["wait", str(tmp_path), "--timeout", "0"]) == EXIT_TIMED_OUT
    assert capsys.readouterr().err.splitlines()[-1] == "note: time is up; not handed off yet: a."
    assert main(["wait", str(tmp_path), "--timeout", "0", "--json"]) == EXIT_TIMED_OUT
    found = json.loads(capsys.readouterr().out)
    assert (found["ok"], found["isOver"]) == (True, False)


@pytest.mark.parametrize("words", [["--until", "c"], ["--timeout", "soon"], ["--timeout", "-1"], ["--timeout", "inf"]])
def test_a_wrong_call_waits_for_nothing(tmp_path, words):
    write_plan(tmp_path, a_plan_document(a_task("a")))
    assert main(["wait", str(tmp_path), *words]) == 2


def test_an_interrupt_ends_the_waiting(tmp_path, monkeypatch):
    write_plan(tmp_path, a_plan_document(a_task("a")))

    def interrupting(self) -> float:
        os.kill(os.getpid(), signal.SIGINT)
        return 0.0

    monkeypatch.setattr("orchestrate.system.SystemClock.monotonic", interrupting)
    assert main(["wait", str(tmp_path)]) == 130
