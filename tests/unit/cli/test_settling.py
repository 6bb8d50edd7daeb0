from orchestrate.cli.settling import wait_until_over
from orchestrate.model.vocabulary import TaskStatus
from tests.support.builders import a_row, a_running_row
from tests.support.workspaces import write_state


def test_what_does_not_run_is_not_waited_for(tmp_path):
    write_state(tmp_path, [a_running_row("a", status=TaskStatus.CANCELLED), a_running_row("b"), a_row("c")])
    rows = wait_until_over(tmp_path, ["a", "c", "gone"], timeout_seconds=1000)
    assert rows["a"].status == TaskStatus.CANCELLED


def test_the_time_bounds_the_waiting(tmp_path):
    write_state(tmp_path, [a_running_row("a")])
    assert wait_until_over(tmp_path, ["a"], timeout_seconds=0)["a"].status == TaskStatus.RUNNING
