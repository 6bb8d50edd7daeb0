from pathlib import Path

import pytest

from orchestrate.cli.services import cloud_service, service_at_hand, service_of
from orchestrate.cli.surroundings import Environment
from orchestrate.cli.wiring import CLOUD_URL
from orchestrate.errors import InputRefused
from orchestrate.model.vocabulary import RuntimeKind
from orchestrate.model.wire import LocalAgent
from tests.support.server import running_server

HERE = Path("/nowhere")


def around(**fields) -> Environment:
    return Environment(variables=fields.pop("variables", {}), server_folder=HERE, current=HERE, **fields)


async def test_without_an_agent_program_it_is_the_cloud():
    service = await service_of(None, around(api_key="k"))
    assert (service.kind, service.url, service.key) == (RuntimeKind.CLOUD, CLOUD_URL, "k")
    assert not service.is_own_server


def test_another_address_of_the_cloud_is_taken():
    assert cloud_service(around(api_key="k", backend_url="https://api.example")).url == "https://api.example"


def test_the_cloud_needs_a_key():
    with pytest.raises(InputRefused, match="CURSOR_API_KEY is not set"):
        cloud_service(around())


async def test_an_agent_that_plans_runs_its_own_agents_at_the_server_that_runs_it():
    agent = LocalAgent(command=("agent",), pass_env=("TOKEN", "GONE"))
    environment = around(
        api_key="subtree", backend_url="http://127.0.0.1:7", agent_depth=1, variables={"TOKEN": "t", "OTHER": "o"}
    )
    service = await service_of(agent, environment)
    assert (service.kind, service.url, service.key) == (RuntimeKind.LOCAL, "http://127.0.0.1:7", "subtree")
    assert service.pass_env == {"TOKEN": "t"}
    assert not service.is_own_server


async def test_a_root_planner_at_a_server_is_known_by_its_token():
    environment = around(api_key="subtree.bc-1.x", backend_url="http://127.0.0.1:7")
    service = await service_of(LocalAgent(command=("agent",)), environment)
    assert (service.url, service.is_own_server) == ("http://127.0.0.1:7", False)


async def test_to_be_asked_the_cloud_needs_no_agent_program():
    service = await service_at_hand(RuntimeKind.CLOUD, around(api_key="k"))
    assert service == cloud_service(around(api_key="k"))


async def test_to_be_asked_no_local_server_is_started(tmp_path):
    environment = Environment(variables={}, server_folder=tmp_path / "server", current=HERE)
    assert await service_at_hand(RuntimeKind.LOCAL, environment) is None
    assert list(tmp_path.iterdir()) == []


async def test_to_be_asked_a_local_server_that_runs_is_taken(tmp_path):
    with running_server(tmp_path / "server") as server:
        environment = Environment(variables={}, server_folder=tmp_path / "server", current=HERE)
        service = await service_at_hand(RuntimeKind.LOCAL, environment)
    assert service is not None
    assert (service.kind, service.url, service.key) == (RuntimeKind.LOCAL, server.url, server.token)


async def test_to_be_asked_the_server_that_runs_this_process_comes_first():
    environment = around(api_key="subtree", backend_url="http://127.0.0.1:7", agent_depth=1)
    service = await service_at_hand(RuntimeKind.LOCAL, environment)
    assert service is not None
    assert (service.url, service.key) == ("http://127.0.0.1:7", "subtree")
