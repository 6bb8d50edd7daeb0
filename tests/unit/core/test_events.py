"""Events are facts: whoever reports one leaves its moment and id to the loop."""

from dataclasses import FrozenInstanceError

import pytest

from orchestrate.core.events import AgentNotFound, Event
from tests.support.builders import agent_of


def test_a_fact_does_not_change():
    event = AgentNotFound(task="a", agent_id=agent_of("a"))
    with pytest.raises(FrozenInstanceError):
        event.task = "b"


def test_an_unstamped_event_has_neither_moment_nor_id():
    assert (Event().at, Event().id) == ("", "")
