import json

import pytest
from hypothesis import given, settings, strategies as st

from orchestrate.model.plan_positions import Lines, offsets_of
from orchestrate.model.plan_source import walk

TEXT = """
{ "a" : [ 1 , {"b": "x\\"]"} ,
  [] ],
  "c": {"d": null},
  "c": {"d": 99999999999999999999},
  "e": {}
}"""


@pytest.mark.parametrize(
    ("location", "begins"),
    [
        ((), '{ "a"'),
        (("a",), "[ 1"),
        (("a", 0), "1 ,"),
        (("a", 1, "b"), '"x'),
        (("a", 2), "[] ]"),
        (("c", "d"), "9999"),
        (("e",), "{}"),
    ],
)
def test_a_value_is_found_where_it_begins(location, begins):
    offset = offsets_of(TEXT, [location])[location]

    assert TEXT[offset:].startswith(begins)


@pytest.mark.parametrize(
    ("location", "container"),
    [(("z",), ()), (("a", 7, "x"), ("a",)), (("a", 0, "x"), ("a", 0)), (("e", "z"), ("e",)), (("a", 2, 0), ("a", 2))],
)
def test_a_value_that_is_not_there_takes_the_place_of_its_container(location, container):
    found = offsets_of(TEXT, [location, container])

    assert found[location] == found[container]


@pytest.mark.parametrize(("offset", "line"), [(0, 1), (1, 1), (2, 2), (3, 2), (4, 3), (5, 3)])
def test_a_line_feed_ends_the_line_it_stands_on(offset, line):
    assert Lines("a\nb\nc").at(offset) == line


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
)


@given(_values, st.sampled_from([None, 1, "\t"]))
@settings(deadline=None)
def test_every_value_of_every_document_is_found(value, indent):
    text = json.dumps(value, indent=indent)
    found = offsets_of(text, [location for location, _ in walk(value)])

    for location, expected in walk(value):
        assert json.JSONDecoder().raw_decode(text, found[location])[0] == expected
