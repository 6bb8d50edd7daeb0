import pytest
from pydantic import ValidationError

from orchestrate.model.plan_object import PlanObject


class Part(PlanObject):
    first_name: str
    nick_name: str | None = None
    luck_number: int = 7


def test_files_say_camel_case_and_python_snake_case():
    assert Part.model_validate({"firstName": "a"}).first_name == "a"


@pytest.mark.parametrize(
    "data", [{"first_name": "a"}, {"firstName": "a", "other": 1}, {"firstName": "a", "other": None}]
)
def test_unknown_fields_are_refused(data):
    with pytest.raises(ValidationError):
        Part.model_validate(data)


def test_null_means_left_out_where_a_value_is_optional():
    assert Part.model_validate({"firstName": "a", "nickName": None, "luckNumber": None}).luck_number == 7
    with pytest.raises(ValidationError):
        Part.model_validate({"firstName": None})


def test_a_part_is_made_of_an_object():
    with pytest.raises(ValidationError):
        Part.model_validate("a")
