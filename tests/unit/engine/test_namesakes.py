from orchestrate.core.effects import LookForNamesakes
from orchestrate.core.service_events import Namesake, NamesakesSeen
from orchestrate.engine.namesakes import look_for_namesakes
from orchestrate.errors import Unavailable
from orchestrate.model.names import agent_name
from orchestrate.model.vocabulary import AgentStatus, TaskStatus
from orchestrate.model.wire import METADATA_ROOT, METADATA_TASK
from tests.support.agent_service import FakeAgentService
from tests.support.builders import SLUG, a_row, agent_of
from tests.support.engine_room import request_body


def asked(*rows):
    return LookForNamesakes(root_slug=SLUG, rows=rows)


def half_known(name="a", **fields):
    return a_row(name, status=TaskStatus.RUNNING, **fields)


async def test_agents_are_found_by_name_by_id_and_by_their_metadata():
    service = FakeAgentService()
    by_name = service._create(request_body("1", name=agent_name(SLUG, "a")), "1")
    by_id = service._create(request_body("2", name="anything"), "2")
    told = {METADATA_ROOT: SLUG, METADATA_TASK: "c"}
    by_tag = service._create(request_body("3", name="what else", metadata=told), "3")
    service._create(request_body("4", name="of somebody"), "4")
    service._create(request_body("5", metadata={METADATA_ROOT: SLUG, METADATA_TASK: "z"}), "5")
    service._create(request_body("6", metadata={METADATA_ROOT: "other", METADATA_TASK: "c"}), "6")
    rows = (half_known("a"), half_known("b", agent_id=by_id.agent.id), half_known("c"))
    seen = await look_for_namesakes(asked(*rows), service=service)
    found = {(each.task, each.agent_id, each.run_id) for each in seen.agents}
    assert found == {
        ("a", by_name.agent.id, by_name.run.id),
        ("b", by_id.agent.id, by_id.run.id),
        ("c", by_tag.agent.id, by_tag.run.id),
    }


async def test_older_pages_and_archived_agents_are_looked_at_as_well():
    service = FakeAgentService()
    old = service._create(request_body("old", name=agent_name(SLUG, "a")), "old")
    service.end_run(old.agent.id)
    await service.archive_agent(old.agent.id)
    for number in range(230):
        service._create(request_body(f"n-{number}"), f"{number}")
    seen = await look_for_namesakes(asked(half_known()), service=service)
    namesake = Namesake(task="a", agent_id=agent_of("old"), status=AgentStatus.ARCHIVED, run_id=old.run.id)
    assert seen == NamesakesSeen(agents=(namesake,))


async def test_a_service_that_does_not_tell_is_no_fault():
    service = FakeAgentService()
    service.fail_next("agent_page", Unavailable("503"))
    assert await look_for_namesakes(asked(half_known()), service=service) == NamesakesSeen(unknown="503")
