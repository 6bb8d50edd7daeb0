import io
import os
import signal
from dataclasses import replace
from datetime import UTC

import anyio

from orchestrate.cli.screens.layout import Look
from orchestrate.cli.terminal import Capabilities
from orchestrate.cli.terminal_surface import TerminalSurface
from orchestrate.core.changes import RowChanged, Settings
from orchestrate.core.state import State, apply
from orchestrate.model.names import TaskName
from orchestrate.model.rows import Attention, TaskRow, Verdict
from orchestrate.model.vocabulary import FailureMode, TaskStatus, Verification
from orchestrate.ports import Publication
from tests.support.builders import a_handed_off_row, a_plan, a_running_row, a_state, moment
from tests.support.clocks import TickingClock

PLAN = a_plan("a", "b", rootSlug="shop")


class Shown:
    """A surface on a terminal that keeps every character."""

    def __init__(self, *, is_quiet: bool = False, **abilities: bool) -> None:
        self.clock = TickingClock()
        self.stream = io.StringIO()
        self.size = (80, 24)
        self.surface = TerminalSurface(
            self.stream,
            plan=PLAN,
            clock=self.clock,
            look=Look(tz=UTC),
            capabilities=Capabilities(is_live=True, **abilities),
            size=lambda: self.size,
            is_quiet=is_quiet,
        )
        self.state: State = a_state(PLAN, settings=Settings(max_concurrent=2))
        self.surface.publish(Publication(self.state, tuple(self.state.rows.values()), ()))

    def tell(self, *rows: TaskRow, attention: tuple[str, ...] = ()) -> None:
        self.state = apply(self.state, [RowChanged(row) for row in rows])
        lines = tuple(Attention(moment(), message) for message in attention)
        self.surface.publish(Publication(self.state, rows, lines))

    async def draw(self, *, until_sleeps: int = 1) -> str:
        """What is written in the next ticks."""
        before, goal = self.stream.tell(), self.clock.sleeps + until_sleeps
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.surface.keep_drawing)
            while self.clock.sleeps < goal:
                await anyio.lowlevel.checkpoint()
            tasks.cancel_scope.cancel()
        return self.stream.getvalue()[before:]


def failed(name: str) -> TaskRow:
    return a_running_row(
        name, status=TaskStatus.ERROR, failure_mode=FailureMode.OOM, note="killed", finished_at=moment()
    )


async def test_what_is_over_stays_above_and_what_goes_on_is_redrawn():
    shown = Shown()
    shown.tell(a_running_row("a"), a_running_row("b"))
    first = await shown.draw()
    assert "● a" in first
    shown.tell(a_handed_off_row("a", finished_at=moment(5)))
    second = await shown.draw()
    assert second.index("\x1b[J") < second.index("✓ a handed off in 5s") < second.index("● b")
    third = await shown.draw()
    assert "✓ a" not in third


async def test_after_a_stop_the_block_begins_below_what_the_shell_wrote():
    shown = Shown()
    shown.tell(a_running_row("a"))
    before = signal.getsignal(signal.SIGCONT)
    await shown.draw()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(shown.surface.keep_drawing)
        await anyio.lowlevel.checkpoint()
        written = shown.stream.tell()
        os.kill(os.getpid(), signal.SIGCONT)
        goal = shown.clock.sleeps + 3
        while shown.clock.sleeps < goal:
            await anyio.lowlevel.checkpoint()
        tasks.cancel_scope.cancel()
    first, *later = shown.stream.getvalue()[written:].split("\x1b[?2026h")[1:]
    assert "\x1b[J" not in first
    assert all("\x1b[J" in frame for frame in later)
    assert signal.getsignal(signal.SIGCONT) is before


async def test_without_news_it_is_drawn_once_a_second():
    shown = Shown()
    frames = (await shown.draw(until_sleeps=9)).count("\x1b[?2026h")
    assert frames == 3


async def test_activity_is_shown():
    shown = Shown()
    shown.tell(a_running_row("a"))
    shown.surface.saw_activity(TaskName("a"), "editing src/export/csv.py")
    assert "editing src/export/csv.py" in await shown.draw()


async def test_errors_silence_verdicts_and_attention_are_permanent():
    shown = Shown()
    shown.tell(a_running_row("a"), a_running_row("b"))
    shown.tell(a_running_row("a", stalled_since=moment()), attention=("somebody should look",))
    shown.tell(failed("b"))
    shown.tell(a_handed_off_row("a", self_report=Verification.UNIT_TEST_VERIFIED))
    verdict = Verdict(TaskName("v"), Verification.LIVE_UI_VERIFIED, None, moment())
    shown.tell(a_handed_off_row("a", verdicts=(verdict,), verification=Verification.LIVE_UI_VERIFIED))
    written = await shown.draw()
    for words in (
        "! a stalled: no activity",
        "! somebody should look",
        "✗ b error after 1 try: oom",
        "✓ a handed off",
        "✓ a verified: live UI",
    ):
        assert words in written, words


async def test_a_change_that_is_nothing_to_people_is_not_printed():
    shown = Shown()
    shown.tell(a_running_row("a"))
    shown.tell(a_handed_off_row("a"))
    await shown.draw()
    shown.tell(a_handed_off_row("a", pr_number=3))
    assert "✓ a" not in (await shown.draw()).split("shop   ")[0]


async def test_a_quiet_reader_sees_errors_and_the_summary_only():
    shown = Shown(is_quiet=True)
    shown.tell(a_running_row("a"), a_running_row("b"))
    shown.tell(a_handed_off_row("a"))
    shown.tell(failed("b"))
    shown.surface.say("a note")
    written = await shown.draw()
    assert "✗ b error" in written
    assert "✓ a" not in written
    assert "running" not in written
    assert "a note" not in written


async def test_the_summary_replaces_the_block_and_rings():
    shown = Shown(has_title=True, has_progress=True)
    shown.tell(a_running_row("a"), failed("b"))
    shown.surface.say("a note")
    before = await shown.draw()
    assert "\x1b[22;0t\x1b]0;0/2 shop\a" in before
    assert "\x1b]9;4;2;0\x1b\\" in before
    assert "· a note" in before
    start = shown.stream.tell()
    shown.surface.finish(shown.state, 1)
    written = shown.stream.getvalue()[start:]
    assert "shop needs you" in written
    assert written.endswith("\x1b[23;0t\x1b]9;4;0;0\x1b\\\a")


async def test_closing_gives_the_terminal_back_once():
    shown = Shown(has_title=True)
    await shown.draw()
    shown.surface.close()
    start = shown.stream.tell()
    shown.surface.close()
    assert shown.stream.getvalue()[start:] == ""


async def test_the_title_is_sent_when_it_changes():
    shown = Shown(has_title=True)
    assert "\x1b]0;" in await shown.draw()
    assert "\x1b]0;" not in await shown.draw(until_sleeps=5)
    shown.tell(a_handed_off_row("a"))
    assert "\x1b]0;1/2 shop\a" in await shown.draw()


async def test_a_resized_terminal_is_drawn_anew_in_its_size():
    shown = Shown()
    shown.tell(a_running_row("a"))
    await shown.draw()
    shown.size = (120, 40)
    assert "starts from" in await shown.draw(until_sleeps=5)


async def test_a_surface_never_raises():
    shown = Shown()
    broken = replace(shown.state, blueprint=None)
    shown.surface.publish(Publication(broken, (), ()))
    shown.surface.publish(None)  # type: ignore[arg-type]  a fault of ours must not end a run
    shown.size = None  # type: ignore[assignment]
    await shown.draw()
    shown.surface.finish(broken, 1)
    shown.surface.close()
