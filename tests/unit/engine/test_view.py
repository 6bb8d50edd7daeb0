import pytest

from orchestrate.engine.view import Activity, ActivityView, shows_activity, words_of
from orchestrate.model.wire import Frame
from orchestrate.text.redaction import REDACTED, Redactor


def a_call(name="shell", **args):
    return Frame("1", "tool_call", {"callId": "1", "name": name, "args": args})


@pytest.mark.parametrize("event", ["assistant", "thinking", "tool_call", "interaction_update"])
def test_frames_of_the_agent_show_activity(event):
    assert shows_activity(Frame("1", event))


@pytest.mark.parametrize("event", ["heartbeat", "status", "error", "result", "done", "something-new"])
def test_frames_of_the_service_show_none(event):
    assert not shows_activity(Frame("1", event))


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (a_call("shell", command="npm test"), "shell npm test"),
        (a_call("edit", text="long", path="src/a.py"), "edit src/a.py"),
        (a_call("grep", pattern=3), "grep"),
        (Frame("1", "tool_call", {"name": "grep", "args": "odd"}), "grep"),
        (Frame("1", "tool_call"), "a tool"),
        (Frame("1", "thinking"), "thinking"),
        (Frame("1", "thinking", {"text": "perhaps the"}), "thinking"),
        (Frame("1", "thinking", {"text": "running make\nediting a.py\n"}), "editing a.py"),
        (Frame("1", "thinking", {"text": "\n"}), "thinking"),
        (Frame("1", "thinking", {"text": 3}), "thinking"),
        (Frame("1", "assistant", {"text": "I am"}), "writing its reply"),
        (Frame("1", "interaction_update"), None),
    ],
)
def test_what_a_frame_tells(frame, words):
    assert words_of(frame) == words


def test_a_change_of_work_is_answered_and_the_same_again_is_not():
    view = ActivityView(Redactor())
    view.began("a", at=1.0)
    assert view.of("a") == Activity(1.0)
    assert view.saw("a", a_call(path="x"), at=2.0) == "shell x"
    assert view.saw("a", a_call(path="x"), at=3.0) is None
    assert view.saw("a", Frame("2", "interaction_update"), at=4.0) is None
    assert view.of("a") == Activity(4.0, "shell x")
    view.ended("a")
    view.ended("a")
    assert view.of("a") is None


def test_a_task_that_nobody_announced_is_seen_as_well():
    view = ActivityView(Redactor())
    assert view.saw("a", Frame("1", "thinking"), at=1.0) == "thinking"


def test_long_work_is_cut_to_one_short_line():
    view = ActivityView(Redactor())
    doing = view.saw("a", a_call(command="echo\n" + "word " * 100_000), at=1.0)
    assert len(doing) == 60
    assert doing.startswith("shell echo word word")
    assert doing.endswith("…")


def test_a_secret_is_redacted_before_the_line_is_cut():
    view = ActivityView(Redactor(["s" * 80]))
    doing = view.saw("a", a_call(command="deploy --token " + "s" * 80), at=1.0)
    assert doing == f"shell deploy --token {REDACTED}"


def test_half_a_secret_is_not_shown_where_a_long_command_is_cut():
    doing = ActivityView(Redactor(["s" * 80])).saw("a", a_call(command=f"run{' ' * 4050} {'s' * 80}"), at=1.0)
    assert doing == "shell run"


def test_the_rest_of_a_line_that_came_in_pieces_is_not_shown():
    view = ActivityView(Redactor(["hidden-value"]))
    thoughts = ["token hidden-", "value\n", "value\nrunning make\n", "done\n"]
    shown = [view.saw("a", Frame(None, "thinking", {"text": text}), at=1.0) for text in thoughts]
    assert shown == ["thinking", None, "running make", "done"]
