import json

import pytest

from orchestrate.model.dumping import add_extra, dump


@pytest.mark.parametrize("value", [{"a": [1, "ä", None]}, [], "text"])
def test_json_is_one_line_that_reads_back(value):
    assert b"\n" not in dump(value)
    assert json.loads(dump(value)) == value


def test_a_lone_surrogate_becomes_a_question_mark():
    assert dump({"a": "cut \ud83d"}) == b'{"a":"cut ?"}'


def test_a_foreign_value_stands_until_we_know_one():
    document = {"ours": 1, "unread": None}
    add_extra(document, {"ours": "theirs", "unread": "odd", "foreign": 2})
    assert document == {"ours": 1, "unread": "odd", "foreign": 2}
