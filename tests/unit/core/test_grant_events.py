from orchestrate.core.grant_events import GrantRead, GrantUnread, SubtreeCounted
from orchestrate.model.grants import Grant
from tests.support.builders import agent_of


def test_what_is_not_said_is_not_certain():
    assert not GrantUnread(message="no answer").is_final
    assert GrantRead(agent_id=agent_of("p"), grant=Grant()).grant.is_free
    counted = SubtreeCounted(task="p", attempt=1)
    assert (counted.agents, counted.cents) == (None, None)
