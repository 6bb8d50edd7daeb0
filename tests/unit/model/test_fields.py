from enum import StrEnum

import pytest

from orchestrate.errors import WorkspaceDamaged
from orchestrate.model.fields import Fields


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


def number(fields: Fields) -> int | None:
    return fields.whole_number("n")


def fields(**document):
    return Fields(document, where="file tasks[1]")


@pytest.mark.parametrize(
    ("document", "kind"), [([], "a list"), (None, "nothing"), ("x", "text"), (7, "7"), (True, "True")]
)
def test_what_is_no_object_is_refused(document, kind):
    with pytest.raises(WorkspaceDamaged, match=rf"^file: expected an object, found {kind}$"):
        Fields(document, where="file")


def test_known_fields_are_taken_and_the_others_are_the_rest():
    taken = fields(a="text", b=None, c=3, d={"n": 1}, e="red", f=["x"], g=True, h=1.5, i=4, other={"x": [1]})

    assert taken.text("a") == "text"
    assert taken.text("b") is None
    assert taken.whole_number("c") == 3
    assert taken.mapping("d") == {"n": 1}
    assert taken.word("e", Colour) is Colour.RED
    assert taken.names("f", str) == ("x",)
    assert taken.flag("g") is True
    assert taken.value("h") == 1.5
    taken.drop("i")
    assert taken.has("other")
    assert not taken.has("a")
    assert taken.rest() == {"other": {"x": [1]}}


def test_a_field_of_the_wrong_type_reads_as_unknown_and_stays():
    document = {
        "text": 1,
        "number": "2",
        "flag": "true",
        "word": "green",
        "number_word": 5,
        "names": ["a", 1],
        "mapping": [],
        "inner": {"n": "x"},
        "inner_text": "x",
        "list": [{"n": 1}, {"n": "x"}],
        "list_of_texts": ["x"],
    }
    taken = fields(**document)

    assert taken.text("text") is None
    assert taken.named("text", str) is None
    assert taken.whole_number("number") is None
    assert taken.flag("flag") is None
    assert taken.word("word", Colour) is None
    assert taken.word("number_word", Colour) is None
    assert taken.names("names", str) == ()
    assert taken.mapping("mapping") is None
    assert taken.inner("inner", number) is None
    assert taken.inner("inner_text", number) is None
    assert taken.inner_list("list", number) == ()
    assert taken.inner_list("list_of_texts", number) == ()
    assert taken.rest() == document


def test_true_is_no_whole_number():
    assert fields(n=True).whole_number("n") is None


def test_null_reads_as_missing_and_is_gone():
    taken = fields(a=None, b=None, c=None, d=None)

    assert taken.word("a", Colour) is None
    assert taken.inner("b", number) is None
    assert taken.mapping("c") is None
    assert taken.whole_number("d") is None
    assert not taken.rest()


def test_inner_objects_are_built():
    taken = fields(one={"n": 1}, many=[{"n": 1}, {"n": 2}])

    assert taken.inner("one", number) == 1
    assert taken.inner_list("many", number) == (1, 2)
    assert not taken.rest()


def test_essential_fields_are_read():
    taken = fields(a="text", b=0, c="blue", d=[1])

    assert taken.essential_text("a") == "text"
    assert taken.essential_number("b") == 0
    assert taken.essential_word("c", Colour) is Colour.BLUE
    assert taken.essential_list("d") == [1]
    assert not taken.rest()


@pytest.mark.parametrize(
    ("read", "value", "message"),
    [
        (Fields.essential_text, None, "expected text, found nothing"),
        (Fields.essential_text, "", "expected text, found empty text"),
        (Fields.essential_text, {}, "expected text, found an object"),
        (Fields.essential_number, -1, "expected a whole number from 0 on, found -1"),
        (Fields.essential_number, True, "expected a whole number from 0 on, found True"),
        (Fields.essential_list, {"x": 1}, "expected a list, found an object"),
        (lambda taken, key: taken.essential_word(key, Colour), "green", '"green" is none of red, blue'),
        (lambda taken, key: taken.essential_word(key, Colour), None, "nothing is none of red, blue"),
        (lambda taken, key: taken.essential_word(key, Colour), "x" * 99, f'"{"x" * 56}... is none of red, blue'),
    ],
)
def test_an_essential_field_that_is_not_sound_is_named(read, value, message):
    with pytest.raises(WorkspaceDamaged) as refusal:
        read(fields(key=value), "key")
    assert refusal.value.message == f"file tasks[1].key: {message}"
