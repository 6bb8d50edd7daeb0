import pytest

from orchestrate.cli.delegation.calls import GatedCalls
from orchestrate.core.lineage import Sighting
from orchestrate.engine.killing import Fate, Killer, KillPace, Toll, expected_seconds, told_refusals
from orchestrate.errors import OutcomeUnknown, ProtocolBroken, RateLimited, Refused, Unavailable
from orchestrate.model.vocabulary import AgentStatus, RunStatus, RuntimeKind
from orchestrate.model.wire import Agent, Run
from tests.support.virtual_time import LoopClock, virtually

PACE = KillPace(quiet_seconds=10.0, patience_seconds=120.0)


class Service:
    """Agents with one run each; ``faults`` are raised in order, by call."""

    def __init__(self, **statuses):
        self.statuses = {f"bc-{name}": status for name, status in statuses.items()}
        self.faults = {"get_run": [], "cancel_run": [], "get_agent": []}
        self.calls = []
        self.obeys = True

    def _called(self, call, agent_id):
        self.calls.append((call, agent_id.removeprefix("bc-"), LoopClock().monotonic()))
        if self.faults[call]:
            fault = self.faults[call].pop(0)
            if fault is not None:
                raise fault
        if agent_id not in self.statuses:
            raise Refused("no such agent", status=404, code="not_found")

    async def get_agent(self, agent_id):
        self._called("get_agent", agent_id)
        latest = None if self.statuses[agent_id] is None else f"run-{agent_id}"
        return Agent(id=agent_id, status=AgentStatus.ACTIVE, latest_run_id=latest)

    async def get_run(self, agent_id, run_id):
        self._called("get_run", agent_id)
        return Run(id=run_id, agent_id=agent_id, status=self.statuses[agent_id], created_at="", updated_at="")

    async def cancel_run(self, agent_id, run_id):
        self._called("cancel_run", agent_id)
        if self.statuses[agent_id] is not RunStatus.RUNNING:
            raise Refused("it is over", status=409, code="run_not_cancellable")
        if self.obeys:
            self.statuses[agent_id] = RunStatus.CANCELLED

    def asked(self, call):
        return [name for each, name, _ in self.calls if each == call]


def seen(name, *, depth=1, run=True, **fields):
    return Sighting(f"bc-{name}", run_id=f"run-bc-{name}" if run else None, depth=depth, **fields)


async def killed(service, *sightings, pace=PACE, **options):
    async def census():
        return sightings

    return await Killer(service, census, clock=LoopClock(), pace=pace, **options).run()


@virtually
async def test_parents_end_before_their_children_and_a_second_look_proves_it():
    service, told = Service(p=RunStatus.RUNNING, c=RunStatus.RUNNING, done=RunStatus.FINISHED), []
    toll = await killed(
        service, seen("p"), seen("c", depth=2), seen("done", depth=2), tell=lambda each: told.append(each)
    )
    assert service.asked("cancel_run")[0] == "p"
    assert toll.fates == {"bc-p": Fate.CANCELLED, "bc-c": Fate.CANCELLED, "bc-done": Fate.OVER}
    assert (toll.is_certain, toll.alive, toll.looks, toll.refusals) == (True, [], 3, {})
    assert told


@virtually
async def test_two_quiet_looks_are_a_pause_apart():
    toll = await killed(Service())
    assert (toll.looks, toll.seconds, toll.is_certain) == (2, 10.0, True)


@virtually
async def test_what_is_said_not_to_run_is_looked_at_and_not_cancelled():
    service = Service(idle=RunStatus.FINISHED)
    toll = await killed(service, seen("idle", may_run=False))
    assert service.asked("cancel_run") == []
    assert service.asked("get_run") == ["idle"]
    assert toll.fates == {"bc-idle": Fate.OVER}


@virtually
async def test_an_intent_is_looked_up_by_its_id_in_every_look():
    service = Service(empty=None)
    toll = await killed(service, seen("new", run=False), seen("empty", run=False))
    assert toll.fates == {"bc-new": Fate.ABSENT, "bc-empty": Fate.ABSENT}
    assert service.asked("get_agent").count("new") == 2
    assert toll.is_certain
    service = Service(new=RunStatus.RUNNING)
    assert (await killed(service, seen("new", run=False))).fates == {"bc-new": Fate.CANCELLED}


@virtually
@pytest.mark.parametrize(
    "fault",
    [OutcomeUnknown("silence"), Unavailable("503"), RateLimited("slow", retry_after_seconds=30.0), RateLimited("slow")],
)
async def test_a_cancel_is_asked_for_until_the_run_is_over(fault):
    service = Service(a=RunStatus.RUNNING)
    service.faults["cancel_run"] = [fault, fault]
    toll = await killed(service, seen("a"))
    assert toll.fates == {"bc-a": Fate.CANCELLED}
    assert toll.is_certain


@virtually
async def test_cancels_wait_at_the_gate_for_what_the_service_takes_and_looks_at_runs_do_not():
    service = Service(done=RunStatus.FINISHED, **{f"a{number}": RunStatus.RUNNING for number in range(12)})
    service.faults["cancel_run"] = [RateLimited("slow", retry_after_seconds=30.0)]
    gated = GatedCalls(service, clock=LoopClock(), kind=RuntimeKind.CLOUD, longest_wait_seconds=600.0)
    began_at = LoopClock().monotonic()
    toll = await killed(gated, seen("done", may_run=False), *(seen(f"a{number}") for number in range(12)))
    assert toll.is_certain
    at = {call: [moment - began_at for each, _, moment in service.calls if each == call] for call in service.faults}
    assert len([moment for moment in at["cancel_run"] if moment < 30]) <= 8  # what was in flight already
    assert len(at["cancel_run"]) == 13
    assert min(at["get_run"]) < 1


def test_the_estimate_keeps_to_the_habit_of_the_service():
    assert expected_seconds(10, KillPace(quiet_seconds=10.0, cancel_seconds=3.0)) == 40.0


@virtually
async def test_a_refusal_that_lasts_is_listed_and_nothing_is_certain():
    service = Service(a=RunStatus.RUNNING)
    service.obeys = False
    toll = await killed(service, seen("a"))
    assert (toll.is_certain, toll.alive) == (False, ["bc-a"])
    assert told_refusals(toll) == {"bc-a": "it did not end"}
    service.faults["cancel_run"] = [Refused("not yours", status=403)] * 999
    toll = await killed(service, seen("a"))
    assert told_refusals(toll) == {"bc-a": "not yours"}
    assert len(service.asked("cancel_run")) > 4


@virtually
async def test_an_agent_that_nobody_answers_for_is_alive_until_somebody_does():
    service = Service(a=RunStatus.RUNNING)
    service.faults["get_run"] = [ProtocolBroken("nonsense")] * 7
    toll = await killed(service, seen("a"))
    assert toll.is_certain
    assert toll.fates == {"bc-a": Fate.OVER}


@virtually
async def test_a_service_that_wants_fewer_calls_for_ever_ends_the_kill_and_not_the_agents():
    service = Service(a=RunStatus.RUNNING)
    service.faults["cancel_run"] = [RateLimited("slow")] * 999
    toll = await killed(service, seen("a"))
    assert (toll.is_certain, toll.alive) == (False, ["bc-a"])


@virtually
async def test_what_a_living_engine_cancels_is_only_seen_to_end_unless_that_comes_to_nothing():
    service = Service(a=RunStatus.CANCELLED)
    toll = await killed(service, seen("a"), left_to_engines=["bc-a"])
    assert service.asked("cancel_run") == []
    assert toll.count(Fate.CANCELLED) == 1
    service = Service(a=RunStatus.RUNNING)
    toll = await killed(service, seen("a"), left_to_engines=["bc-a"])
    assert service.asked("cancel_run") == ["a"]
    assert toll.is_certain


def test_an_end_by_cancel_is_not_forgotten_in_a_later_look():
    toll = Toll(fates={"bc-a": Fate.CANCELLED})
    killer = Killer(None, None, clock=LoopClockless(), pace=PACE)
    killer._toll = toll
    killer._settled(seen("a"), Fate.ABSENT)
    assert toll.fates == {"bc-a": Fate.CANCELLED}


class LoopClockless:
    def monotonic(self):
        return 0.0
