from functools import partial

import anyio
import pytest

from orchestrate.cli.checks.findings import Check, Verdict
from orchestrate.cli.examination import Examined, examine, prepared_or_refused
from orchestrate.cli.running import Request
from orchestrate.cli.surroundings import Environment
from orchestrate.errors import InputRefused, PlanRefused, SeveralRefused
from orchestrate.model.faults import Fault
from tests.support.builders import a_task
from tests.support.workspaces import a_plan_document, write_plan


def test_what_is_refused_becomes_a_fault_and_what_is_made_is_given_back():
    def refuse() -> None:
        raise InputRefused("no")

    def refuse_a_plan() -> None:
        raise PlanRefused("2 faults", faults=[Fault("a.b", "is wrong", 3), Fault("", "is missing")])

    examined = Examined()
    assert examined.tried(Check.KEY, lambda: 1) == 1
    assert examined.tried(Check.KEY, refuse) is None
    assert examined.tried(Check.PLAN, refuse_a_plan) is None
    assert [finding.message for finding in examined.findings] == ["no", "line 3 a.b: is wrong", "is missing"]


def test_findings_come_in_the_order_of_their_subjects(tmp_path):
    path = write_plan(tmp_path, a_plan_document(a_task("a"), repoUrl="./nowhere.git"))
    environment = Environment(variables={"PATH": "/nowhere"}, server_folder=tmp_path / "server", current=tmp_path)
    request = Request(plan_path=path, runtime="local", agent_command="./gone")
    examined = anyio.run(partial(examine, request, environment))
    assert [(finding.check, finding.verdict) for finding in examined.findings] == [
        (Check.PLAN, Verdict.GOOD),
        (Check.RUNTIME, Verdict.FAULT),
        (Check.KEY, Verdict.SKIPPED),
        (Check.MODELS, Verdict.SKIPPED),
        (Check.REPOSITORY, Verdict.FAULT),
        (Check.PROMPTS, Verdict.GOOD),
        (Check.LIMITS, Verdict.GOOD),
    ]


def test_one_refusal_before_a_run_brings_all_others_with_it(tmp_path):
    path = write_plan(tmp_path, a_plan_document(a_task("a"), repoUrl="./nowhere.git"))
    environment = Environment(variables={"PATH": "/nowhere"}, server_folder=tmp_path / "server", current=tmp_path)
    request = Request(plan_path=path, runtime="local", agent_command="./gone", templates_folder=tmp_path / "none")
    with pytest.raises(SeveralRefused) as refused:
        prepared_or_refused(request, environment)
    told = [each.message for each in refused.value.refusals]
    assert told == [
        '--agent-command: "./gone" does not exist.',
        "git was not found; local agents need it.",
        f"--templates: {tmp_path / 'none'} is no folder.",
    ]


def test_a_plan_with_faults_is_refused_with_these_alone(tmp_path):
    path = write_plan(tmp_path, a_plan_document(a_task("a"), goal=""))
    environment = Environment(variables={}, server_folder=tmp_path / "server", current=tmp_path)
    with pytest.raises(PlanRefused):
        prepared_or_refused(Request(plan_path=path, runtime="local", agent_command="./gone"), environment)


def test_a_runtime_that_there_is_not_is_told_once(tmp_path):
    path = write_plan(tmp_path, a_plan_document(a_task("a")))
    environment = Environment(
        variables={"PATH": "/nowhere"}, server_folder=tmp_path / "server", current=tmp_path, runtime="clod"
    )
    with pytest.raises(InputRefused, match='unknown runtime "clod"'):
        prepared_or_refused(Request(plan_path=path), environment)
