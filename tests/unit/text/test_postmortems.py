from pathlib import Path

from orchestrate.model.vocabulary import FailureMode, RunStatus
from orchestrate.text.postmortems import Ending, render_failure, render_finished_without_handoff
from orchestrate.text.templates import TEMPLATE_NAMES, Templates

SHIPPED = Path(__file__).parents[3] / "templates"
TEMPLATES = Templates({name: (SHIPPED / name).read_text() for name in TEMPLATE_NAMES})


def ending(**facts) -> Ending:
    known = {"task": "a", "attempt": 2, "agent_id": "bc-1", "run_id": "run-1", "starting_ref": "main"}
    return Ending(**(known | {"run_status": RunStatus.ERROR} | facts))


def test_a_failure_tells_what_is_known():
    page = render_failure(
        TEMPLATES,
        ending=ending(
            branch="cursor/a",
            duration_seconds=61.4,
            failure_mode=FailureMode.OOM,
            code="oom",
            message="killed\n``` {{ x }}",
            last_activity="running pytest",
            url="https://example.org/a",
        ),
    )
    for line in (
        "- Task: `a` (attempt 2)",
        "- Failure mode: oom",
        "- Ran for: 61 s",
        "Code: `oom`",
        "````text",
        "killed",
        "``` {{ x }}",
    ):
        assert line in page.splitlines()
    assert "ran out of memory" in page
    assert "Work may have been pushed to `cursor/a`" in page
    assert page.endswith("\n")


def test_what_is_not_known_is_said_to_be_unknown():
    page = render_failure(TEMPLATES, ending=ending())
    assert "- Branch: none is known\n" in page
    assert "- Started: not known\n" in page
    assert "## What the service said\n\nNothing.\n" in page


def test_every_failure_mode_has_its_advice():
    pages = {
        render_failure(TEMPLATES, ending=ending(failure_mode=mode)).split("## What to do")[1] for mode in FailureMode
    }
    assert len(pages) == len(FailureMode)


def test_a_reply_without_headings_is_kept():
    page = render_finished_without_handoff(
        TEMPLATES, ending=ending(reply="I did it.\n```\nx\n```", run_status=RunStatus.FINISHED)
    )
    assert "has none of the headings of a handoff" in page
    assert "````text\nI did it.\n```\nx\n```\n````" in page
    assert "its last message is empty" in render_finished_without_handoff(TEMPLATES, ending=ending())
