import base64
import json

import pytest

from orchestrate.errors import Refused
from orchestrate.model.wire import LocalAgent
from orchestrate.server.orders import read_order, reread_order

NULL = LocalAgent(runner="null")


def read(*, pass_env=None, default=NULL, models=(), **body):
    content = json.dumps({"prompt": {"text": "work"}, **body}).encode()
    return read_order(content, pass_env=pass_env, default=default, models=models)


def packed(values):
    return base64.b64encode(json.dumps(values).encode()).decode()


def test_a_sound_request_is_an_order():
    order = read(name="root/task", localAgent={"command": ["agent"]})

    assert (order.name, order.agent.command, order.agent_id) == ("root/task", ("agent",), None)


def test_an_order_without_agent_program_takes_the_default():
    assert read().agent == NULL


@pytest.mark.parametrize(
    ("prompt", "name"), [("\n# Fix it\nmore", "Fix it"), ("x" * 200, "x" * 100), ("#\n-", "-"), ("#", "agent")]
)
def test_a_name_is_made_from_the_prompt(prompt, name):
    assert read(prompt={"text": prompt}).name == name


def test_all_faults_are_told_at_once():
    with pytest.raises(Refused) as refusal:
        read(name=" ", agentId="x", prompt={"text": ""})

    assert all(word in refusal.value.message for word in ("name:", "agentId:", "prompt.text:"))


def test_only_asked_values_are_passed_on():
    order = read(pass_env=packed({"A": "1", "B": "2"}), localAgent={"command": ["x"], "passEnv": ["A", "C"]})

    assert order.pass_env == {"A": "1"}


@pytest.mark.parametrize("values", [{"A": "1\0"}, {"A": 1}, []])
def test_values_that_are_no_environment_are_refused(values):
    with pytest.raises(Refused, match="passEnv"):
        read(pass_env=packed(values), localAgent={"command": ["x"], "passEnv": ["A"]})


def test_an_unknown_model_is_refused_where_there_is_a_catalogue():
    with pytest.raises(Refused, match="known are: a, b"):
        read(model={"id": "c"}, models=("a", "b"))
    assert read(model={"id": "a"}, models=("a", "b"))


def test_an_admitted_request_is_read_again_without_its_values():
    body = json.dumps({"prompt": {"text": "work"}, "localAgent": {"command": ["x"], "passEnv": ["A"]}}).encode()
    first = read_order(body, pass_env=packed({"A": "1"}), default=None, models=())

    again = reread_order(body, default=None)

    assert (again.name, again.agent, again.pass_env) == (first.name, first.agent, {})
