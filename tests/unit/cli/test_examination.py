from functools import partial

import anyio

from orchestrate.cli.checks.findings import Check, Verdict
from orchestrate.cli.examination import Examined, examine
from orchestrate.cli.running import Request
from orchestrate.cli.surroundings import Environment
from orchestrate.errors import InputRefused, PlanRefused
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
