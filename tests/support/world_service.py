"""The simulated service: agents that end some day, one for each key and id, and not seen everywhere at once."""

from dataclasses import dataclass, field, replace
from random import Random

from orchestrate.model.handoff import Handoff
from orchestrate.model.names import AgentId, IdempotencyKey, RequestId, RunId, TaskName
from orchestrate.model.vocabulary import FailureMode, HandoffStatus, OnUnstructured, RunStatus, Verification
from tests.support.world_disk import Request
from tests.support.world_plans import Luck

#: Longest time that a new agent is missing where it is asked for by id.
LONGEST_UNSEEN = 8.0


class IdTaken(Exception):
    """409 agent_id_conflict."""


@dataclass
class SimulatedAgent:
    """An agent with its latest run, whose end is settled when it is made."""

    id: AgentId
    run_id: RunId
    request: Request
    visible_at: float
    ends_at: float
    status: RunStatus
    is_empty: bool
    handoff: Handoff
    failure_mode: FailureMode | None
    #: What the plan makes of a message that is no handoff.
    rule: OnUnstructured | None = None
    #: True once the service has forgotten its run.
    is_gone: bool = False
    #: The message that began its run; None for the first one.
    message: RequestId | None = None
    #: The agent as its former runs have left it, the first one first.
    past: list["SimulatedAgent"] = field(default_factory=list)

    @property
    def runs(self) -> list["SimulatedAgent"]:
        """The agent at each of its runs, the first one first."""
        return [*self.past, self]

    def run(self, run_id: RunId | None) -> "SimulatedAgent":
        """The agent at this run."""
        return next(run for run in self.runs if run.run_id == run_id)

    def runs_seen(self, now: float) -> list["SimulatedAgent"]:
        """Those of them that are in the list by now; the first one always is."""
        return [run for run in self.runs if run.message is None or now >= run.visible_at]

    def is_over(self, now: float) -> bool:
        """True once the run will not change any more."""
        return self.is_gone or now >= self.ends_at

    @property
    def hands_off(self) -> bool:
        """True when the run ends with a message that counts."""
        if self.status != RunStatus.FINISHED or self.is_gone:
            return False
        if self.rule is None or self.handoff.structured:
            return not self.is_empty
        return self.rule == OnUnstructured.HANDED_OFF


@dataclass
class SimulatedService:
    """All agents that were ever made."""

    random: Random
    luck: Luck
    #: What the plan makes of a message that is no handoff.
    rule: OnUnstructured | None = None
    agents: dict[AgentId, SimulatedAgent] = field(default_factory=dict)
    _by_key: dict[IdempotencyKey, SimulatedAgent] = field(default_factory=dict)
    _is_wrong: dict[IdempotencyKey, bool] = field(default_factory=dict)
    #: The key is not taken from this moment to that one.
    locked_from: float = float("inf")
    locked_until: float = float("inf")

    def is_locked(self, now: float) -> bool:
        """True while every call is answered by 401."""
        return self.locked_from <= now < self.locked_until

    def known(self, request: Request) -> SimulatedAgent | None:
        """The agent that this very request made before; IdTaken where the service says no more than that."""
        agent = self._by_key.get(request.key)
        if agent is not None and agent.id == request.agent_id and self.random.random() < 0.4:
            raise IdTaken
        return agent

    def has_served(self, request: Request) -> bool:
        """True once this request made an agent."""
        return request.key in self._by_key

    def refuses(self, request: Request) -> bool:
        """True for a request that is wrong; it is as wrong when it comes again."""
        if request.key not in self._is_wrong:
            self._is_wrong[request.key] = self.random.random() < self.luck.refused
        return self._is_wrong[request.key]

    def make(self, request: Request, *, now: float) -> SimulatedAgent:
        """A new agent whose run has begun."""
        has_other_id = self.random.random() < self.luck.other_id
        agent_id = AgentId(str(request.agent_id)[:-4] + "ffff") if has_other_id else request.agent_id
        agent = _drawn(self.random, self.luck, request, agent_id=agent_id, now=now)
        agent.rule = self.rule
        self.agents[agent_id] = self._by_key[request.key] = agent
        return agent

    def go_on(self, agent: SimulatedAgent, message: RequestId, *, random: Random, now: float) -> SimulatedAgent:
        """The agent with another run, which this message has begun."""
        drawn = _drawn(random, self.luck, agent.request, agent_id=agent.id, now=now)
        agent.past.append(replace(agent, past=[]))
        agent.run_id, agent.message = RunId(f"{agent.past[0].run_id}-{len(agent.past)}"), message
        agent.visible_at, agent.ends_at, agent.status = drawn.visible_at, drawn.ends_at, drawn.status
        agent.is_empty, agent.handoff, agent.failure_mode = drawn.is_empty, drawn.handoff, drawn.failure_mode
        agent.is_gone = False
        return agent

    def find(self, agent_id: AgentId, *, now: float) -> SimulatedAgent | None:
        """The agent, if this part of the service has heard of it."""
        agent = self.agents.get(agent_id)
        return agent if agent is not None and now >= agent.visible_at else None

    def tagged(self, request: Request, *, now: float) -> SimulatedAgent | None:
        """The agent of this request whatever its id, as its tags in the list tell."""
        agent = self._by_key.get(request.key)
        return agent if agent is not None and now >= agent.visible_at else None

    def cancel(self, agent_id: AgentId, run_id: RunId, *, now: float, fails: bool = False) -> bool:
        """End the run now, by an error of its own if it ``fails`` in that moment; False when it was over before."""
        agent = self.agents[agent_id]
        if agent.run_id != run_id or agent.is_over(now):
            return False
        agent.ends_at, agent.status = now, RunStatus.ERROR if fails else RunStatus.CANCELLED
        return True

    def of_task(self, task: TaskName) -> dict[int, SimulatedAgent]:
        """The task's agents by attempt."""
        mine = [agent for agent in self.agents.values() if agent.request.task == task]
        return {agent.request.attempt: agent for agent in mine}

    def active(self, now: float) -> int:
        """How many runs go on."""
        return sum(not agent.is_over(now) for agent in self.agents.values())


def _drawn(random: Random, luck: Luck, request: Request, *, agent_id: AgentId, now: float) -> SimulatedAgent:
    status = RunStatus.FINISHED
    if random.random() < luck.run_fails:
        status = random.choice([RunStatus.ERROR, RunStatus.ERROR, RunStatus.EXPIRED, RunStatus.CANCELLED])
    lengths = [random.uniform(0.1, 3), random.uniform(5, 300), random.uniform(60, 600)]
    agent = SimulatedAgent(
        id=agent_id,
        run_id=RunId(str(agent_id).replace("bc-", "run-", 1)),
        request=request,
        visible_at=now + random.choice([0.0, random.uniform(0, LONGEST_UNSEEN)]),
        ends_at=now + random.choice(lengths if status == RunStatus.FINISHED else [lengths[0], *lengths]),
        status=status,
        is_empty=status != RunStatus.FINISHED or random.random() < luck.run_fails / 4,
        handoff=_handoff(random, request.task),
        failure_mode=random.choice([None, *FailureMode]),
    )
    agent.handoff = Handoff() if agent.is_empty else agent.handoff
    return agent


def _handoff(random: Random, task: TaskName) -> Handoff:
    branch = random.choice([f"cursor/{task}-1f2a"] * 6 + [None, "main", f"orch/shop/{task}", "two words"])
    return Handoff(
        status=random.choice([HandoffStatus.SUCCESS] * 20 + [HandoffStatus.PARTIAL, HandoffStatus.BLOCKED, None]),
        branch=branch,
        says_no_branch=random.random() < 0.05,
        verification=random.choice([None, *Verification]),
        structured=random.random() < 0.9,
    )
