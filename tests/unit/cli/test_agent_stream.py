from types import SimpleNamespace

import pytest

from orchestrate.cli.agent_stream import Kind, Lines, Said, Target, follow
from orchestrate.errors import Unavailable
from orchestrate.model.names import AgentId, RunId
from orchestrate.model.vocabulary import RunStatus
from orchestrate.model.wire import Frame, Run
from orchestrate.text.redaction import Redactor
from tests.support.builders import a_running_row
from tests.support.clocks import TickingClock


def said(*frames: Frame, secrets=()) -> list[Said]:
    lines = Lines(Redactor(secrets))
    return [*(each for frame in frames for each in lines.take(frame)), *lines.rest()]


def text(words: str, event: str = "assistant") -> Frame:
    return Frame(None, event, {"text": words})


def tool(**data: object) -> Frame:
    return Frame(None, "tool_call", {"callId": "c", **data})


CASES = [
    ([text("one li"), text("ne\ntwo"), text(" lines")], [(Kind.TEXT, "one line"), (Kind.TEXT, "two lines")]),
    ([text("a"), text("b", "thinking")], [(Kind.TEXT, "a"), (Kind.THINKING, "b")]),
    (
        [text("a"), tool(name="shell", args={"command": "ls\n-l"}, status="running"), text("b")],
        [(Kind.TEXT, "a"), (Kind.TOOL, "shell ls -l (running)"), (Kind.TEXT, "b")],
    ),
    ([tool(name="\x1b[2J")], [(Kind.TOOL, "\\x1b[2J (called)")]),
    ([text("\u202egnp\r\n\n")], [(Kind.TEXT, "\\u202egnp")]),
    ([Frame(None, "heartbeat", {}), Frame(None, "assistant", {"text": 7}), text("")], []),
]


@pytest.mark.parametrize(("frames", "lines"), CASES)
def test_pieces_become_lines_that_are_safe_to_print(frames, lines):
    assert said(*frames) == [Said(*each) for each in lines]


def test_a_secret_that_comes_in_two_pieces_is_not_shown():
    (line,) = said(text("key sesame-open"), text("-12345 here\n"), secrets=["sesame-open-12345"])
    assert "sesame" not in line.words
    assert "12345" not in line.words


def test_a_line_without_an_end_is_told_in_parts():
    lines = Lines(Redactor(()))
    assert [each.kind for each in lines.take(text("x" * 70_000))] == [Kind.TEXT]
    assert list(lines.rest()) == []


class _Client:
    """Nobody can tell of the run for so many questions."""

    def __init__(self, silent: int) -> None:
        self._silent = silent

    def stream_run(self, *_ids: str, **_options: object):
        raise Unavailable("no stream")

    async def get_run(self, *_ids: str) -> Run:
        self._silent -= 1
        if self._silent >= 0:
            raise Unavailable("nobody listens")
        return Run(id="run-1", agentId="bc-1", status=RunStatus.FINISHED, createdAt="", updatedAt="")


async def test_a_run_that_nobody_can_tell_of_is_warned_of_once_a_minute():
    warned: list[str] = []
    target = Target(SimpleNamespace(), a_running_row("a"), AgentId("bc-1"), RunId("run-1"))
    run = await follow(
        _Client(14), target, lines=Lines(Redactor(())), tell=lambda _: None, clock=TickingClock(), warn=warned.append
    )
    assert run.status is RunStatus.FINISHED
    assert warned == ["nobody listens"] * 2
