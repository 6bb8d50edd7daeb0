"""Grants at the service: what is read of an agent, and what of a subtree is certain."""

import pytest

from orchestrate.core.effects import CountSubtree, ReadGrant
from orchestrate.core.grant_events import GrantRead, GrantUnread, SubtreeCounted
from orchestrate.engine.grants import GrantReader
from orchestrate.errors import OutcomeUnknown, Refused, Unavailable
from orchestrate.model.grants import Grant, tag_of
from orchestrate.model.vocabulary import AgentStatus, RunStatus
from orchestrate.model.wire import (
    METADATA_GRANT,
    METADATA_KEY,
    METADATA_PARENT,
    Agent,
    AgentPage,
    AgentUsage,
    Cost,
    Run,
)
from tests.support.builders import agent_of, moment
from tests.support.virtual_time import LoopClock, virtually

TOP, LEAF, PLANNER, BELOW = (agent_of(name) for name in ("top", "leaf", "planner", "below"))
STRANGER = agent_of("stranger")
WORDS = f"what agent {TOP} was granted cannot be read"
HINT = "The agent id is the plan's selfAgentId, or that of ORCHESTRATE_PLANNER_ID; the key must reach that agent."


def agent(agent_id, *, parent=None, metadata=None, has_run=True) -> Agent:
    told = {METADATA_KEY: "key", **({METADATA_PARENT: parent} if parent else {})} if metadata is None else metadata
    run_id = agent_id.replace("bc-", "run-", 1) if has_run else None
    return Agent(
        id=agent_id,
        status=AgentStatus.ACTIVE,
        metadata=told or None,
        url="",
        created_at=moment(),
        updated_at=moment(),
        latest_run_id=run_id,
    )


class Service:
    """Agents in pages of two."""

    def __init__(self, *agents, running=(), costs=None, error=None):
        self.agents = {each.id: each for each in agents}
        self.running = running
        self.costs = costs or {}
        self.error = error

    async def get_agent(self, agent_id):
        if self.error is not None:
            raise self.error
        if agent_id not in self.agents:
            raise Refused("no such agent", status=404)
        return self.agents[agent_id]

    async def agent_page(self, *, cursor=None, include_archived=False):
        assert include_archived
        if self.error is not None:
            raise self.error
        shown, agents = int(cursor or 0), list(self.agents.values())
        return AgentPage(
            items=tuple(agents[shown : shown + 2]), next_cursor=str(shown + 2) if len(agents) > shown + 2 else None
        )

    async def get_run(self, agent_id, run_id):
        assert run_id == agent_id.replace("bc-", "run-", 1)
        status = RunStatus.RUNNING if agent_id in self.running else RunStatus.FINISHED
        return Run(id=run_id, agent_id=agent_id, status=status, created_at=moment(), updated_at=moment())

    async def usage(self, agent_id):
        cents = self.costs.get(agent_id)
        return AgentUsage() if cents is None else AgentUsage(cost=Cost(charged_cents=cents))


def reader(service, *, is_below=True, look_up_seconds=10.0):
    return GrantReader(service, clock=LoopClock(), look_up_seconds=look_up_seconds, is_below=is_below)


async def read(service, **fields):
    return await reader(service, **fields).read(ReadGrant(agent_id=TOP))


async def count(service, *, wants_cost=True):
    order = CountSubtree(task="top", attempt=2, agent_id=TOP, wants_cost=wants_cost)
    return await reader(service).count(order)


def counted(agents=None, cents=None):
    return SubtreeCounted(task="top", attempt=2, agents=agents, cents=cents)


@virtually
async def test_a_grant_is_read_from_the_agents_metadata():
    grant = Grant(agents=8, cents=400.0, levels=1)
    service = Service(agent(TOP, metadata={METADATA_GRANT: tag_of(grant)}))
    assert await read(service) == GrantRead(agent_id=TOP, grant=grant)


@virtually
async def test_who_grants_nothing_bounds_nothing():
    assert await read(Service(agent(TOP))) == GrantRead(agent_id=TOP, grant=Grant())
    assert await read(Service(agent(TOP, metadata={})), is_below=False) == GrantRead(agent_id=TOP, grant=Grant())


@pytest.mark.parametrize(
    ("service", "reason"),
    [
        (Service(), "the service knows no such agent"),
        (Service(error=Refused("it is another key's.", status=403)), "it is another key's"),
    ],
)
@virtually
async def test_an_agent_that_only_the_plan_names_has_no_bounds_but_the_plans(service, reason):
    note = f"the plan's selfAgentId {TOP} cannot be looked up: {reason}; no limits but the plan's own bind."
    assert await read(service, is_below=False) == GrantRead(agent_id=TOP, grant=Grant(), note=note)


@pytest.mark.parametrize(
    ("service", "unread"),
    [
        (Service(), GrantUnread(message=f"{WORDS}: the service knows no such agent", hint=HINT, is_final=True)),
        (
            Service(error=Refused("it is another key's.", status=403)),
            GrantUnread(message=f"{WORDS}: it is another key's", hint=HINT, is_final=True),
        ),
        (
            Service(error=Refused("bad key", status=401, hint="Set it.")),
            GrantUnread(message=f"{WORDS}: bad key", hint="Set it.", is_final=True),
        ),
        (Service(error=Unavailable("connection refused.")), GrantUnread(message=f"{WORDS}: connection refused")),
        (Service(error=OutcomeUnknown("no answer")), GrantUnread(message=f"{WORDS}: no answer")),
        (
            Service(agent(TOP, metadata={})),
            GrantUnread(message=f"{WORDS}: the service shows no metadata of it", is_final=True),
        ),
        (
            Service(agent(TOP, metadata={METADATA_GRANT: "much"})),
            GrantUnread(message=f"{WORDS}: its orchestrateGrant makes no sense", is_final=True),
        ),
    ],
)
@virtually
async def test_a_grant_that_cannot_be_read_is_never_guessed(service, unread):
    assert await read(service) == unread


TREE = (agent(TOP), agent(STRANGER), agent(LEAF, parent=TOP), agent(PLANNER, parent=TOP), agent(BELOW, parent=PLANNER))
COSTS = {LEAF: 1.5, PLANNER: 2.0, BELOW: 3.0, TOP: 99.0, STRANGER: 99.0}


@virtually
async def test_all_that_stands_below_is_counted_on_every_page_and_not_the_planner_itself():
    assert await count(Service(*TREE, costs=COSTS)) == counted(3, 6.5)
    assert await count(Service(*TREE, costs=COSTS), wants_cost=False) == counted(3)
    assert await count(Service(agent(TOP))) == counted(0, 0.0)


@virtually
async def test_a_cost_that_is_not_known_leaves_the_number_of_agents_certain():
    assert await count(Service(*TREE, costs={LEAF: 1.5})) == counted(3)


@pytest.mark.parametrize("working", [TOP, LEAF, BELOW])
@virtually
async def test_as_long_as_somebody_works_nothing_is_certain(working):
    assert await count(Service(*TREE, running=(working,), costs=COSTS)) == counted()


@virtually
async def test_an_agent_without_a_run_may_still_get_one():
    assert await count(Service(agent(TOP), agent(LEAF, parent=TOP, has_run=False))) == counted()


@pytest.mark.parametrize(
    "service", [Service(), Service(agent(TOP, metadata={})), Service(error=Unavailable("no")), Service(agent(LEAF))]
)
@virtually
async def test_a_list_that_does_not_show_the_planner_as_it_was_launched_shows_nothing(service):
    assert await count(service) == counted()
