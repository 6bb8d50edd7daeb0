"""The JSON schema of ``plan.json``, made from the model, for editors and planners.

It says what each field may hold. Rules between tasks (unknown names, cycles) are ``model.checking``'s.
"""

from orchestrate.model.plan import Plan
from orchestrate.model.vocabulary import TaskType

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def plan_schema() -> dict[str, object]:
    """The schema of a whole plan; the same model always gives the same one."""
    made = Plan.model_json_schema(by_alias=True, mode="validation")
    for definition in (made, *made["$defs"].values()):
        for field in definition.get("properties", {}).values():
            field.pop("title", None)  # pydantic makes it out of the name, which stands right beside it
    made["$defs"]["Task"].update(_only_verifiers_verify())
    return {"$schema": DIALECT, "title": "Plan of a run", **{key: made[key] for key in made if key != "title"}}


def _only_verifiers_verify() -> dict[str, object]:
    is_verifier = {"properties": {"type": {"const": TaskType.VERIFIER.value}}, "required": ["type"]}
    return {
        "if": is_verifier,
        "then": {"required": ["verifies"]},
        "else": {"properties": {"verifies": {"type": "null"}}},
    }
