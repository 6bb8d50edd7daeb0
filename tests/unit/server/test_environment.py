from pathlib import Path

from orchestrate.model.wire import CreateAgent, LocalAgent
from orchestrate.server.discovery import Endpoint
from orchestrate.server.environment import agent_environment, git_environment, server_environment
from orchestrate.server.records import AgentRecord
from orchestrate.server.runners.contract import Order

OWN = {"PATH": "/bin", "LC_TIME": "C", "SSH_AUTH_SOCK": "/s", "AWS_SECRET": "x", "CURSOR_API_KEY": "k", "GIT_DIR": "/g"}


def order(*, pass_env=None, **request):
    parsed = CreateAgent.model_validate({"prompt": {"text": "x"}, **request})
    return Order(None, parsed, LocalAgent(), "name", b"", pass_env or {})


def test_an_agent_sees_the_list_only():
    assert agent_environment(OWN, order=order()) == {"PATH": "/bin", "LC_TIME": "C"}


def test_a_server_is_started_with_what_it_may_ever_hand_on_and_what_python_needs():
    own = {**OWN, "PYTHONPATH": "/p", "LD_LIBRARY_PATH": "/l", "https_proxy": "p"}

    assert own.keys() - server_environment(own).keys() == {"AWS_SECRET", "CURSOR_API_KEY", "GIT_DIR"}


def test_what_is_passed_and_asked_for_goes_before_the_list():
    seen = agent_environment(OWN, order=order(pass_env={"PATH": "/mine", "A": "1"}, runEnvVars={"A": "2", "B": "3"}))

    assert seen == {"PATH": "/mine", "LC_TIME": "C", "A": "2", "B": "3"}


def test_who_an_agent_is_cannot_be_overridden():
    agent = AgentRecord("bc-1", "/bc-0/bc-1/", "command", "", "run-1", {}, b"", {})
    ordered = order(runEnvVars={"ORCHESTRATE_AGENT_ID": "forged"}, metadata={"orchestrateTask": "t"}, model={"id": "m"})

    seen = agent_environment({}, order=ordered, agent=agent)

    assert seen == {
        "ORCHESTRATE_AGENT_ID": "bc-1",
        "ORCHESTRATE_AGENT_NAME": "name",
        "ORCHESTRATE_AGENT_DEPTH": "1",
        "ORCHESTRATE_TASK": "t",
        "ORCHESTRATE_MODEL": "m",
    }


def test_a_launcher_gets_the_way_to_its_subtree():
    seen = agent_environment(OWN, order=order(), launcher=Endpoint("http://here", "token"))

    assert (seen["CURSOR_BACKEND_URL"], seen["CURSOR_API_KEY"]) == ("http://here", "token")


def test_git_reaches_remotes_and_asks_nobody():
    seen = git_environment(OWN, below=Path("/state/clone"))

    assert seen["SSH_AUTH_SOCK"] == "/s"
    assert seen["GIT_TERMINAL_PROMPT"] == "0"
    assert seen["GIT_CEILING_DIRECTORIES"] == "/state"
    assert seen["GIT_SSH_COMMAND"] == "ssh -o BatchMode=yes"
    assert not {"AWS_SECRET", "CURSOR_API_KEY", "GIT_DIR"} & seen.keys()


def test_an_own_ssh_command_is_kept():
    assert git_environment({"GIT_SSH_COMMAND": "mine"}, below=None)["GIT_SSH_COMMAND"] == "mine"
