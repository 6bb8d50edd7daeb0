import argparse
import io

import pytest

from orchestrate.cli.confirming import NotConfirmed, require_confirmation
from orchestrate.cli.settings import Streams, read_settings

AT_A_TERMINAL = Streams(stdin_is_terminal=True, stdout_is_terminal=True, stderr_is_terminal=True)


def ask(monkeypatch, *, streams, yes=False, typed=""):
    monkeypatch.setattr("orchestrate.cli.settings._own_streams", lambda: streams)
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    args = argparse.Namespace(yes=yes)
    require_confirmation("Move all?", args, read_settings(), not_done="Nothing was moved.")


@pytest.mark.parametrize("typed", ["y\n", " YES \n"])
def test_a_person_says_yes(monkeypatch, capsys, typed):
    ask(monkeypatch, streams=AT_A_TERMINAL, typed=typed)
    assert capsys.readouterr() == ("", "Move all? [y/N] ")


@pytest.mark.parametrize("typed", ["", "\n", "n\n", "yess\n"])
def test_everything_else_is_a_no(monkeypatch, typed):
    with pytest.raises(NotConfirmed, match=r"not confirmed\. Nothing was moved\."):
        ask(monkeypatch, streams=AT_A_TERMINAL, typed=typed)


def test_without_a_terminal_only_the_option_says_yes(monkeypatch, capsys):
    with pytest.raises(NotConfirmed, match="no terminal") as caught:
        ask(monkeypatch, streams=Streams(), typed="y\n")
    assert caught.value.hint == "add --yes"
    ask(monkeypatch, streams=Streams(), yes=True)
    assert capsys.readouterr() == ("", "")
