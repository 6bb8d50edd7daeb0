from orchestrate.cli.screens.missing import missing_branches
from orchestrate.model.rows import OnRemote
from tests.support.builders import a_handed_off_row, a_row, moment

ABSENT = a_handed_off_row("a", on_remote=OnRemote(moment(), is_there=False))


def test_who_starts_from_a_branch_that_is_not_there_waits_for_it():
    follower = a_row("b", depends_on=("a",), starting_ref="cursor/a-1f2a")
    moved = a_row("c", depends_on=("a",), starting_ref="cursor/a-0000", ref_from="a")
    others = (a_row("d", depends_on=("a",)), a_row("e", starting_ref="cursor/a-1f2a"))
    assert missing_branches([ABSENT, follower, moved, *others]) == {"b": "cursor/a-1f2a", "c": "cursor/a-1f2a"}


def test_a_branch_that_is_there_is_waited_for_by_nobody():
    follower = a_row("b", depends_on=("a",), starting_ref="cursor/a-1f2a")
    for seen in (None, OnRemote(moment(), is_there=True), OnRemote(moment(), unknown="no route")):
        assert missing_branches([a_handed_off_row("a", on_remote=seen), follower]) == {}
