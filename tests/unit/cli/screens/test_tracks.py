from orchestrate.cli.screens.tracks import Doing, Stretch, Try, history_of
from orchestrate.model.names import EngineId, TaskName
from orchestrate.model.records import Record
from orchestrate.model.vocabulary import TaskStatus
from tests.support.builders import START, a_handed_off_row, a_row, a_running_row, moment


def journal(*told, engine="e1"):
    """Records at these seconds, each with its rows."""
    return [
        Record(seq=seq, engine=EngineId(engine), at=moment(at), event={}, rows=tuple(rows))
        for seq, (at, *rows) in enumerate(told, start=1)
    ]


def running(name="a", at=0.0, **fields):
    return a_running_row(name, started_at=moment(at), **fields)


def handed_off(name="a", start=0.0, end=0.0, **fields):
    return a_handed_off_row(name, started_at=moment(start), finished_at=moment(end), **fields)


def history(records, *rows, now=1000.0, alive=False):
    return history_of(records, rows, now=START + now, is_engine_alive=alive)


def stretches(made, name="a"):
    return [(each.doing, each.start - START, each.end - START) for each in made.tracks[TaskName(name)].stretches]


def tries(made, name="a"):
    return [
        (each.number, each.start - START, each.end - START, each.ended) for each in made.tracks[TaskName(name)].tries
    ]


def test_a_task_waits_from_its_last_dependency_on_and_runs_to_its_end():
    first = handed_off("x", 0, 60)
    last = handed_off("a", 90, 150, depends_on=("x",))
    records = journal(
        (0, running("x"), a_row("a", depends_on=("x",))),
        (60, first),
        (90, running(at=90, depends_on=("x",))),
        (150, last),
    )
    made = history(records, first, last)
    assert stretches(made) == [(Doing.WAITED, 60, 90), (Doing.RAN, 90, 150)]
    assert tries(made) == [(1, 90, 150, TaskStatus.HANDED_OFF)]


def test_tries_stand_apart_and_the_pause_between_them_is_no_wait():
    records = journal(
        (0, running()),
        (50, a_row("a", attempts=1, not_before=moment(80))),
        (80, a_row("a", attempts=1)),
        (95, running(at=95, attempt=2)),
        (120, running(at=95, attempt=2, status=TaskStatus.ERROR)),
    )
    made = history(records, a_row("a"))
    assert tries(made) == [(1, 0, 50, TaskStatus.PENDING), (2, 95, 120, TaskStatus.ERROR)]
    assert stretches(made) == [(Doing.RAN, 0, 50), (Doing.WAITED, 80, 95), (Doing.RAN, 95, 120)]


def test_silence_lies_within_the_time_that_the_task_ran():
    records = journal(
        (0, running()),
        (40, running(stalled_since=moment(10))),
        (70, running()),
        (90, running(stalled_since=moment(75))),
        (100, handed_off("a", 0, 100)),
    )
    assert stretches(history(records, handed_off())) == [
        (Doing.SILENT, 10, 70),
        (Doing.RAN, 0, 100),
        (Doing.SILENT, 75, 100),
    ]


def test_what_runs_runs_until_now_or_until_somebody_last_looked():
    records = journal((0, running()), (40, running(stalled_since=moment(10))))
    assert tries(history(records, running(), alive=True)) == [(1, 0, 1000, None)]
    assert tries(history(records, running())) == [(1, 0, 40, None)]
    assert (Doing.SILENT, 10, 40) in stretches(history(records, running()))


def test_a_respawn_is_a_try_of_its_own():
    records = journal((0, running()), (10, running(status=TaskStatus.ERROR)), (20, running(at=20, attempt=2)))
    assert [each[0] for each in tries(history(records, running()))] == [1, 2]


def test_engines_that_followed_soon_are_one_life():
    first = journal((0, running()))
    second = journal((300, running()), (310, running()), engine="e2")
    late = journal((5000, running()), engine="e3")
    made = history([*first, *second, *late], running(), now=6000, alive=True)
    assert [(start - START, end - START) for start, end in made.lives] == [(0, 310), (5000, 6000)]


def test_rows_without_a_journal_tell_of_their_last_try():
    stalled = running("s", stalled_since=moment(30), last_update=moment(60))
    rows = (handed_off("a", 5, 50, attempt=3), stalled, a_row("p"), running("odd", launch=None))
    made = history([], *rows)
    assert tries(made) == [(3, 5, 50, TaskStatus.HANDED_OFF)]
    assert stretches(made, "s") == [(Doing.RAN, 0, 60), (Doing.SILENT, 30, 60)]
    assert made.tracks[TaskName("p")].stretches == []
    assert made.lives == []


def test_moments_that_are_none_are_passed_over():
    odd = [Record(seq=1, engine=EngineId("e1"), at="?", event={}, rows=(running(),))]
    made = history(odd, a_row("a", started_at="yesterday"), a_handed_off_row("b", started_at="?"))
    assert stretches(made) == []
    assert made.tracks[TaskName("b")].tries == []


def test_tasks_that_nobody_asked_for_are_left_out():
    assert history(journal((0, running("gone"))), a_row("a")).tracks.keys() == {"a"}
    assert Stretch(Doing.RAN, 0, 1) != Try(1, 0, 1)
