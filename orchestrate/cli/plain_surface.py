"""Plain lines for whoever is no terminal: one a change, one a minute of silence, and the summary at the end."""

from collections import deque
from contextlib import suppress
from typing import TextIO

from orchestrate.cli.following import Follower, News
from orchestrate.cli.screens import plain
from orchestrate.cli.screens.advice import command_for, needs_somebody
from orchestrate.cli.screens.finished import end_screen
from orchestrate.cli.screens.layout import Look, rendered
from orchestrate.cli.screens.tally import tally_of
from orchestrate.cli.writing import Writer
from orchestrate.core.state import State
from orchestrate.model.names import TaskName
from orchestrate.model.plan import Plan
from orchestrate.model.vocabulary import TaskStatus
from orchestrate.ports import Clock, Publication

#: How often waiting lines are written, and how long silence lasts before it is broken.
_TICK_SECONDS = 0.25
SILENCE_SECONDS = 60.0
#: What a quiet reader wants to know still.
_LOUD = (TaskStatus.ERROR, TaskStatus.CANCELLED)


class PlainSurface:
    """Lines that are only ever added; give it to the engine, run ``keep_drawing`` beside, call ``finish`` at the end."""

    def __init__(self, stream: TextIO, *, plan: Plan, clock: Clock, look: Look, is_quiet: bool = False) -> None:
        self._follower = Follower(plan=plan, clock=clock)
        self._writer = Writer(stream)
        self._clock = clock
        self._look = look
        self._is_quiet = is_quiet
        self._queue: deque[str] = deque()
        self._last_line = clock.monotonic()

    def publish(self, publication: Publication) -> None:
        """Queue a line for each change."""
        with suppress(Exception):  # showing a run must never end it
            self._tell(self._follower.take(publication))

    def saw_activity(self, task: TaskName, doing: str | None) -> None:
        """Activity alone is no change: it is not told here."""

    def say(self, message: str) -> None:
        """A note that stays."""
        if not self._is_quiet:
            self._add(plain.plain_line(self._clock.now(), "note", values={"message": message}))

    async def keep_drawing(self) -> None:
        """Write what is queued, and break the silence once a minute, until cancelled."""
        while True:
            self._break_silence()
            text = self._taken()
            if text:
                await self._writer.write_beside(text)
            await self._clock.sleep(_TICK_SECONDS)

    def finish(self, state: State, exit_code: int) -> None:
        """Write what is left, then the summary."""
        with suppress(Exception):  # the exit code of the run stands, whatever becomes of its summary
            tally, view = tally_of(state.counts), self._follower.end(state, exit_code)
            self._add(plain.end_line(self._clock.now(), tally, exit_code=exit_code))
            self._writer.write(
                self._taken() + "".join(f"{line}\n" for line in rendered(end_screen(view, self._look), self._look))
            )

    def close(self) -> None:
        """Write what is left."""
        self._writer.write(self._taken())

    def _tell(self, news: News) -> None:
        for move in news.moves:
            if self._is_quiet and move.row.status not in _LOUD:
                continue
            do = command_for(move.row, self._look) if needs_somebody(move.row) else None
            text = plain.row_line(move.row, move.before, do=do)
            if text is not None:
                self._add(text)
        for item in news.attention:
            self._add(plain.attention_line(item))
        if news.is_first and not self._is_quiet:
            self._add(plain.progress_line(self._clock.now(), self._follower.tally))

    def _break_silence(self) -> None:
        is_silent = self._clock.monotonic() - self._last_line >= SILENCE_SECONDS
        if is_silent and not self._is_quiet and self._follower.state is not None:
            self._add(plain.progress_line(self._clock.now(), self._follower.tally))

    def _add(self, text: str) -> None:
        self._queue.append(text)
        self._last_line = self._clock.monotonic()

    def _taken(self) -> str:
        text = "".join(f"{line}\n" for line in self._queue)
        self._queue.clear()
        return text
