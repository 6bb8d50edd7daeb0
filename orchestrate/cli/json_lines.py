"""A run as one JSON object a line: first where everything stands, then each change, then the end."""

import sys
from collections.abc import Sequence

from orchestrate.cli import output
from orchestrate.cli.picture import Picture, counts_object, row_object
from orchestrate.cli.screens.tally import tally_of
from orchestrate.cli.screens.vocabulary import Circumstances
from orchestrate.core.state import State
from orchestrate.model.records import Record
from orchestrate.model.rows import TaskRow
from orchestrate.model.timestamps import to_timestamp
from orchestrate.ports import Clock, Publication
from orchestrate.store.lock import Holder


class JsonLines:
    """Writes lines to stdout, each at once: programs wait for them."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def publish(self, publication: Publication, records: Sequence[Record]) -> None:
        """A line for each row and each line for the operator; all rows where the files were read anew."""
        if not records:
            rows = [_task(row, now=self._clock.now()) for row in publication.rows]
            self._put(
                "snapshot", rootSlug=publication.state.plan.root_slug, counts=_counts(publication.state), tasks=rows
            )
        for record in records:
            for row in record.rows:
                self._put("task", at=record.at, seq=record.seq, task=_task(row, now=self._clock.now()))
            for item in record.attention:
                self._put("attention", at=item.at, seq=record.seq, message=item.message)

    def engine(self, holder: Holder | None) -> None:
        """Whether an engine runs the workspace, where that has changed."""
        if holder is None:
            self._put("engine", running=False)
        else:
            self._put("engine", running=True, pid=holder.pid, host=holder.host, since=holder.since)

    async def keep_drawing(self) -> None:
        """Nothing is drawn."""

    def finish(self, picture: Picture, exit_code: int) -> None:
        """How the run stands in the end."""
        self._put("end", exitCode=exit_code, counts=counts_object(picture.tally))

    def close(self) -> None:
        """Nothing is left on the screen."""

    def _put(self, event: str, *, at: str | None = None, **fields: object) -> None:
        output.put_json({"event": event, "at": at or to_timestamp(self._clock.now()), **fields})
        sys.stdout.flush()


def _task(row: TaskRow, *, now: float) -> dict[str, object]:
    return row_object(row, Circumstances(now=now))


def _counts(state: State) -> dict[str, int]:
    return counts_object(tally_of(state.counts))
