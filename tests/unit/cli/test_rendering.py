import pytest

from orchestrate.cli.rendering import PromptRenderer
from orchestrate.errors import InputRefused
from orchestrate.model.names import TaskName
from orchestrate.store.loading import read_workspace
from orchestrate.text.templates import Templates
from tests.support.builders import a_handed_off_row, a_plan, a_row, a_task
from tests.support.engine_room import template_sources, templates
from tests.support.workspaces import write_reply, write_state

PLAN = a_plan(a_task("a"), a_task("b", depends_on=("a",)))


def test_a_prompt_has_what_was_handed_off_and_writes_nothing(tmp_path):
    write_state(tmp_path, [a_handed_off_row("a"), a_row("b", depends_on=("a",))])
    write_reply(tmp_path, "a", handoff=b"a went well")
    before = sorted(tmp_path.rglob("*"))
    text = PromptRenderer(PLAN, loaded=read_workspace(tmp_path), folder=tmp_path, templates=templates()).prompt(
        TaskName("b")
    )
    assert "a went well" in text
    assert "cursor/a-1f2a" in text
    assert sorted(tmp_path.rglob("*")) == before


def test_a_new_workspace_has_prompts_too(tmp_path):
    text = PromptRenderer(PLAN, loaded=read_workspace(tmp_path), folder=tmp_path, templates=templates()).prompt(
        TaskName("a")
    )
    assert "a is done." in text


def test_a_template_that_asks_for_what_there_is_not_is_refused(tmp_path):
    broken = Templates({**template_sources(), "worker.md.j2": "{{ nobody_knows_this }}"})
    renderer = PromptRenderer(PLAN, loaded=read_workspace(tmp_path), folder=tmp_path, templates=broken)
    with pytest.raises(InputRefused):
        renderer.prompt(TaskName("a"))
