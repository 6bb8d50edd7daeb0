import json

import pytest

from orchestrate.text.json_redaction import redacted_json
from orchestrate.text.redaction import Redactor

SECRET = "hunter2-and-more"
REDACTOR = Redactor([SECRET])


def test_json_without_secrets_stays_byte_for_byte():
    text = '{"goal":  "mend it",\n"tasks": [1, null]}'
    assert redacted_json(text, REDACTOR) == text


def test_every_text_loses_its_secrets_and_it_stays_json():
    document = {"goal": f"use {SECRET}", "tasks": [{"note": f'say "{SECRET}"', "n": 1}], "more": [SECRET, None]}
    found = redacted_json(json.dumps(document), REDACTOR)
    assert SECRET not in found
    assert "\n" not in found
    assert json.loads(found)["tasks"][0]["n"] == 1


def test_a_file_of_people_keeps_its_lines():
    assert "\n" in redacted_json(json.dumps({"goal": SECRET}, indent=4), REDACTOR)


def test_names_that_things_are_found_by_stay():
    text = json.dumps({"agentId": SECRET, "name": SECRET})
    assert redacted_json(text, REDACTOR) == text


def test_what_is_no_json_is_told():
    with pytest.raises(ValueError, match="Expecting"):
        redacted_json(f"{{{SECRET}", REDACTOR)
