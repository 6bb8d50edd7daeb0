import pytest

from orchestrate.cli.checks.findings import Verdict
from orchestrate.cli.checks.key import check_key
from orchestrate.cloud.client import CloudClient
from orchestrate.model.vocabulary import RuntimeKind
from tests.support.fake_cloud import fake_cloud


@pytest.fixture
def cloud():
    with fake_cloud() as cloud:
        yield cloud


async def found(cloud, *, key=None, kind=RuntimeKind.CLOUD):
    async with CloudClient(base_url=f"http://127.0.0.1:{cloud.port}", api_key=key or cloud.key) as client:
        return await check_key(client, kind=kind)


@pytest.mark.parametrize(
    ("owner", "whose"),
    [
        ({}, '"test"'),
        ({"userEmail": "ana@example.org"}, '"test" of ana@example.org'),
        (
            {"userFirstName": "Ana", "userLastName": "Lima", "userEmail": "ana@example.org"},
            '"test" of Ana Lima (ana@example.org)',
        ),
    ],
)
async def test_a_good_key_says_whose_it_is(cloud, owner, whose):
    cloud.owner = owner
    finding = await found(cloud)
    assert (finding.verdict, finding.message) == (Verdict.GOOD, f"the service takes the key {whose}")


@pytest.mark.parametrize(
    ("kind", "message", "hint"),
    [
        (
            RuntimeKind.CLOUD,
            "the service refused the key in CURSOR_API_KEY (401)",
            "make a new key at the service, set CURSOR_API_KEY, then type the same command again",
        ),
        (
            RuntimeKind.LOCAL,
            "ask whose key this is: the fake says unauthorized (401 unauthorized)",
            "check the API key (CURSOR_API_KEY)",
        ),
    ],
)
async def test_a_refused_key_is_a_fault(cloud, kind, message, hint):
    finding = await found(cloud, key="wrong", kind=kind)
    assert (finding.verdict, finding.message, finding.hint) == (Verdict.FAULT, message, hint)


async def test_a_service_in_trouble_is_a_fault_with_a_hint(cloud):
    cloud.answer_next("GET", "/v1/me", 503, "server_error")
    finding = await found(cloud)
    assert (finding.verdict, finding.hint) == (Verdict.FAULT, "check the network, then try again")
