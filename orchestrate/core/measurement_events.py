"""Events about measurements."""

from dataclasses import dataclass

from orchestrate.core.events import Event
from orchestrate.model.names import TaskName
from orchestrate.model.rows import Measured


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasurementsTaken(Event):
    """The plan's commands were run on this commit of the task's branch, or it is said why not."""

    task: TaskName
    sha: str
    measured: tuple[Measured, ...]
