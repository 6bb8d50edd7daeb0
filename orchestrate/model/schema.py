"""The JSON schema of ``plan.json``, made from the model, for editors and planners.

It says what each field may hold, and refuses what ``model.checking`` refuses wherever one value is enough to tell.
Rules between tasks (unknown names, cycles) are beyond JSON schema and are ``model.checking``'s alone.
"""

from collections.abc import Mapping
from typing import Any

from orchestrate.model.plan import Plan
from orchestrate.model.vocabulary import RuntimeKind, TaskType

DIALECT = "https://json-schema.org/draft/2020-12/schema"
#: Part of each schema's ``$id``; a plan or state of the next version of the format gets the next number.
FORMAT_VERSION = 1

_Schema = dict[str, Any]

#: An address that every runtime can use; one with a path on this machine needs the local runtime.
_REMOTE_ADDRESS = (
    r"^(https://[^@?#\s]+|ssh://([A-Za-z0-9_][A-Za-z0-9._-]*@)?[^@?#\s]+|[A-Za-z0-9_][^@/:\s]*@[^@/\s]+:[^?#\s]+)$"
)
#: A path on this machine, or a ``file://`` address of one: no option, and nothing blank at either end.
_PATH_ADDRESS = r"^(file://[^?#\s]+|(?!-)(?!.*://)\S(.*\S)?)$"


def schema_id(name: str) -> str:
    """The address of a schema, relative to wherever it is kept."""
    return f"orchestrate-agents/{FORMAT_VERSION}/{name}.schema.json"


def plan_schema() -> dict[str, object]:
    """The schema of a whole plan; the same model always gives the same one."""
    made: _Schema = Plan.model_json_schema(by_alias=True, mode="validation")
    for definition in (made, *made["$defs"].values()):
        required = frozenset(definition.get("required", ()))
        fields = definition.get("properties", {})
        definition.update({"properties": {name: _field(fields[name], is_required=name in required) for name in fields}})
        if not fields:
            del definition["properties"]
    made["$defs"]["Task"].update(_only_verifiers_verify())
    made["$defs"]["AgentProgram"].update(_one_program())
    head = {"$schema": DIALECT, "$id": schema_id("plan"), "title": "Plan of a run"}
    return {**head, **{key: made[key] for key in made if key != "title"}, **_only_local_plans_name_paths()}


def _field(field: _Schema, *, is_required: bool) -> _Schema:
    """The field for editors: without a title, which pydantic makes out of the name that stands right beside it.

    ``null`` for an optional field is the same as leaving it out.
    """
    without_title = {key: value for key, value in field.items() if key != "title"}
    if is_required:
        return without_title
    if without_title.get("default", 0) is None:
        del without_title["default"]
    return _or_null(without_title)


def _or_null(field: _Schema) -> _Schema:
    if {"type": "null"} in field.get("anyOf", ()):
        return field
    if isinstance(field.get("type"), str) and "enum" not in field:
        return {**field, "type": [field["type"], "null"]}
    words = {key: value for key, value in field.items() if key in ("description", "examples", "default")}
    return {**words, "anyOf": [{key: value for key, value in field.items() if key not in words}, {"type": "null"}]}


def _only_verifiers_verify() -> Mapping[str, object]:
    is_verifier = {"properties": {"type": {"const": TaskType.VERIFIER.value}}, "required": ["type"]}
    return {
        "if": is_verifier,
        "then": {"required": ["verifies"], "properties": {"verifies": {"type": "string"}}},
        "else": {"properties": {"verifies": {"type": "null"}}},
    }


def _one_program() -> Mapping[str, object]:
    """A name, or a command that is not empty; never both, never neither."""
    by_name = {
        "required": ["name"],
        "properties": {"name": {"type": "string"}, "command": {"type": ["array", "null"], "maxItems": 0}},
    }
    by_command = {
        "required": ["command"],
        "properties": {"name": {"type": "null"}, "command": {"type": "array", "minItems": 1}},
    }
    return {"oneOf": [by_name, by_command]}


def _only_local_plans_name_paths() -> Mapping[str, object]:
    is_local = {
        "required": ["runtime"],
        "properties": {
            "runtime": {
                "type": "object",
                "required": ["kind"],
                "properties": {"kind": {"const": RuntimeKind.LOCAL.value}},
            }
        },
    }
    return {
        "if": is_local,
        "then": {"properties": {"repoUrl": {"anyOf": [{"pattern": _REMOTE_ADDRESS}, {"pattern": _PATH_ADDRESS}]}}},
        "else": {"properties": {"repoUrl": {"pattern": _REMOTE_ADDRESS}}},
    }
