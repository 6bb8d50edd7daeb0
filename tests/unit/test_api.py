import json
import subprocess
import sys

import pytest

from orchestrate import api
from orchestrate.errors import InputRefused, PlanRefused

PLAN = {
    "goal": "Sell things.",
    "rootSlug": "shop",
    "baseBranch": "main",
    "repoUrl": "https://git.example.org/team/shop.git",
    "tasks": [{"name": "build", "type": "worker", "scopedGoal": "It builds."}],
}


def test_a_plan_is_loaded_from_its_file_or_its_folder(tmp_path):
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(PLAN))
    assert api.load_plan(path).root_slug == "shop"
    assert api.load_plan(str(tmp_path)) == api.load_plan(path)


def test_a_plan_with_faults_is_refused_with_all_of_them(tmp_path):
    path = tmp_path / "plan.json"
    path.write_text("{}")
    with pytest.raises(PlanRefused) as refusal:
        api.load_plan(path)
    assert "tasks" in {fault.path for fault in refusal.value.faults}
    with pytest.raises(InputRefused):
        api.load_plan(tmp_path / "missing.json")


def test_faults_are_found_in_text_bytes_and_objects():
    assert api.check_plan(PLAN) == []
    assert api.check_plan(json.dumps(PLAN)) == []
    wrong = {**PLAN, "tasks": [{**PLAN["tasks"][0], "dependsOn": ["bild"]}]}
    found = api.check_plan(json.dumps(wrong, indent=1).encode())
    assert [fault.path for fault in found] == ["tasks[0].dependsOn[0]"]
    assert found[0].line is not None
    assert api.check_plan(b"\xff")


def test_a_handoff_is_read():
    found = api.parse_handoff("## Status\nsuccess\n\n## Branch\n`cursor/build-1f2a`\n")
    assert found.status == "success"
    assert found.branch == "cursor/build-1f2a"
    assert found.structured
    assert api.parse_handoff("", run_branches=["cursor/x"]).branch == "cursor/x"


def test_importing_it_loads_nothing_heavy():
    heavy = "('pydantic', 'networkx', 'httpx', 'jinja2', 'anyio', 'markdown_it')"
    code = f"import sys, orchestrate.api; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_failure_is_classified_from_evidence():
    assert api.classify_failure(error="exit status 137") == "oom"
    assert api.classify_failure(run_status="EXPIRED") == "cap-hit"
    assert type(api.classify_failure()) is str


def test_a_value_is_taken_from_what_a_command_printed():
    assert api.extract_measurement({"kind": "regex", "pattern": "(?<n>\\d+) passed", "flags": "gi"}, "7 Passed") == "7"
    assert api.extract_measurement(None, "a\nb\n") == "2"
    with pytest.raises(api.MeasurementError):
        api.extract_measurement({"kind": "regex", "pattern": "x"}, "y")


def test_a_claim_is_compared_with_what_was_measured():
    spec = {"name": "lines", "command": "wc -l", "toleranceFraction": 0.05}
    claim = {"name": "`lines`", "before": "1", "op": "→", "after": "1,234"}
    assert api.compare_measurement(spec, "1234", claim).outcome == "match"
    assert api.compare_measurement(spec, 2000, claim).outcome == "value-mismatch"
    assert api.compare_measurement(spec, "1234", None).outcome == "claim-missing"


def test_secrets_are_taken_out_of_text():
    assert api.redact("my hunter2secret", secrets=["hunter2secret"]) == "my [redacted]"
