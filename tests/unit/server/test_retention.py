"""What is removed after two weeks and what never is, with real clones and a clock that is moved."""

from dataclasses import replace

import pytest
import structlog

from orchestrate.model.timestamps import to_timestamp
from orchestrate.model.vocabulary import RunStatus
from orchestrate.server.clones import make_clone
from orchestrate.server.database import Database, KeptAnswer
from orchestrate.server.git import Git
from orchestrate.server.mirrors import Mirrors
from orchestrate.server.records import AgentRecord, RunRecord
from orchestrate.server.retention import KEPT_SECONDS, Retention
from orchestrate.server.state import StateFolder
from orchestrate.server.workplaces import clone_of
from tests.support.repositories import git, make_remote

ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent"}
DAY = 24 * 3600
BEGIN = to_timestamp(0)


class MovedClock:
    def __init__(self):
        self.seconds = KEPT_SECONDS + DAY

    def now(self):
        return self.seconds


class Room:
    """A state folder with its tables, and agents in it that ended at the beginning of time."""

    def __init__(self, folder, database, remote):
        self.folder, self.database, self.remote = StateFolder(folder), database, remote
        self.clock, self.git = MovedClock(), Git(ENVIRONMENT)
        log = structlog.wrap_logger(structlog.ReturnLogger())
        self.retention = Retention(database, self.folder, self.git, self.clock, log)

    def add(self, number=1, *, placement=None, **fields):
        agent_id, run_id = f"bc-{number}", f"run-{number}"
        agent = AgentRecord(agent_id, f"/{agent_id}/", "command", BEGIN, run_id, {"name": "x"}, b"{}", placement or {})
        run = RunRecord(run_id, agent_id, "command", RunStatus.FINISHED, BEGIN, BEGIN)
        self.database.add_agent(agent)
        self.database.add_run(replace(run, **fields))
        self.database.add_answer(KeptAnswer("owner", agent_id, digest=b"", answer=b"", agent_id=agent_id))
        spool = self.folder.spool(agent_id, run_id)
        spool.mkdir(parents=True)
        (spool / "stdout").write_text("said")
        return agent

    async def add_with_clone(self):
        """An agent that has pushed all it did."""
        start = self.remote.heads()["main"]
        place = {"url": self.remote.url, "start": start, "startingRef": "main", "defaultBranch": "main"}
        agent = self.add(placement=place)
        clone = clone_of(agent, self.folder)
        mirror = await Mirrors(self.folder.mirrors, self.git).fresh(self.remote.url)
        await make_clone(self.git, clone, mirror=mirror)
        commit(clone.path)
        git("push", "--quiet", "origin", "HEAD", at=clone.path)
        return clone.path

    def is_there(self, number=1):
        agent_id = f"bc-{number}"
        kept = (
            self.folder.agent(agent_id).exists(),
            self.database.agent(agent_id) is not None,
            self.database.run(f"run-{number}") is not None,
            self.database.answer(scope="owner", key=agent_id) is not None,
        )
        assert len(set(kept)) == 1, kept
        return kept[0]


def commit(clone, name="new.txt"):
    (clone / name).write_text("new")
    git("add", "--all", at=clone)
    git("commit", "--quiet", "--message", name, at=clone)


@pytest.fixture
def room(tmp_path):
    state = tmp_path / "state"
    state.mkdir()
    database = Database(state / "server.db")
    yield Room(state, database, make_remote(tmp_path / "remote.git"))
    database.close()


async def test_an_agent_goes_after_two_weeks_with_all_that_was_kept_of_it(room):
    room.add()
    room.clock.seconds = KEPT_SECONDS - DAY
    await room.retention.sweep()
    assert room.is_there()

    room.clock.seconds = KEPT_SECONDS + DAY
    await room.retention.sweep()
    assert not room.is_there()
    assert not room.folder.removed.exists()


async def test_an_agent_whose_run_lives_stays(room):
    room.add(status=RunStatus.RUNNING)
    await room.retention.sweep()
    assert room.is_there()


async def test_two_weeks_count_from_the_last_run_and_the_last_archiving(room):
    room.add(1, updated_at=to_timestamp(2 * DAY))
    agent = room.add(2)
    room.database.mark_archived(agent.id, archived_at=to_timestamp(2 * DAY), at=to_timestamp(2 * DAY))
    await room.retention.sweep()
    assert (room.is_there(1), room.is_there(2)) == (True, True)

    room.clock.seconds += 2 * DAY
    await room.retention.sweep()
    assert (room.is_there(1), room.is_there(2)) == (False, False)


async def test_a_clone_that_is_clean_and_pushed_goes_with_its_agent(room):
    await room.add_with_clone()
    await room.retention.sweep()
    assert not room.is_there()


@pytest.mark.parametrize(
    "work",
    [
        lambda clone: commit(clone, "more.txt"),
        lambda clone: (clone / "new.txt").write_text("changed"),
        lambda clone: (clone / "other.txt").write_text("new"),
        lambda clone: (git("checkout", "--quiet", "-b", "side", at=clone), commit(clone, "side")),
        lambda clone: (git("checkout", "--quiet", "--detach", at=clone), commit(clone, "nowhere")),
        lambda clone: ((clone / "new.txt").write_text("stashed"), git("stash", "--quiet", at=clone)),
        lambda clone: (clone / ".git" / "HEAD").write_text("damaged"),
    ],
    ids=["commit", "change", "new file", "side branch", "no branch", "stash", "damage"],
)
async def test_work_that_is_not_on_the_remote_is_never_removed(room, work):
    work(await room.add_with_clone())
    for _ in range(2):
        await room.retention.sweep()
        room.clock.seconds *= 10
    assert room.is_there()


async def test_work_stays_while_the_remote_cannot_be_asked(room):
    commit(await room.add_with_clone(), "more.txt")
    room.remote.path.rename(room.remote.path.with_name("away"))
    await room.retention.sweep()
    assert room.is_there()


async def test_work_that_reached_the_remote_by_another_way_may_go(room):
    clone = await room.add_with_clone()
    commit(clone, "more.txt")
    git("push", "--quiet", room.remote.url, "HEAD:refs/heads/rescued", at=clone)
    await room.retention.sweep()
    assert not room.is_there()


async def test_work_that_was_pushed_may_go_also_when_its_branch_is_gone(room):
    clone = await room.add_with_clone()
    branch = git("branch", "--show-current", at=clone).strip()
    git("branch", "--delete", "--force", branch, at=room.remote.path)
    await room.retention.sweep()
    assert not room.is_there()


async def test_files_of_an_agent_without_a_repository_are_on_no_remote(room):
    for number in (1, 2):
        room.folder.clone(room.add(number).id).mkdir()
    (room.folder.clone("bc-2") / "result.txt").write_text("x")
    await room.retention.sweep()
    assert (room.is_there(1), room.is_there(2)) == (False, True)


async def test_what_a_crash_left_of_a_removal_is_finished(room):
    agent = room.add()
    room.folder.removed.mkdir()
    room.folder.agent(agent.id).rename(room.folder.removed / agent.id)
    await room.retention.sweep()
    assert not room.is_there()
    assert not room.folder.removed.exists()


async def test_an_agent_that_is_asked_for_more_meanwhile_stays(room):
    class SlowGit(Git):
        async def run(self, *arguments, **options):
            room.database.set_latest_run("bc-1", "run-2")
            return await super().run(*arguments, **options)

    await room.add_with_clone()
    await replace(room.retention, git=SlowGit(ENVIRONMENT)).sweep()
    assert room.is_there()


async def test_a_fault_is_logged_and_ends_no_server(room):
    class EndOfTest(Exception):
        pass

    class Clock(MovedClock):
        async def sleep(self, _seconds):
            raise EndOfTest

    room.add()
    room.folder.removed.write_text("a file where a folder should be")
    retention = replace(room.retention, clock=Clock(), log=structlog.wrap_logger(structlog.ReturnLogger()))
    with pytest.raises(EndOfTest):
        await retention.run()
    assert room.is_there()
