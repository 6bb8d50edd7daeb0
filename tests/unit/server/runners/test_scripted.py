import json
import sys

import pytest

from orchestrate.errors import Refused
from orchestrate.model.wire import CreateAgent, LocalAgent
from orchestrate.server.git import Git
from orchestrate.server.runners.command import Workplace
from orchestrate.server.runners.contract import Order
from orchestrate.server.runners.scripted import ScriptedRunner
from orchestrate.server.state import StateFolder

STEPS = [{"print": "x"}]


@pytest.fixture
def runner(tmp_path):
    workplace = Workplace(
        folder=StateFolder(tmp_path), git=Git({}), environment={}, launcher=lambda _: None, grace_seconds=1
    )
    return ScriptedRunner(workplace)


def order(prompt, *command):
    agent = LocalAgent(runner="scripted", command=command)
    return Order(None, CreateAgent.model_validate({"prompt": {"text": prompt}}), agent, "name", b"")


def test_a_script_in_the_prompt_is_run_by_our_interpreter(runner):
    program, isolated, _, script = runner.command_of(order(f"do\nscripted-runner: {json.dumps(STEPS)}\nmore"))

    assert (program, isolated, json.loads(script)) == (sys.executable, "-I", STEPS)


def test_a_script_in_a_file_is_taken_where_the_prompt_has_none(runner, tmp_path):
    (tmp_path / "script.json").write_text(json.dumps(STEPS))

    assert json.loads(runner.command_of(order("do", str(tmp_path / "script.json")))[-1]) == STEPS


@pytest.mark.parametrize(
    ("prompt", "command", "words"),
    [
        ("scripted-runner: {}", (), "a list of steps"),
        ('scripted-runner: [{"fly": 1}]', (), "fly"),
        ('scripted-runner: [{"print": "x", "exit": 0}]', (), "this is none"),
        ("no script", (), "no script in the prompt"),
        ("no script", ("/nowhere/script.json",), "cannot be read"),
    ],
)
def test_what_is_no_script_is_refused_by_the_check(runner, prompt, command, words):
    with pytest.raises(Refused, match=words):
        runner.check(order(prompt, *command))


async def test_a_sound_script_has_its_place(runner):
    assert await runner.place(order("scripted-runner: []")) == {"program": sys.executable, "passed": ""}
