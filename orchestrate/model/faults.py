"""A fault: one thing that is wrong with what the user gave, and where."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """One thing that is wrong; ``path`` is like ``tasks[3].dependsOn[0]``, empty for the file as a whole."""

    path: str
    #: What is wrong and, where it is known, what to write instead.
    message: str
    #: Line in the file, from 1; None when the plan did not come from text.
    line: int | None = None
