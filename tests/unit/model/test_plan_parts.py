import typing

import pytest
from pydantic import BaseModel, Field, TypeAdapter

from orchestrate.model.plan import Plan


def models_in(annotation):
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
        for field in annotation.model_fields.values():
            yield from models_in(field.annotation)
    for argument in typing.get_args(annotation):
        yield from models_in(argument)


FIELDS = [
    pytest.param(field, id=f"{model.__name__}.{name}")
    for model in dict.fromkeys(models_in(Plan))
    for name, field in model.model_fields.items()
]


@pytest.mark.parametrize("field", FIELDS)
def test_every_field_is_described_and_has_a_good_example(field):
    assert field.description.endswith(".")
    assert field.examples
    rule = Field(discriminator=field.discriminator)
    for example in field.examples:
        TypeAdapter(typing.Annotated[field.annotation, *field.metadata, rule]).validate_python(example)


def test_every_part_of_a_plan_is_reached():
    assert {model.__name__ for model in models_in(Plan)} == {
        "AgentProgram",
        "Dispatcher",
        "Environment",
        "Limits",
        "LineCountParser",
        "Measurement",
        "ModelParameter",
        "ModelSelection",
        "Plan",
        "RegexParser",
        "Retry",
        "Runtime",
        "SlackRef",
        "Task",
    }
