"""How a whole run stands, in the exit codes of ``run``, told from its files alone."""

from orchestrate.cli.picture import Picture
from orchestrate.model.vocabulary import TaskStatus

#: The same numbers as ``run`` has; the machine itself is not loaded for them.
EXIT_DONE, EXIT_PLANNERS_TURN, EXIT_CHECKPOINT = 0, 1, 100

_BAD = (TaskStatus.ERROR, TaskStatus.CANCELLED)


def exit_code_of(picture: Picture) -> int:
    """0 if every task handed off, 1 if somebody must act first, 100 if ``run`` would go on."""
    rows = picture.rows
    if any(row.status in _BAD for row in rows):
        return EXIT_PLANNERS_TURN
    if rows and all(row.status == TaskStatus.HANDED_OFF for row in rows):
        return EXIT_DONE
    may_start = any(not waits for waits in picture.waits_for.values())
    goes_on = may_start or any(row.status == TaskStatus.RUNNING for row in rows)
    return EXIT_CHECKPOINT if goes_on else EXIT_PLANNERS_TURN
