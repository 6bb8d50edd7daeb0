from orchestrate.cli.screens.layout import Look, rendered, width_of
from orchestrate.cli.screens.tally import Tally, headline, tally_of, tally_of_rows
from orchestrate.model.vocabulary import TaskStatus
from tests.support.builders import a_handed_off_row, a_row


def test_rows_are_counted_and_pruned_ones_are_not():
    rows = [
        a_row("a"),
        a_handed_off_row("b"),
        a_row("c", status=TaskStatus.PRUNED),
        a_row("d", status=TaskStatus.CANCELLED),
    ]
    found = tally_of_rows(rows)
    assert found == Tally(handed_off=1, waiting=1, cancelled=1)
    assert found.total == 3
    assert found.percent == 33
    assert not found.is_all_handed_off


def test_all_is_all():
    found = tally_of({TaskStatus.HANDED_OFF: 2, TaskStatus.PRUNED: 5})
    assert found.is_all_handed_off
    assert found.percent == 100
    assert Tally().percent == 0


def test_the_name_is_cut_before_a_count_is():
    look = Look(columns=70)
    tally = Tally(handed_off=10, running=12, waiting=97, error=1, cancelled=1)
    text = rendered([headline("platform-migration", tally, look, verdict="needs you", right="1s")], look)[0]
    assert text.startswith("pla…tion needs you   10 of 121 handed off")
    wide = rendered([headline("platform-migration", tally, Look(columns=200), right="1s")], Look(columns=200))[0]
    assert wide.endswith("1 error · 1 cancelled" + " " * 27 + "1s")
    assert width_of(wide) == 120


def test_what_stands_on_the_right_is_whole_or_not_there():
    look = Look(columns=80)
    tally = Tally(handed_off=54, running=12, waiting=51, error=3)
    (crowded,) = rendered([headline("platform-migration", tally, look, verdict="needs you", right="41m 18s")], look)
    assert crowded.endswith("3 error")
    (cut,) = rendered([headline("platform-migration-of-1998", tally, look, right="41m 18s")], look)
    assert cut == "platf…-1998   54 of 120 handed off · 12 running · 51 waiting · 3 error   41m 18s"
