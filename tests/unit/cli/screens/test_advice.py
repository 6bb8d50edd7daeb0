from orchestrate.cli.screens.advice import command_for, needs_somebody, next_command
from orchestrate.cli.screens.layout import Look
from orchestrate.model.vocabulary import HandoffStatus, TaskStatus
from tests.support.builders import a_handed_off_row, a_row, a_running_row

LOOK = Look()
ERROR = a_row("e", status=TaskStatus.ERROR)
HALF = a_handed_off_row("h", handoff_status=HandoffStatus.PARTIAL)


def test_what_an_agent_said_is_read_before_anything_else():
    assert command_for(HALF, LOOK) == "orchestrate handoff . h"
    assert command_for(ERROR, LOOK) == "orchestrate story . e"


def test_bad_and_half_ends_need_somebody():
    assert needs_somebody(ERROR)
    assert needs_somebody(a_row(status=TaskStatus.CANCELLED))
    assert needs_somebody(HALF)
    assert not needs_somebody(a_handed_off_row())
    assert not needs_somebody(a_running_row())


def test_the_next_command_is_about_trouble_then_about_going_on():
    assert next_command([a_row(), ERROR], LOOK, is_engine_alive=True) == "orchestrate respawn . e"
    assert next_command([a_row()], LOOK, is_engine_alive=False) == "orchestrate run ."
    assert next_command([a_row()], LOOK, is_engine_alive=True) is None
    assert next_command([a_handed_off_row(), HALF], LOOK, is_engine_alive=False) == "orchestrate handoff . h"
    assert next_command([a_handed_off_row()], LOOK, is_engine_alive=False) is None
