import io
from argparse import Namespace

import pytest

from orchestrate.cli.live import PlainSurface, TerminalSurface, make_surface, run_options_of
from orchestrate.cli.screens.layout import Look
from orchestrate.cli.settings import Streams, settings_of
from orchestrate.system import SystemClock
from tests.support.builders import a_plan

TERMINAL = Streams(stderr_is_terminal=True)


def surface(variables: dict[str, str] | None = None, *, streams: Streams = TERMINAL, **options):
    args = Namespace(**{"plan": None, "quiet": False, "color": "auto", "plain": False, **options})
    settings = settings_of({"TERM": "xterm", **(variables or {})}, streams=streams)
    return make_surface(settings, args, plan=a_plan(), clock=SystemClock(), stream=io.StringIO())


def test_a_terminal_gets_the_live_block():
    assert isinstance(surface(), TerminalSurface)


@pytest.mark.parametrize(
    ("variables", "options"),
    [({"TERM": "dumb"}, {}), ({"CI": "1"}, {}), ({}, {"plain": True}), ({}, {"streams": Streams()})],
)
def test_everybody_else_gets_plain_lines(variables, options):
    assert isinstance(surface(variables, **options), PlainSurface)


def test_the_plan_is_named_as_the_reader_named_it(tmp_path):
    (tmp_path / "plan.json").write_text("{}")
    shown = surface(plan=str(tmp_path))
    assert isinstance(shown, TerminalSurface)
    assert shown._look.argument == str(tmp_path)


def test_the_command_that_goes_on_has_the_options_that_it_needs():
    args = Namespace(runtime="local", agent_command="my-agent --fast", templates=None)
    look = Look(argument="plan", run_options=run_options_of(args))
    assert look.command("run") == "orchestrate run plan --runtime local --agent-command 'my-agent --fast'"
    assert look.command("status") == "orchestrate status plan"
