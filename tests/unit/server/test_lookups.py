import pytest

from orchestrate.errors import Refused
from orchestrate.server.access import OWNER, Caller
from orchestrate.server.paging import Page
from tests.support.server_parts import LASTING, call, running

PARENT, CHILD, STRANGER = (f"bc-0f8fad5b-d9cb-469f-a165-{number:012x}" for number in range(3))
FIRST_PAGE = Page(limit=20, before=None)


async def _family(our):
    """A parent at work, its child, and an agent that is none of theirs."""
    await our.create(call(LASTING, agentId=PARENT, repos=[{"url": "https://x/parent"}]))
    await our.create(call(agentId=CHILD, caller=Caller(PARENT)))
    await our.create(call(agentId=STRANGER, repos=[{"url": "https://x/stranger"}]))


def _ids(page):
    return [item["id"] for item in page["items"]]


async def test_the_owner_finds_all_and_an_agent_its_own_subtree(tmp_path):
    async with running(tmp_path) as our:
        await _family(our)

        def listed(caller):
            return _ids(our.lookups.agents(caller, FIRST_PAGE, pr_url=None, includes_archived=False))

        assert listed(OWNER) == [STRANGER, CHILD, PARENT]
        assert listed(Caller(PARENT)) == [CHILD, PARENT]
        assert listed(Caller(CHILD)) == [CHILD]
        assert our.lookups.repositories(Caller(CHILD)) == {"items": []}
        assert our.lookups.repositories(Caller(PARENT)) == {"items": [{"url": "https://x/parent"}]}


async def test_what_is_out_of_reach_does_not_exist(tmp_path):
    async with running(tmp_path) as our:
        await _family(our)
        caller = Caller(CHILD)
        for ask in (
            lambda: our.lookups.agent(caller, STRANGER),
            lambda: our.lookups.runs(caller, PARENT, FIRST_PAGE),
            lambda: our.lookups.usage(caller, STRANGER, run_id=None),
            lambda: our.lookups.usage(caller, STRANGER, run_id="run-1"),
            lambda: our.lookups.run(caller, STRANGER, "run-1"),
        ):
            with pytest.raises(Refused) as caught:
                ask()
            assert caught.value.code == "agent_not_found"


async def test_a_run_is_found_under_its_own_agent_only(tmp_path):
    async with running(tmp_path) as our:
        await _family(our)
        run_id = our.lookups.agent(OWNER, STRANGER)["latestRunId"]

        assert our.lookups.run(OWNER, STRANGER, run_id)["id"] == run_id
        with pytest.raises(Refused) as caught:
            our.lookups.run(OWNER, CHILD, run_id)
        assert caught.value.code == "run_not_found"


async def test_an_ended_run_is_as_it_is_from_now_on(tmp_path):
    async with running(tmp_path) as our:
        created = await our.create(call())
        before = our.lookups.run_record(OWNER, created["agent"]["id"], created["run"]["id"])
        await our.ended(created["run"])

        ended = our.lookups.ended_run(before)

        assert ended.status.is_terminal
        assert our.lookups.ended_run(ended) is ended
