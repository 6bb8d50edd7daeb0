import pytest

from orchestrate.cli.stopped import require_not_stopped, revived
from orchestrate.errors import InputRefused
from orchestrate.model.stops import Stop
from orchestrate.store.files import Folder
from orchestrate.store.tombstone import write_stop


def test_a_plan_that_somebody_stopped_is_refused_until_it_is_revived(tmp_path):
    require_not_stopped(tmp_path, plan=".")
    assert revived(tmp_path) is None
    write_stop(Folder(tmp_path), Stop("s", by="ana", at="2026-03-04T14:31:36.123Z"))
    with pytest.raises(InputRefused, match="ana stopped this run at 2026") as caught:
        require_not_stopped(tmp_path, plan="x/plan.json")
    assert caught.value.hint.startswith("orchestrate run x/plan.json --revive")
    assert revived(tmp_path) == "ana stopped this run at 2026-03-04T14:31:36.123Z; it goes on now"
    require_not_stopped(tmp_path, plan=".")
