from enum import IntEnum, StrEnum
from types import MappingProxyType

import pytest

from orchestrate.model.faults import Problem
from orchestrate.model.plan_source import MAX_DEPTH, Unusable, read_source, walk

TOO_DEEP = "nested deeper than 100 levels"


def problems(source):
    return [(problem.location, problem.message) for problem in read_source(source).problems]


def nested(depth):
    value = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("source", ['{"a": [1, 2.5, "x", true, null]}', b'{"a": [1, 2.5, "x", true, null]}'])
def test_json_is_read_as_it_is(source):
    assert read_source(source).value == {"a": [1, 2.5, "x", True, None]}
    assert problems(source) == []


@pytest.mark.parametrize("source", ["\ufeff{}", b"\xef\xbb\xbf{}", bytearray(b"{}")])
def test_a_byte_order_mark_is_no_fault(source):
    assert read_source(source).value == {}


def test_bytes_that_are_not_utf8_are_named_with_their_place():
    reading = read_source(b'{\n"a": "\xff"}')

    assert reading.problems == (Problem((), "not UTF-8: byte 0xff at position 8", offset=8),)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", Problem((), "not JSON: there is nothing in it", 0)),
        (" \n", Problem((), "not JSON: there is nothing in it", 0)),
        ("{", Problem((), "not JSON: expecting property name enclosed in double quotes (column 2)", 1)),
        ('{"a": 1} x', Problem((), "not JSON: extra data (column 10)", 9)),
        ('{"a": "\0"}', Problem((), "not JSON: invalid control character at (column 8)", 7)),
        ("\0", Problem((), "not JSON: expecting value (column 1)", 0)),
        ("// a remark", Problem((), "not JSON: expecting value (column 1)", 0)),
    ],
)
def test_what_is_no_json_is_one_problem_with_its_place(text, problem):
    assert read_source(text).problems == (problem,)
    assert read_source(text).value is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1, "a": 2}', [(("a",), "this field is there more than once")]),
        ('{"a": [{"b": 1, "c": 1, "b": 2, "b": 3}]}', [(("a", 0, "b"), "this field is there more than once")]),
        ('{"a": NaN}', [(("a",), "NaN is not JSON")]),
        ("[-Infinity]", [((0,), "-Infinity is not JSON")]),
        ('{"a": "x\\u0000"}', [(("a",), "has a NUL character in it")]),
        ('{"a\\u0000": 1}', [(("a\0",), "has a NUL character in it")]),
        ('{"a": "\\ud800"}', [(("a",), 'has half of a character in it ("\\ud800", a lone surrogate)')]),
        ('{"a": "\ud800"}', [(("a",), 'has half of a character in it ("\\ud800", a lone surrogate)')]),
        ('{"a": ' + "9" * 5000 + "}", [(("a",), "a number of this length cannot be used")]),
        ('{"a": "\\ud83d\\ude00"}', []),
        ('{"a": "\\\\u0000"}', []),
    ],
)
def test_what_json_forbids_has_its_path(text, expected):
    assert problems(text) == expected


def test_of_a_repeated_field_the_last_value_counts():
    assert read_source('{"a": 1, "a": 2}').value == {"a": 2}


def test_nesting_up_to_the_limit_is_read():
    assert problems("[" * MAX_DEPTH + "]" * MAX_DEPTH) == []
    assert problems({"a": nested(MAX_DEPTH - 1)}) == []


def test_deeper_nesting_is_refused_at_its_bracket():
    text = "[" * MAX_DEPTH + "{"

    assert read_source(text).problems == (Problem((), TOO_DEEP, offset=MAX_DEPTH),)
    assert read_source("[" * 1_000_000).problems == (Problem((), TOO_DEEP, offset=MAX_DEPTH),)
    assert problems({"a": nested(MAX_DEPTH)}) == [((), TOO_DEEP)]


@pytest.mark.parametrize("text", ['["' + "[" * 500 + '"]', '["\\"' + "{" * 500 + '"]', "[[]" + ",[]" * 500 + "]"])
def test_brackets_inside_strings_and_side_by_side_are_no_depth(text):
    assert problems(text) == []


def test_a_text_of_open_quotes_is_read_in_one_go():
    assert len(problems('"\\"' * 200_000)) == 1


class Word(StrEnum):
    A = "a"


class Number(IntEnum):
    ONE = 1


def test_a_mapping_is_read_as_exact_json_types():
    value = read_source(MappingProxyType({Word.A: (Word.A, Number.ONE, 1.5, True, None)})).value

    assert value == {"a": ["a", 1, 1.5, True, None]}
    assert [type(item) for item in value["a"]] == [str, int, float, bool, type(None)]
    assert [type(name) for name in value] == [str]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (b"x", "a value of the type bytes is not JSON"),
        ({1}, "a value of the type set is not JSON"),
        (object(), "a value of the type object is not JSON"),
        (float("nan"), "nan is not JSON"),
        (float("-inf"), "-inf is not JSON"),
        pytest.param(10**5000, "a number of this length cannot be used", id="a long number"),
        ({1: 2}, "a field name is text, not a value of the type int"),
        ("\0", "has a NUL character in it"),
    ],
)
def test_what_json_has_no_room_for_is_a_problem(value, reason):
    assert [message for _, message in problems({"a": [value]})] == [reason]


def test_a_mapping_that_contains_itself_is_cut():
    plan = {}
    plan["a"] = [plan]

    assert problems(plan) == [(("a", 0), "contains itself")]
    assert read_source(plan).value == {"a": [Unusable("contains itself")]}


def test_parts_that_are_shared_are_read_once():
    shared = ["x"]
    for _ in range(90):
        shared = [shared, shared]

    assert problems({"a": shared}) == []


def test_walking_visits_values_in_the_order_of_the_document():
    assert [location for location, _ in walk({"b": [1, {"c": 2}], "a": 3})] == [
        (),
        ("b",),
        ("b", 0),
        ("b", 1),
        ("b", 1, "c"),
        ("a",),
    ]


@pytest.mark.parametrize("source", [None, 3, ["x"]])
def test_other_sources_are_one_problem(source):
    assert problems(source) == [((), "a plan is text, bytes or a mapping")]
