"""A plan that changes while it runs: what it adds is looked at, against real repositories and the models that are known."""

import os

import pytest

from orchestrate.cli.admission import Admission
from orchestrate.cli.checks.findings import Check, warning
from orchestrate.cli.edit_examination import EditExamination
from orchestrate.cli.plan_file import PlanPlaces
from orchestrate.cli.preflight import Intent, Report
from orchestrate.errors import InputRefused
from orchestrate.model.catalogue import catalogue_of
from orchestrate.model.vocabulary import RuntimeKind
from orchestrate.model.wire import Model
from orchestrate.repo.git import Git
from tests.support.builders import a_plan, a_running_row, a_task
from tests.support.engine_room import templates
from tests.support.repositories import remote
from tests.support.workspaces import write_state

__all__ = ["remote"]

PLAN = a_plan("a")
CATALOGUE = catalogue_of([Model(id="gpt-5.4", display_name="GPT")])


@pytest.fixture
def examine(tmp_path, remote):
    places = PlanPlaces(b"{}")
    intent = Intent(plan=PLAN, kind=RuntimeKind.CLOUD, url=remote.url, max_concurrent=4, places=places)
    write_state(tmp_path, [a_running_row("a")])
    admission = Admission(intent=intent, folder=tmp_path, templates=templates(), git=Git(dict(os.environ)))
    told = warning(Check.LIMITS, "limits.maxAgents is 1 and the plan has 2 tasks: the rest would not be launched")
    return EditExamination.after(Report((told,), CATALOGUE), admission)


async def looked_at(examine, plan):
    source = plan.model_dump_json(by_alias=True, exclude_defaults=True).encode()
    return list(await examine(plan, source, PLAN))


async def test_a_task_for_which_all_is_there_is_taken_in(examine):
    assert await looked_at(examine, a_plan("a", a_task("b", model="gpt-5.4"))) == []


async def test_all_that_new_tasks_lack_is_told_at_once_and_where_it_stands(examine):
    lacking = (a_task("b", model="gpt-9"), a_task("c", startingRef="nowhere"))
    with pytest.raises(InputRefused) as refused:
        await looked_at(examine, a_plan("a", *lacking))
    assert "gpt-9" in refused.value.message
    assert 'branch "nowhere", from which task c starts, is not on the remote (set startingRef' in refused.value.message
    assert "plan.json:1 tasks[2].startingRef" in refused.value.message


async def test_a_prompt_that_is_too_large_is_a_fault(examine):
    with pytest.raises(InputRefused, match="the prompt of b has"):
        await looked_at(examine, a_plan("a", a_task("b", scopedGoal="x" * 1_100_000)))


async def test_where_nothing_is_new_nothing_is_looked_at(examine):
    assert await looked_at(examine, a_plan(a_task("a", model="gpt-9"), baseBranch="nowhere")) == []


async def test_a_warning_is_told_once(examine):
    limits = {"maxConcurrentPerRepo": 9, "maxAgents": 1}
    (said,) = await looked_at(examine, a_plan("a", "b", limits=limits))
    assert said.startswith("limits.maxConcurrentPerRepo is 9 and never reached")
    assert await looked_at(examine, a_plan("a", "b", limits=limits)) == []
