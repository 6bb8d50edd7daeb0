"""Attempt files written at once, for tests that have no event loop."""

from orchestrate.store.attempts import AttemptFiles, handoff_path
from orchestrate.store.batches import BatchWriter


class WrittenAttempts(AttemptFiles):
    """The attempt files of a workspace that nobody else writes."""

    def write_request(self, task, attempt, body):
        put(self.request(task, attempt, body))

    def save_reply(self, task, attempt, *, raw, handoff, postmortem=None):
        put(self.reply(task, attempt, raw=raw, handoff=handoff, postmortem=postmortem))
        return handoff_path(task)


def put(save):
    """Put one save on the disk, or raise what is wrong with it."""
    (error,) = BatchWriter().write([save])
    if error is not None:
        raise error
