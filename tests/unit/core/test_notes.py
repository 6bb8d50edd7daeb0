"""Parts of a note come and go, each by itself."""

from orchestrate.core.notes import with_note, without_note
from tests.support.builders import a_row


def test_parts_are_put_together_once_each():
    row = with_note(with_note(with_note(a_row(), "not on the remote"), "no verdict yet"), "not on the remote")
    assert row.note == "not on the remote; no verdict yet"


def test_a_part_goes_and_the_rest_stays():
    row = a_row(note="not on the remote; no verdict yet")
    assert without_note(row, "no verdict yet", "unheard of").note == "not on the remote"
    assert without_note(row, "no verdict yet", "not on the remote").note is None


def test_what_is_not_said_cannot_be_taken_back():
    for row in (a_row(), a_row(note="other")):
        assert without_note(row, "no verdict yet") is row
