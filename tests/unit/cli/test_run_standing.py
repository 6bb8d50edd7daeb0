import pytest

from orchestrate.cli.locating import locate
from orchestrate.cli.picture import picture_of
from orchestrate.cli.run_standing import exit_code_of
from orchestrate.core import operating
from orchestrate.model.vocabulary import HandoffStatus, TaskStatus
from tests.support.builders import START, a_handed_off_row, a_row, a_running_row, a_task
from tests.support.workspaces import a_plan_document, write_plan, write_state

DONE = a_handed_off_row("done")
BLOCKED = a_handed_off_row("blocked", handoff_status=HandoffStatus.BLOCKED)


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ([DONE], operating.EXIT_DONE),
        ([DONE, a_row("gone", status=TaskStatus.PRUNED)], operating.EXIT_DONE),
        ([DONE, a_running_row("r", status=TaskStatus.ERROR), a_running_row("s")], operating.EXIT_PLANNERS_TURN),
        ([a_running_row("r", status=TaskStatus.CANCELLED)], operating.EXIT_PLANNERS_TURN),
        ([BLOCKED, a_row("w", depends_on=("blocked",))], operating.EXIT_PLANNERS_TURN),
        ([DONE, a_running_row("r"), a_row("w", depends_on=("r",))], operating.EXIT_CHECKPOINT),
        ([DONE, a_row("w", depends_on=("done",))], operating.EXIT_CHECKPOINT),
        ([], operating.EXIT_CHECKPOINT),
    ],
)
def test_a_run_stands_as_its_engine_would_have_said(tmp_path, rows, code):
    planned = [a_task(row.name) for row in rows if row.status != TaskStatus.PRUNED]
    write_plan(tmp_path, a_plan_document(*planned or [a_task("new")]))
    write_state(tmp_path, rows)
    assert exit_code_of(picture_of(locate(str(tmp_path)), now=START)) == code


def test_a_failed_task_that_left_the_plan_holds_nobody_up(tmp_path):
    write_plan(tmp_path, a_plan_document(a_task("done")))
    write_state(tmp_path, [DONE, a_running_row("given-up", status=TaskStatus.ERROR)])
    assert exit_code_of(picture_of(locate(str(tmp_path)), now=START)) == operating.EXIT_DONE
