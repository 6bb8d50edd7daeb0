from pathlib import Path

import pytest

from orchestrate.cli.services import cloud_service, service_of
from orchestrate.cli.surroundings import Environment
from orchestrate.cli.wiring import CLOUD_URL
from orchestrate.errors import InputRefused
from orchestrate.model.vocabulary import RuntimeKind
from orchestrate.model.wire import LocalAgent

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
