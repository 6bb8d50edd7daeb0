import io
from datetime import UTC

import anyio

from orchestrate.cli.plain_surface import SILENCE_SECONDS, PlainSurface
from orchestrate.cli.screens.layout import Look
from orchestrate.core.changes import RowChanged, Settings
from orchestrate.core.state import State, apply
from orchestrate.model.names import TaskName
from orchestrate.model.rows import Attention, TaskRow
from orchestrate.model.vocabulary import FailureMode, TaskStatus
from orchestrate.ports import Publication
from tests.support.builders import a_handed_off_row, a_plan, a_running_row, a_state, agent_of, moment
from tests.support.clocks import TickingClock

PLAN = a_plan("a", "b", rootSlug="shop")
TIME = "2026-03-04T04:53:20Z"


class Shown:
    def __init__(self, *, is_quiet: bool = False) -> None:
        self.clock = TickingClock()
        self.stream = io.StringIO()
        self.surface = PlainSurface(
            self.stream, plan=PLAN, clock=self.clock, look=Look(tz=UTC, has_unicode=False), is_quiet=is_quiet
        )
        self.state: State = a_state(PLAN, settings=Settings(max_concurrent=0))
        self.surface.publish(Publication(self.state, tuple(self.state.rows.values()), ()))

    def tell(self, *rows: TaskRow, attention: tuple[str, ...] = ()) -> None:
        self.state = apply(self.state, [RowChanged(row) for row in rows])
        lines = tuple(Attention(moment(), message) for message in attention)
        self.surface.publish(Publication(self.state, rows, lines))

    async def draw(self, seconds: float = 0.25) -> list[str]:
        before, goal = self.stream.tell(), self.clock.seconds + seconds
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.surface.keep_drawing)
            while self.clock.seconds < goal:
                await anyio.lowlevel.checkpoint()
            tasks.cancel_scope.cancel()
        return self.stream.getvalue()[before:].splitlines()


def failed(name: str) -> TaskRow:
    return a_running_row(name, status=TaskStatus.ERROR, failure_mode=FailureMode.OOM, note="killed")


async def test_each_change_is_a_line():
    shown = Shown()
    shown.tell(a_running_row("a"), attention=("look here",))
    shown.surface.saw_activity(TaskName("a"), "thinking")
    shown.surface.say("it goes on")
    assert await shown.draw() == [
        f"{TIME} progress handed-off=0 running=0 waiting=2 error=0",
        f"{TIME} running a attempt=1 agent={agent_of('a')}",
        f'{TIME} attention message="look here"',
        f'{TIME} note message="it goes on"',
    ]


async def test_an_error_ends_with_the_command_to_type():
    shown = Shown()
    shown.tell(failed("a"))
    assert (await shown.draw())[-1] == (f'{TIME} error a mode=oom attempt=1 note=killed do="orchestrate story . a"')


async def test_a_minute_of_silence_is_broken_once_a_minute():
    shown = Shown()
    await shown.draw()
    lines = await shown.draw(2 * SILENCE_SECONDS)
    assert len(lines) == 2
    assert all(" progress handed-off=0 " in line for line in lines)


async def test_a_quiet_reader_sees_errors_and_attention():
    shown = Shown(is_quiet=True)
    shown.tell(a_running_row("a"), failed("b"), attention=("look here",))
    shown.surface.say("a note")
    words = [line.split()[1] for line in await shown.draw(2 * SILENCE_SECONDS)]
    assert words == ["error", "attention"]


async def test_the_end_is_a_line_and_the_summary():
    shown = Shown()
    shown.tell(a_handed_off_row("a", finished_at=moment()), a_handed_off_row("b", finished_at=moment()))
    shown.surface.finish(shown.state, 0)
    lines = shown.stream.getvalue().splitlines()
    assert f"{TIME} finished handed-off=2 running=0 waiting=0 error=0 exit=0" in lines
    assert "+ a                   not verified  cursor/a-1f2a  1" in lines
    assert shown.stream.getvalue().isascii()


def test_closing_writes_what_is_left_and_a_surface_never_raises():
    shown = Shown()
    shown.surface.publish(None)  # type: ignore[arg-type]  a fault of ours must not end a run
    shown.surface.finish(None, 1)  # type: ignore[arg-type]
    shown.surface.close()
    assert shown.stream.getvalue().count("\n") == 1
