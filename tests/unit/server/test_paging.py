import pytest

from orchestrate.errors import Refused
from orchestrate.model.vocabulary import RunStatus
from orchestrate.server.paging import Page, read_flag, read_page
from orchestrate.server.records import RunRecord


def records(*numbers):
    return [
        RunRecord(f"run-{number}", "bc-1", "null", RunStatus.FINISHED, "2026", "2026", number=number)
        for number in numbers
    ]


def answer(page, found):
    return page.answer(found, on_the_wire=lambda record: record.id)


def test_a_page_is_what_was_asked_for():
    assert read_page(limit=None, cursor=None) == Page(limit=20, before=None)
    assert read_page(limit="100", cursor="7") == Page(limit=100, before=7)


@pytest.mark.parametrize("limit", ["", "0", "101", "-1", "1.5", "x", "\u0661", "9" * 5000])
def test_a_limit_that_makes_no_sense_is_refused(limit):
    with pytest.raises(Refused, match="limit"):
        read_page(limit=limit, cursor=None)


@pytest.mark.parametrize("cursor", ["", "-1", "x", "\u0661", "9" * 19])
def test_a_cursor_that_is_none_of_ours_is_refused(cursor):
    with pytest.raises(Refused, match="cursor"):
        read_page(limit=None, cursor=cursor)


def test_a_flag_is_yes_or_no():
    assert [read_flag("f", text) for text in (None, "false", "true")] == [False, False, True]
    with pytest.raises(Refused, match="f: must be true or false"):
        read_flag("f", "1")


def test_another_page_is_told_only_where_there_is_one():
    page = Page(limit=2, before=None)

    assert answer(page, records(3, 2, 1)) == {"items": ["run-3", "run-2"], "nextCursor": "2"}
    assert answer(page, records(2, 1)) == {"items": ["run-2", "run-1"]}
    assert answer(page, []) == {"items": []}
    assert page.look_ahead == 3
