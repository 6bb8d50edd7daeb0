"""Random plans and random bad luck, all drawn from one generator."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from orchestrate.core.changes import Settings
from orchestrate.model.names import placeholder_branch
from orchestrate.model.plan import Plan
from orchestrate.model.vocabulary import FailureMode, OnUnstructured, TaskType
from tests.support.builders import SLUG, a_plan, a_task

#: Most tasks of a plan.
MOST_TASKS = 12
#: The most that an agent costs; no more than what a plan with a budget sets aside.
MOST_CENTS = 300
_MODES = [mode.value for mode in FailureMode]


@dataclass(frozen=True, slots=True)
class Luck:
    """How likely each misfortune is, from 0 to 1."""

    request_lost: float
    answer_lost: float
    #: An answer that was given up comes after all.
    answer_late: float
    doubled: float
    refused: float
    delayed: float
    other_id: float
    unreachable: float
    stream_cut: float
    run_fails: float
    run_vanishes: float
    program_fault: float


def luck_of(random: Random) -> Luck:
    """The luck of a whole seed: many are calm, some are terrible."""
    scale = random.choice([0.0, 0.3, 1.0, 1.0, 2.0])
    rare = random.choice([0.0, 0.0, 0.0, 1.0])
    return Luck(
        request_lost=0.06 * scale,
        answer_lost=0.10 * scale,
        answer_late=0.5,
        doubled=0.2 * scale,
        refused=0.02 * scale * random.choice([0.0, 1.0]),
        delayed=0.12 * scale,
        other_id=0.03 * scale * rare,
        unreachable=0.08 * scale,
        stream_cut=0.2 * scale,
        run_fails=0.35 * min(scale, 1.0) * random.random(),
        run_vanishes=0.05 * rare,
        program_fault=0.02 * rare,
    )


def random_settings(random: Random) -> Settings:
    """How the engine is called."""
    return Settings(
        max_concurrent=random.randint(1, 5),
        drain=random.random() < 0.6,
        max_runtime_seconds=random.uniform(120, 900) if random.random() < 0.2 else None,
    )


def random_plan(random: Random) -> Plan:
    """A plan of at most twelve tasks without a cycle."""
    names: list[str] = []
    tasks = []
    for place in range(random.choice([random.randint(1, MOST_TASKS), MOST_TASKS])):
        task = random_task(random, f"t{place}", earlier=names)
        tasks.append(task)
        names.append(str(task["name"]))
    order = random.sample(tasks, len(tasks))
    limits = {"maxConcurrentPerRepo": random.randint(1, 4)} if random.random() < 0.2 else {}
    rule = Random(f"unstructured {[task['name'] for task in order]}").choice([None, None, None, None, *OnUnstructured])
    return a_plan(*order, limits=limits, onUnstructured=rule)


def bounded(random: Random, plan: Plan) -> Plan:
    """The plan, in some seeds with a bound on money or agents."""
    if random.random() < 0.6:
        return plan
    limits: dict[str, object] = {}
    if random.random() < 0.8:
        limits |= {"budgetCents": random.randint(0, 4000), "reserveCents": random.choice([MOST_CENTS, 500])}
    if random.random() < 0.4:
        limits["maxAgents"] = random.randint(1, MOST_TASKS)
    return plan.model_copy(update={"limits": plan.limits.model_copy(update=_fields_of(limits))})


def raised(random: Random, plan: Plan) -> Plan:
    """The plan after its planner gave it more room, if it has bounds."""
    limits = plan.limits
    more = {
        name: value + random.randint(1, 3) * step
        for name, step in (("budget_cents", 500), ("max_agents", 1))
        if (value := getattr(limits, name)) is not None
    }
    return plan.model_copy(update={"limits": limits.model_copy(update=more)})


def _fields_of(limits: Mapping[str, object]) -> dict[str, object]:
    names = {"budgetCents": "budget_cents", "reserveCents": "reserve_cents", "maxAgents": "max_agents"}
    return {names[name]: value for name, value in limits.items()}


def random_task(random: Random, name: str, *, earlier: Sequence[str]) -> dict[str, object]:
    """A task that depends on some of the earlier ones."""
    depends_on = random.sample(earlier, min(len(earlier), random.choice([0, 0, 1, 1, 2, 3])))
    fields: dict[str, object] = {"priority": random.choice([0, 0, 0, 1, -1, 5])}
    if random.random() < 0.7:
        modes = random.sample(_MODES, random.randint(1, len(_MODES)))
        fields["retry"] = {"attempts": random.randint(1, 4), "on": modes, "backoffSec": random.choice([0, 0, 0, 5, 60])}
    if random.random() < 0.1:
        fields["maxAttempts"] = random.randint(1, 3)
    if random.random() < 0.15:
        fields["timeoutSec"] = random.uniform(30, 500)
    if random.random() < 0.2:
        fields["onBlocked"] = "release"
    if Random(f"measured {name}").random() < 0.2:  # a stream of its own, so that seeds stay what they are
        fields["measurements"] = [{"name": "size", "command": "count"}]
    if earlier and random.random() < 0.25:
        return a_task(name, depends_on=tuple(depends_on), type="verifier", verifies=random.choice(earlier), **fields)
    if earlier and random.random() < 0.2:
        source = random.choice(depends_on or list(earlier))
        fields["startingRef"] = placeholder_branch(SLUG, source, task_type=TaskType.WORKER)
    elif random.random() < 0.05:
        fields["startingRef"] = "release/2.0"
    return a_task(name, depends_on=tuple(depends_on), **fields)


def edited(random: Random, plan: Plan) -> Plan:
    """The plan after its planner changed it: a task more, or one less that nobody needs."""
    document = plan.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    tasks = document["tasks"]
    needed = {name for task in tasks for name in [*task.get("dependsOn", []), task.get("verifies")]}
    unneeded = [task for task in tasks if task["name"] not in needed]
    if len(tasks) > 1 and random.random() < 0.5:
        tasks.remove(random.choice(unneeded))
    elif len(tasks) < MOST_TASKS:
        added = random_task(random, f"n{random.randrange(10**6)}", earlier=[task["name"] for task in tasks])
        tasks.insert(random.randint(0, len(tasks)), added)
    return Plan.model_validate(document)
