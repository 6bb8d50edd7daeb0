import json
import os
import signal
from argparse import Namespace
from collections.abc import Callable

import anyio
import pytest

from orchestrate.cli import watching
from orchestrate.cli.files_feed import FilesFeed
from orchestrate.cli.locating import locate
from orchestrate.cli.picture import Picture, picture_of
from orchestrate.cli.settings import Streams, settings_of
from orchestrate.cli.watching import Following
from orchestrate.errors import WorkspaceDamaged
from orchestrate.model.names import EngineId
from orchestrate.model.records import Record
from orchestrate.model.vocabulary import TaskStatus
from orchestrate.store.files import Folder
from orchestrate.store.lock import WorkspaceLock
from tests.support.builders import START, a_handed_off_row, a_row, a_running_row, a_task, moment
from tests.support.clocks import StoppedClock
from tests.support.workspaces import a_plan_document, write_journal, write_plan, write_state

DONE = Record(1, EngineId("e"), moment(1), {"type": "RunEnded"}, rows=(a_handed_off_row("a"),))


class ScriptedClock(StoppedClock):
    """Lets something happen in a certain look."""

    def __init__(self) -> None:
        super().__init__()
        self.looks = 0
        self.script: dict[int, Callable[[], None]] = {}

    async def sleep(self, seconds: float) -> None:
        await super().sleep(seconds)
        await anyio.lowlevel.checkpoint()
        self.looks += 1
        assert self.looks < 1000, "nobody ends the watching"
        self.script.pop(self.looks, lambda: None)()


class Notes:
    """A watcher that writes down what it is told."""

    def __init__(self) -> None:
        self.told: list[object] = []

    def publish(self, publication, records):
        self.told.append([row.name for row in publication.rows] if not records else [each.seq for each in records])

    def engine(self, holder):
        self.told.append("no engine" if holder is None else holder.engine)

    async def keep_drawing(self):
        """Nothing is drawn."""

    def finish(self, picture, exit_code):
        """Nobody asks for it here."""

    def close(self):
        """Nothing moves."""


@pytest.fixture
def folder(tmp_path):
    write_plan(tmp_path, a_plan_document(a_task("a")))
    write_state(tmp_path, (a_running_row("a"),))
    return tmp_path


@pytest.fixture
def clock():
    return ScriptedClock()


@pytest.fixture
def engine(folder):
    locks = []

    def start(name="e"):
        lock = WorkspaceLock(Folder(folder), engine=EngineId(name))
        lock.acquire(START)
        locks.append(lock)
        return lock

    yield start
    for lock in locks:
        lock.release()


def picture(folder) -> Picture:
    return picture_of(locate(str(folder)), now=START)


async def follow(folder, clock, *, until_done=False) -> list[object]:
    notes = Notes()
    feed = FilesFeed(picture(folder))
    await Following(locate(str(folder)), feed, notes, clock=clock, until_done=until_done).run()
    return notes.told


async def test_it_follows_until_the_engine_has_ended_and_misses_nothing(folder, clock, engine):
    lock = engine()
    clock.script = {3: lambda: write_journal(folder, [DONE]), 6: lock.release}
    assert await follow(folder, clock) == [["a"], "e", [1], "no engine"]


async def test_what_an_engine_writes_in_its_last_moment_is_told(folder, clock, engine):
    lock = engine()

    def end() -> None:
        write_journal(folder, [DONE])
        lock.release()

    clock.script = {4: end}
    assert await follow(folder, clock) == [["a"], "e", [1], "no engine"]


async def test_without_an_engine_there_is_nothing_to_follow(folder, clock):
    assert await follow(folder, clock) == [["a"], "no engine"]
    assert clock.looks == 0


async def test_until_done_waits_for_the_next_engine(folder, clock, engine):
    locks = []
    clock.script = {
        4: lambda: locks.append(engine("second")),
        12: lambda: write_journal(folder, [DONE]),
        16: lambda: locks[0].release(),
    }
    assert await follow(folder, clock, until_done=True) == [["a"], "no engine", "second", [1], "no engine"]


async def test_until_done_ends_when_it_is_the_planners_turn(folder, clock):
    write_state(folder, (a_running_row("a", status=TaskStatus.ERROR),))
    assert await follow(folder, clock, until_done=True) == [["a"], "no engine"]


async def test_one_engine_behind_another_is_told(folder, clock, engine):
    first = engine("first")

    def swap() -> None:
        first.release()
        second = engine("second")
        clock.script[clock.looks + 8] = second.release

    clock.script = {2: swap}
    assert await follow(folder, clock) == [["a"], "first", "second", "no engine"]


async def test_files_that_break_meanwhile_are_one_clear_error(folder, clock, engine):
    engine()

    def damage() -> None:
        (folder / "state.json").write_text("[")
        (folder / "journal.jsonl").write_text("{}\n{}\n")

    clock.script = {2: damage}
    with pytest.raises(WorkspaceDamaged):
        await follow(folder, clock)


def watched(folder, capsys, **options: bool) -> tuple[Picture, str, str]:
    args = Namespace(json=False, json_lines=False, until_done=False, quiet=False, plain=False, color="never", plan=".")
    settings = settings_of({"HOME": str(folder)}, streams=Streams())
    vars(args).update(options)
    after = watching.watched(picture(folder), args, settings, clock=ScriptedClock())
    said = capsys.readouterr()
    return after, said.out, said.err


def test_where_stdout_is_no_terminal_plain_lines_stand_on_it(folder, capsys):
    write_state(folder, (a_handed_off_row("a"),))
    after, out, err = watched(folder, capsys)
    assert after.tally.is_all_handed_off
    assert err == ""
    assert 'note message="no engine runs it now"' in out
    assert "finished handed-off=1" in out
    assert "shop finished   1 of 1 handed off" in out


def test_what_goes_on_later_has_no_summary(folder, capsys):
    assert " finished " not in watched(folder, capsys)[1]


def test_one_object_at_the_end_leaves_stdout_alone(folder, capsys):
    write_state(folder, (a_handed_off_row("a"),))
    _, out, err = watched(folder, capsys, json=True)
    assert out == ""
    assert "finished" in err


def test_json_lines_are_the_only_thing_on_stdout(folder, capsys):
    _, out, err = watched(folder, capsys, json_lines=True)
    assert err == ""
    assert [json.loads(line)["event"] for line in out.splitlines()] == ["snapshot", "engine", "end"]


def test_a_request_to_end_gives_the_terminal_back(folder, capsys, monkeypatch):
    former = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(watching.anyio, "run", lambda _main: os.kill(os.getpid(), signal.SIGTERM))
    with pytest.raises(KeyboardInterrupt):
        watched(folder, capsys)
    assert signal.getsignal(signal.SIGTERM) is former


def test_rows_of_the_plan_wait_before_the_first_run(folder, capsys):
    (folder / "state.json").unlink()
    lines = watched(folder, capsys, json_lines=True)[1].splitlines()
    assert [task["name"] for task in json.loads(lines[0])["tasks"]] == [a_row("a").name]
