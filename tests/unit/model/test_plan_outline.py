import pytest

from orchestrate.model.plan_outline import Mention, outline_of


@pytest.mark.parametrize("value", [None, 3, [], {}, {"tasks": 3}, {"tasks": []}, {"tasks": {"a": 1}}])
def test_what_is_no_plan_has_an_empty_outline(value):
    outline = outline_of(value)

    assert (outline.tasks, outline.repo_url, outline.runtime_kind) == ((), None, None)


def test_parts_of_a_wrong_type_are_left_out():
    outline = outline_of(
        {
            "repoUrl": 3,
            "runtime": {"kind": "local"},
            "tasks": [
                7,
                {"name": 1, "dependsOn": ["a", 2, "b"]},
                {"name": "a", "type": "verifier", "verifies": 3, "dependsOn": "b"},
                {"name": "a", "type": "verifier", "verifies": "b", "dependsOn": ["c"]},
                {"name": "w", "type": "worker", "verifies": "b"},
            ],
        }
    )
    nothing, unnamed, first, second, worker = outline.tasks

    assert (outline.repo_url, outline.runtime_kind) == (None, "local")
    assert (nothing.name, nothing.type, nothing.mentions) == ("", "", ())
    assert unnamed.mentions == (Mention("a", ("tasks", 1, "dependsOn", 0)), Mention("b", ("tasks", 1, "dependsOn", 2)))
    assert (first.verifies, first.has_verifies, first.depends_on) == (None, True, ())
    assert second.mentions == (Mention("c", ("tasks", 3, "dependsOn", 0)), Mention("b", ("tasks", 3, "verifies")))
    assert worker.mentions == ()
    assert outline.named == (first, second, worker)
    assert outline.by_name["a"] is first
    assert first.at("name") == ("tasks", 2, "name")
