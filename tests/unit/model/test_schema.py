import json
from pathlib import Path

import pytest

from orchestrate.model.checking import parse_plan
from orchestrate.model.plan import Plan
from orchestrate.model.schema import plan_schema

PLANS = sorted((Path(__file__).parents[3] / "plans").glob("*.plan.json"))


def test_the_schema_is_json_and_the_same_each_time():
    assert json.loads(json.dumps(plan_schema())) == plan_schema()


def test_every_field_of_the_plan_is_in_the_schema_with_words_and_an_example():
    schema = plan_schema()

    assert set(schema["properties"]) == {field.alias for field in Plan.model_fields.values()}
    for definition in (schema, *schema["$defs"].values()):
        for field in definition.get("properties", {}).values():
            assert field["description"]
            assert field["examples"]
            assert "title" not in field


def test_the_schema_refuses_unknown_fields_and_knows_short_forms():
    schema = plan_schema()

    assert schema["additionalProperties"] is False
    assert schema["required"] == ["goal", "rootSlug", "baseBranch", "repoUrl", "tasks"]
    task = schema["$defs"]["Task"]
    assert {"type": "string", "minLength": 1} in task["properties"]["model"]["anyOf"]
    assert task["then"] == {"required": ["verifies"]}


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.name)
def test_every_ready_plan_is_good(path):
    plan, warnings = parse_plan(path.read_bytes())

    assert warnings == []
    assert plan.schema_address == "schema/plan.schema.json"


def test_there_are_ready_plans():
    assert {path.name for path in PLANS} >= {"fan-out.plan.json", "fix-and-verify.plan.json", "merge.plan.json"}
