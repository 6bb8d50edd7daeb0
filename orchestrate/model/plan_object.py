"""What all objects in ``plan.json`` have in common."""

from pydantic import BaseModel, ConfigDict, model_validator
from pydantic.alias_generators import to_camel


class PlanObject(BaseModel):
    """An object of the plan: camelCase in the file, unknown fields refused, never changed once it is made.

    ``null`` in the place of an optional value is the same as leaving it out.
    """

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", frozen=True, hide_input_in_errors=True)

    @model_validator(mode="before")
    @classmethod
    def _leave_out_nulls(cls, data: object) -> object:
        if not isinstance(data, dict) or all(value is not None for value in data.values()):
            return data
        optional = {field.alias for field in cls.model_fields.values() if not field.is_required()}
        return {name: value for name, value in data.items() if value is not None or name not in optional}
