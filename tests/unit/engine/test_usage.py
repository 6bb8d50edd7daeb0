from dataclasses import replace

import pytest

from orchestrate.core.effects import AskUsage
from orchestrate.core.usage_events import UsageAnswered
from orchestrate.engine.usage import ask_usage
from orchestrate.errors import Refused, Unavailable
from orchestrate.model.wire import AgentUsage, Cost, RunUsage, TokenUsage
from tests.support.builders import agent_of
from tests.support.virtual_time import virtually

ORDER = AskUsage(task="a", attempt=2, agent_id=agent_of("a", 2))


class Service:
    def __init__(self, answer):
        self.answer, self.asked = answer, []

    async def usage(self, agent_id):
        self.asked.append(agent_id)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def run(cost=None):
    return RunUsage(id="run-1", cost=cost)


@pytest.mark.parametrize(
    ("answer", "cents", "tokens"),
    [
        (AgentUsage(cost=Cost(raw_cost_cents=9.0, charged_cents=7.5)), 7.5, None),
        (AgentUsage(cost=Cost(raw_cost_cents=9.0), total_usage=TokenUsage(total_tokens=3)), 9.0, 3),
        (AgentUsage(cost=Cost(charged_cents=0.0)), 0.0, None),
        (AgentUsage(runs=(run(Cost(charged_cents=1.5)), run(Cost(charged_cents=2.0)))), 3.5, None),
        (AgentUsage(runs=(run(Cost(charged_cents=1.5)), run())), None, None),
        (AgentUsage(cost=Cost()), None, None),
        (AgentUsage(cost=Cost(charged_cents=-1.0)), None, None),
        (AgentUsage(cost=Cost(charged_cents=float("nan"))), None, None),
        (AgentUsage(), None, None),
        (Unavailable("later"), None, None),
        (Refused("unknown agent", status=404), None, None),
    ],
)
@virtually
async def test_what_the_service_tells_and_what_it_leaves_open(answer, cents, tokens):
    service = Service(answer)
    assert await ask_usage(ORDER, service=service) == UsageAnswered(task="a", attempt=2, cents=cents, tokens=tokens)
    assert service.asked == [ORDER.agent_id]


@pytest.mark.parametrize(
    ("runs", "cents"),
    [
        ((run(Cost(charged_cents=1.5)), RunUsage(id="run-2")), None),
        ((run(Cost(charged_cents=1.5)),), None),
        ((run(Cost(charged_cents=1.5)), RunUsage(id="run-2", cost=Cost(charged_cents=2.0))), 3.5),
        ((run(), RunUsage(id="run-2")), 3.5),
        ((), 3.5),
    ],
)
@virtually
async def test_a_sum_that_lags_behind_the_run_is_no_answer(runs, cents):
    service = Service(AgentUsage(cost=Cost(charged_cents=3.5), runs=runs))
    answered = await ask_usage(replace(ORDER, run_id="run-2"), service=service)
    assert (answered.run_id, answered.cents) == ("run-2", cents)
