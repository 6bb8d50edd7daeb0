import dataclasses

import pytest

from orchestrate.model.rows import Andon, TaskRow, Workspace
from orchestrate.model.vocabulary import TaskStatus, TaskType

ROW = TaskRow(name="a", type=TaskType.WORKER, branch="orch/s/a", starting_ref="main")


def test_a_new_row_waits_and_knows_nothing():
    assert ROW.status is TaskStatus.PENDING
    assert (ROW.agent_id, ROW.run_id, ROW.parent_agent_id, ROW.launch, ROW.attempts) == (None, None, None, None, 0)
    assert dict(ROW.extra) == {}


@pytest.mark.parametrize("record", [ROW, Andon(), Workspace(workspace_id="w", root_slug="s")])
def test_rows_are_replaced_and_never_changed(record):
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(record, dataclasses.fields(record)[0].name, None)
    assert dataclasses.replace(record) == record


@pytest.mark.parametrize(
    ("andon", "raised"),
    [
        (Andon(), False),
        (Andon(raised_at="2026-03-04T14:31:36.123Z"), True),
        (Andon(raised_at="2026-03-04T14:31:36.123Z", cleared=True), False),
    ],
)
def test_the_andon_is_raised_until_it_is_cleared(andon, raised):
    assert andon.is_raised is raised
