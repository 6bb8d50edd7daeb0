from enum import StrEnum

from orchestrate.model.schema_fields import field, object_of, or_null, text, word


class Colour(StrEnum):
    RED = "red"


def test_a_field_has_its_sentence_and_an_example():
    assert field({"type": "integer"}, "How many.", 3) == {
        "type": "integer",
        "description": "How many.",
        "examples": [3],
    }
    assert text("A word.", "x")["type"] == ["string", "null"]
    assert word(Colour, "Its colour.", Colour.RED)["enum"] == ["red", None]


def test_an_object_names_what_it_must_have_only_where_there_is_such_a_thing():
    assert "required" not in object_of({}, required=())
    assert object_of({}, required=("a",))["required"] == ["a"]
    assert or_null({"type": "object"}) == {"anyOf": [{"type": "object"}, {"type": "null"}]}
