import pytest

from orchestrate.errors import InputRefused
from orchestrate.model.call_classes import CallClass
from orchestrate.server.fault_plan import Deed, FaultPlan, Rule, fault_plan_at, fault_plan_named, read_fault_plan

PLAN = FaultPlan(rules=(Rule(do=Deed.CUT, call=CallClass.STREAM, frames=3),), ignore_keys=True)
TEXT = '{"rules": [{"do": "cut", "call": "stream", "frames": 3}], "ignoreKeys": true}'


def test_a_plan_is_read_from_text_and_from_a_file(tmp_path):
    path = tmp_path / "faults.json"
    path.write_text(TEXT)
    assert read_fault_plan(TEXT, where="here") == PLAN
    assert fault_plan_at(path) == fault_plan_named(str(path)) == fault_plan_named(TEXT) == PLAN


@pytest.mark.parametrize("value", [None, ""])
def test_nobody_asks_for_faults(value):
    assert fault_plan_named(value) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "the object"),
        ("{", "the object"),
        ('{"rule": []}', "rule: Extra"),
        ('{"rules": [{"do": "explode"}]}', "rules[0].do"),
        ('{"rules": [{"do": "cut", "call": "create"}]}', 'rules[0]: Value error, "cut" needs "call": "stream"'),
        ('{"limits": {"create": {"perMinute": 0}}, "capacity": {}}', "limits.create.perMinute: Input"),
        ('{"limits": {"create": {"perMinute": 0}}, "capacity": {}}', "capacity.agents: Field required"),
    ],
)
def test_everything_that_is_wrong_is_told_with_its_place(text, words):
    with pytest.raises(InputRefused) as refused:
        read_fault_plan(text, where="faults.json")
    assert "faults.json" in refused.value.message
    assert words in refused.value.message


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(InputRefused, match=r"nowhere\.json cannot be read: No such file"):
        fault_plan_at(tmp_path / "nowhere.json")
    (tmp_path / "binary").write_bytes(b"\xff")
    with pytest.raises(InputRefused, match="binary cannot be read"):
        fault_plan_at(tmp_path / "binary")
