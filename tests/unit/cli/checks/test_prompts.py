import pytest

from orchestrate.cli.checks.findings import Verdict
from orchestrate.cli.checks.prompts import check_prompts
from orchestrate.cli.rendering import PromptRenderer
from orchestrate.store.loading import read_workspace
from orchestrate.text.templates import Templates
from tests.support.builders import a_plan, a_task, a_verifier
from tests.support.engine_room import template_sources, templates


@pytest.fixture
def found(tmp_path):
    async def check(*tasks, limit=1_000_000, made_with=None):
        plan = a_plan(*tasks)
        loaded = read_workspace(tmp_path)
        renderer = PromptRenderer(plan, loaded=loaded, folder=tmp_path, templates=made_with or templates())
        rendered = []
        request = renderer.request

        async def counted(name):
            rendered.append(name)
            return await request(name)

        renderer.request = counted
        return await check_prompts(plan, plan.tasks, renderer, limit=limit), rendered

    return check


async def test_one_prompt_of_each_type_is_rendered(found):
    findings, rendered = await found("a", "b", "c", a_verifier("v", of="a"))
    assert rendered == ["a", "v"]
    assert [finding.verdict for finding in findings] == [Verdict.GOOD]
    assert findings[0].message.endswith(" bytes of 1,000,000")


async def test_a_prompt_that_the_service_would_refuse_is_a_fault_wherever_it_stands(found):
    tasks = ["a", "b", a_task("big", brief="word " * 300_000), a_verifier("v", of="big")]
    findings, rendered = await found(*tasks)
    (finding,) = findings
    assert rendered == ["a", "big", "v"]
    assert finding.verdict is Verdict.FAULT
    assert finding.message.startswith("the prompt of big has 1,5")
    assert finding.message.endswith(" bytes; the service takes 1,000,000")


async def test_templates_that_cannot_be_rendered_are_faults(found):
    broken = Templates({**template_sources(), "worker.md.j2": "{{ nobody_knows_this }}"})
    (finding,), _ = await found("a", "b", made_with=broken)
    assert (finding.verdict, finding.message[:3]) == (Verdict.FAULT, "a: ")
