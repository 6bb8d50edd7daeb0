import anyio

from orchestrate.core.effects import CheckPaths
from orchestrate.core.events import PathsChecked
from orchestrate.engine import path_checks
from orchestrate.engine.path_checks import KEPT, PathChecker
from orchestrate.model.rows import PathFinding
from orchestrate.model.vocabulary import PathRule
from tests.support.builders import a_handed_off_row
from tests.support.memory_store import MemoryDifferences
from tests.support.virtual_time import virtually

ROW = a_handed_off_row(starting_ref="cursor/base")
ORDER = CheckPaths(row=ROW, allowed=("src/**",), forbidden=("src/secret.py",))


async def checked(files, order=ORDER):
    differences = MemoryDifferences()
    differences.files[ROW.branch] = files
    event = await PathChecker(differences).check(order)
    assert differences.asked == [(ROW.branch, "cursor/base")]
    return event


@virtually
async def test_what_the_branch_changed_beyond_its_paths_is_found():
    event = await checked(["src/a.py", "src/secret.py", "docs/a.md"])
    findings = (
        PathFinding("src/secret.py", PathRule.FORBIDDEN, "src/secret.py"),
        PathFinding("docs/a.md", PathRule.NOT_ALLOWED),
    )
    assert event == PathsChecked(task="a", branch=ROW.branch, findings=findings, total=2)


@virtually
async def test_paths_that_were_kept_are_no_finding():
    assert await checked(["src/a.py"]) == PathsChecked(task="a", branch=ROW.branch)


async def test_of_very_many_the_first_are_kept_and_all_are_counted():
    event = await checked([f"docs/{number}/{'x' * 40}.md" for number in range(900)])
    assert (len(event.findings), event.total) == (KEPT, 900)


@virtually
async def test_what_nobody_can_tell_is_said_so():
    event = await PathChecker(MemoryDifferences()).check(ORDER)
    assert event == PathsChecked(task="a", branch=ROW.branch, unknown=f"{ROW.branch} is not on the remote")


@virtually
async def test_a_fetch_that_never_ends_is_given_up():
    event = await checked(anyio.sleep_forever)
    assert event.unknown == f"no answer within {path_checks.DEADLINE_SECONDS:g} s"


@virtually
async def test_only_a_few_branches_are_fetched_at_once():
    at_work, most = 0, 0

    async def fetch():
        nonlocal at_work, most
        at_work += 1
        most = max(most, at_work)
        await anyio.sleep(1)
        at_work -= 1
        return ["src/a.py"]

    differences = MemoryDifferences()
    differences.files[ROW.branch] = fetch
    checker = PathChecker(differences)
    async with anyio.create_task_group() as tasks:
        for _ in range(9):
            tasks.start_soon(checker.check, ORDER)
    assert most == 2
