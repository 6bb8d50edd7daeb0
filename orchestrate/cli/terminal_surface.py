"""A run at a terminal: what is over is printed once and stays, what goes on stands in a block that is redrawn."""

import signal
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TextIO

from orchestrate.cli.drawing import Block
from orchestrate.cli.following import Follower, Move, News
from orchestrate.cli.screens import permanent
from orchestrate.cli.screens.finished import end_screen
from orchestrate.cli.screens.layout import Line, Look, drawn_width, rendered
from orchestrate.cli.screens.live import live_block
from orchestrate.cli.screens.tally import Tally, tally_of
from orchestrate.cli.screens.vocabulary import evidence
from orchestrate.cli.terminal import Capabilities
from orchestrate.cli.writing import Writer
from orchestrate.core.state import State
from orchestrate.model.names import TaskName
from orchestrate.model.plan import Plan
from orchestrate.model.vocabulary import TaskStatus
from orchestrate.ports import Clock, Publication

#: Four frames a second at most; without news one, so that times go on.
_TICK_SECONDS = 0.25
_TICKS_WITHOUT_NEWS = 4
#: More lines than this that a stopped terminal did not take are dropped, oldest first.
_QUEUED = 20_000
_BELL = "\a"
_KEEP_TITLE, _RESTORE_TITLE = "\x1b[22;0t", "\x1b[23;0t"


class TerminalSurface:
    """Give it to the engine, run ``keep_drawing`` beside, call ``finish`` at the end."""

    def __init__(  # noqa: PLR0913  each is a thing that readers differ in
        self,
        stream: TextIO,
        *,
        plan: Plan,
        clock: Clock,
        look: Look,
        capabilities: Capabilities,
        size: Callable[[], tuple[int, int]],
        is_quiet: bool = False,
        has_bell: bool = True,
        is_onlooker: bool = False,
    ) -> None:
        self._follower = Follower(plan=plan, clock=clock, is_onlooker=is_onlooker)
        self._slug = plan.root_slug
        self._writer = Writer(stream)
        self._clock = clock
        self._look = look
        self._capabilities = capabilities
        self._size = size
        self._is_quiet = is_quiet
        self._has_bell = has_bell
        self._block = Block()
        self._queue: deque[Line] = deque(maxlen=_QUEUED)
        self._is_dirty = True
        self._has_title = False
        #: What the title says.
        self._titled: Tally | None = None

    def publish(self, publication: Publication) -> None:
        """Queue what stays, and let the block be drawn anew."""
        with suppress(Exception):  # showing a run must never end it
            self._tell(self._follower.take(publication))
            self._is_dirty = True

    def saw_activity(self, task: TaskName, doing: str | None) -> None:
        """The row of this task is drawn anew."""
        self._follower.saw(task, doing)
        self._is_dirty = True

    def say(self, message: str) -> None:
        """A note that stays."""
        if not self._is_quiet:
            self._queue.extend(permanent.note_lines(message, self._look, at=self._clock.now()))
            self._is_dirty = True

    async def keep_drawing(self) -> None:
        """Draw what is new, four times a second at most, until cancelled."""
        ticks = 0
        with self._told_of_returns():
            while True:
                ticks += 1
                if self._is_dirty or self._queue or ticks >= _TICKS_WITHOUT_NEWS:
                    ticks, self._is_dirty = 0, False
                    await self._writer.write_beside(self._frame())
                await self._clock.sleep(_TICK_SECONDS)

    @contextmanager
    def _told_of_returns(self) -> Iterator[None]:
        """After Ctrl-Z and ``fg`` lines of the shell stand below the block: the next one begins below them."""
        former = signal.signal(signal.SIGCONT, lambda *_: self._begin_below())
        try:
            yield
        finally:
            signal.signal(signal.SIGCONT, former)

    def _begin_below(self) -> None:
        self._block, self._is_dirty = Block(), True

    def finish(self, state: State, exit_code: int) -> None:
        """Put the summary in the place of the block."""
        with suppress(Exception):  # the exit code of the run stands, whatever becomes of its summary
            self._measure()
            self._queue.append(())
            self._queue.extend(end_screen(self._follower.end(state, exit_code), self._look))
            self._writer.write(self._last_frame() + self._left_terminal(tally_of(state.counts)))

    def close(self) -> None:
        """Take the block away and give the title back."""
        with suppress(Exception):  # clean-up of a screen has nobody to complain to
            self._writer.write(self._last_frame() + self._left_terminal(None))

    def _frame(self) -> str:
        with suppress(Exception):  # showing a run must never end it
            return self._drawn()
        return ""

    def _drawn(self) -> str:
        self._measure()
        view = None if self._is_quiet else self._follower.view()
        lines = [] if view is None else [(), *live_block(view, self._look)]
        widths = [drawn_width(line, self._look) for line in lines]
        text = self._block.frame(
            self._permanent(), rendered(lines, self._look), widths=widths, columns=self._look.columns
        )
        return text + self._title(self._follower.tally)

    def _last_frame(self) -> str:
        return self._block.frame(self._permanent(), [], widths=[], columns=self._look.columns)

    def _permanent(self) -> list[str]:
        lines = rendered(self._queue, self._look)
        self._queue.clear()
        return lines

    def _measure(self) -> None:
        columns, rows = self._size()
        self._look = replace(self._look, columns=columns, rows=rows)

    def _tell(self, news: News) -> None:
        for move in news.moves:
            self._queue.extend(self._lines_of(move))
        for item in news.attention:
            self._queue.extend(permanent.attention_lines(item, self._look))

    def _lines_of(self, move: Move) -> list[Line]:
        row, before = move.row, move.before
        was = None if before is None else before.status
        if row.status in (TaskStatus.ERROR, TaskStatus.CANCELLED) and was != row.status:
            return permanent.ended_badly_lines(row, self._look, held=self._follower.held_by(row.name))
        if row.status == TaskStatus.RUNNING:
            is_new = row.stalled_since is not None and (before is None or before.stalled_since is None)
            doing, now = self._follower.doing(row.name), self._clock.now()
            return permanent.stalled_lines(row, self._look, now=now, doing=doing) if is_new else []
        if row.status != TaskStatus.HANDED_OFF or self._is_quiet:
            return []
        if was != row.status:
            return permanent.handed_off_lines(row, self._look, held=self._follower.held_by(row.name))
        is_news = before is not None and evidence(row) != evidence(before)
        return permanent.verified_lines(row, self._look) if is_news else []

    def _title(self, tally: Tally) -> str:
        """The window's title and the progress on its icon, where they are not what they were."""
        if tally == self._titled:
            return ""
        self._titled, parts = tally, []
        if self._capabilities.has_title:
            keep = "" if self._has_title else _KEEP_TITLE
            self._has_title = True
            parts.append(f"{keep}\x1b]0;{tally.handed_off}/{tally.total} {self._slug}\a")
        if self._capabilities.has_progress:
            state = 2 if tally.error else 1
            parts.append(f"\x1b]9;4;{state};{tally.percent}\x1b\\")
        return "".join(parts)

    def _left_terminal(self, tally: Tally | None) -> str:
        """Everything given back; the bell rings at the end of a run only."""
        parts = [_RESTORE_TITLE] if self._has_title else []
        if self._titled is not None and self._capabilities.has_progress:
            parts.append("\x1b]9;4;0;0\x1b\\")
        self._has_title, self._titled = False, None
        if tally is not None and self._has_bell:
            parts.append(_BELL)
        return "".join(parts)
