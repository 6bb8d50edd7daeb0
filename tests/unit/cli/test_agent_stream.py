import pytest

from orchestrate.cli.agent_stream import Kind, Lines, Said
from orchestrate.model.wire import Frame
from orchestrate.text.redaction import Redactor


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
    lines = Lines(Redactor())
    assert [each.kind for each in lines.take(text("x" * 70_000))] == [Kind.TEXT]
    assert list(lines.rest()) == []
