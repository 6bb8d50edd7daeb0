"""How a server is to be run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from orchestrate.model.wire import LocalAgent
from orchestrate.ports import Clock
from orchestrate.server.fault_plan import FaultPlan
from orchestrate.server.watching import HEARTBEAT_SECONDS
from orchestrate.system import SystemClock

#: Without a living agent and without a request for so long, the server ends.
IDLE_SECONDS = 30 * 60


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """What a server is started with."""

    state_dir: Path
    #: 0 takes the port of the last server of this folder if it is free, else any.
    port: int = 0
    #: What agents and git may see is chosen from here.
    environment: Mapping[str, str] = field(default_factory=dict)
    idle_seconds: float = IDLE_SECONDS
    heartbeat_seconds: float = HEARTBEAT_SECONDS
    #: How long an agent that is to end may take before it is killed.
    grace_seconds: float = 5.0
    #: For requests without ``localAgent``; None refuses them.
    default_agent: LocalAgent | None = None
    #: The catalogue of models; empty takes any.
    models: tuple[str, ...] = ()
    #: What the server does wrong on purpose; None in earnest.
    faults: FaultPlan | None = None
    clock: Clock = field(default_factory=SystemClock)
