"""What agents do, well and badly, and what becomes of it; one run with an agent of each kind."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.runs import Done, Machine, Project, machine, project, project_in, task

__all__ = ["machine", "project"]

pytestmark = pytest.mark.slow

LONG_NAME = "a-name-of-sixty-four-characters-which-is-as-long-as-any-may-be-x"
SECRET = "hunter2-hunter2-hunter2"

AGENTS = {
    "works": "commit one.txt; push; handoff success '' unit-test-verified",
    "silent": "echo 'I only think' >&2",
    "latin": r"printf 'caf\351 \360\237\n\n'; handoff success '(none)'",
    "five-megabytes": "yes line | head -c 4990000; echo; handoff success '(none)'",
    "six-megabytes": "yes line | head -c 6000000; echo; handoff success '(none)'",
    "endless": "exec sleep 1000",
    "killed": "commit saved.txt; kill -9 $$",
    "exit-3": "commit saved.txt; handoff success; echo 'the disk is full' >&2; exit 3",
    "unpushed": "commit kept.txt mine; handoff success",
    "renames": "git checkout -q -b my-own/name; commit other.txt; push; handoff success",
    "idle": "handoff success main",
    "prose": "commit prose.txt; push; echo 'I did it all, trust me.'",
    "escapes": r"handoff success '(none)'; printf '\033]0;owned\007\033[2J\342\200\256 end\n'",
    "looks": "env > $here/seen; handoff success '(none)'",
    "leaks": "echo \"the token is $SERVICE_TOKEN\"; handoff success '(none)'",
    "bears": "(sleep 1000 & echo $! > $here/child); handoff success '(none)'",
    LONG_NAME: "handoff success '(none)'",
}
GOOD = ("works", "latin", "five-megabytes", "six-megabytes", "unpushed", "renames", "idle", "prose", "escapes", "looks")


@dataclass(frozen=True)
class Zoo:
    """The run of all of them."""

    project: Project
    done: Done
    rows: dict[str, dict]

    def note(self, name: str) -> str:
        return str(self.rows[name]["note"])


@pytest.fixture(scope="module")
def zoo(machine: Machine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Zoo]:
    with project_in(tmp_path_factory.mktemp("zoo"), machine) as project:
        for name, script in AGENTS.items():
            project.agent(name, script)
        own = {
            "endless": {"timeoutSec": 0.5},
            "works": {"scopedGoal": "ring \x07 and \x1b[31mred\x1b[0m, ünïcödé \U0001f600"},
        }
        project.write_plan(
            *(task(name, **own.get(name, {})) for name in AGENTS),
            runtime={
                "kind": "local",
                "agent": {"command": project.agent_command, "passEnv": ["SERVICE_TOKEN", "NOT_SET_ANYWHERE"]},
            },
        )
        environment = {"SERVICE_TOKEN": SECRET, "OTHER_VALUE": "not for agents", "CURSOR_API_KEY": "key-of-the-user"}
        done = project.run("--exit-on-all-done", "--json", "--max-concurrent", "6", environment=environment)
        yield Zoo(project, done, project.rows())


def test_a_run_with_errors_ends_with_1_and_one_object(zoo: Zoo) -> None:
    document = zoo.done.json()

    assert (zoo.done.code, document["ok"], document["exitCode"]) == (1, False, 1)
    assert document["operation"] == "run"
    assert [row["name"] for row in document["tasks"]] == list(AGENTS)
    assert document["counts"]["error"] == 3
    assert "killed" in document["error"]["message"]


def test_nothing_like_a_traceback_is_said(zoo: Zoo) -> None:
    assert "Traceback" not in zoo.done.err
    assert "a fault of this program" not in zoo.done.err + zoo.project.attention()


def test_pushed_work_is_on_the_branch_that_the_row_names(zoo: Zoo) -> None:
    row = zoo.rows["works"]

    assert (row["status"], row["verification"]) == ("handed-off", "unit-test-verified")
    assert zoo.project.remote.read(row["branch"], "one.txt") == "text\n"
    assert row["branch"] != "orch/demo/works"


def test_an_agent_that_writes_nothing_is_in_error_and_says_so(zoo: Zoo) -> None:
    assert zoo.rows["silent"]["status"] == "error"
    assert zoo.note("silent") == "the agent finished and wrote nothing"
    assert (zoo.project.workspace / "handoffs" / "silent-finished-no-handoff.md").exists()


def test_bytes_that_are_no_text_are_replaced(zoo: Zoo) -> None:
    assert zoo.rows["latin"]["status"] == "handed-off"
    assert "caf\ufffd \ufffd\n" in zoo.project.file("handoffs/latin.md")


def test_five_megabytes_are_kept_whole(zoo: Zoo) -> None:
    assert zoo.rows["five-megabytes"]["handoffStatus"] == "success"
    assert zoo.project.file("raw/five-megabytes.1.md").count("line\n") == 998_000


def test_of_six_megabytes_the_end_is_kept_and_read(zoo: Zoo) -> None:
    raw = zoo.project.file("raw/six-megabytes.1.md")

    assert zoo.rows["six-megabytes"]["handoffStatus"] == "success"
    assert 4_900_000 < len(raw) <= 5_000_000
    assert raw.endswith("## Suggested follow-ups\n(none)\n")


def test_an_agent_that_never_ends_is_cancelled_at_its_deadline_and_says_so(zoo: Zoo) -> None:
    assert zoo.rows["endless"]["status"] == "cancelled"
    assert zoo.note("endless") == "its deadline of 0.5 s was reached; it was cancelled"
    assert "endless: its deadline of 0.5 s was reached" in zoo.project.attention()


def test_an_agent_killed_by_a_signal_is_in_error_and_its_commits_are_saved(zoo: Zoo) -> None:
    row = zoo.rows["killed"]

    assert (row["status"], row["resultStatus"]) == ("error", "error")
    assert "signal 9" in zoo.note("killed") or "SIGKILL" in zoo.note("killed")
    assert "saved.txt" in zoo.project.remote.read(_branch_in(zoo.project.file("handoffs/killed-failure.md")), "")


def test_a_failed_agent_has_a_mode_a_message_and_a_postmortem(zoo: Zoo) -> None:
    row, postmortem = zoo.rows["exit-3"], zoo.project.file("handoffs/exit-3-failure.md")

    assert (row["status"], row["failureMode"]) == ("error", "tool-error")
    assert "3" in zoo.note("exit-3")
    assert zoo.note("exit-3") in postmortem
    assert row.get("handoffStatus") is None


def test_what_was_committed_and_not_pushed_is_pushed(zoo: Zoo) -> None:
    assert zoo.project.remote.read(zoo.rows["unpushed"]["branch"], "kept.txt") == "mine\n"


def test_a_branch_of_the_agents_own_naming_is_taken(zoo: Zoo) -> None:
    assert zoo.rows["renames"]["branch"] == "my-own/name"
    assert "other.txt" in zoo.project.remote.read("my-own/name", "")


def test_success_with_nothing_pushed_is_told(zoo: Zoo) -> None:
    assert (zoo.rows["idle"]["status"], zoo.rows["idle"]["branch"]) == ("handed-off", "orch/demo/idle")
    assert "idle: it says success but pushed nothing." in zoo.project.attention()


def test_a_reply_without_headings_is_handed_off_with_a_note_and_a_postmortem(zoo: Zoo) -> None:
    assert zoo.rows["prose"]["status"] == "handed-off"
    assert zoo.note("prose") == "the reply has none of the handoff's headings"
    assert (zoo.project.workspace / "handoffs" / "prose-finished-no-handoff.md").exists()
    assert zoo.project.remote.read(zoo.rows["prose"]["branch"], "prose.txt") == "text\n"


def test_an_agent_sees_what_was_passed_and_nothing_else_of_the_environment(zoo: Zoo) -> None:
    seen = (zoo.project.folder / "seen").read_text().splitlines()

    assert f"SERVICE_TOKEN={SECRET}" in seen
    assert "ORCHESTRATE_TASK=looks" in seen
    assert "not for agents" not in "\n".join(seen)
    assert "key-of-the-user" not in "\n".join(seen)
    assert not any(line.startswith(("NOT_SET_ANYWHERE", "XDG_STATE_HOME", "PYTHONPATH")) for line in seen)


def test_a_passed_value_is_in_no_file_that_is_shown(zoo: Zoo) -> None:
    shown = [path for path in zoo.project.workspace.rglob("*") if path.is_file() and path.parent.name != "raw"]

    assert [path.name for path in shown if SECRET.encode() in path.read_bytes()] == []
    assert SECRET not in zoo.done.out + zoo.done.err
    assert "the token is " in zoo.project.file("handoffs/leaks.md")


def test_what_an_agent_left_running_is_ended_with_it(zoo: Zoo) -> None:
    child = int((zoo.project.folder / "child").read_text())

    assert b"sleep\x00" not in _command_line(child)


def test_control_characters_of_a_goal_reach_the_agent_and_not_the_terminal(zoo: Zoo) -> None:
    assert "ünïcödé \U0001f600" in zoo.project.prompt("works")
    assert "\x1b" not in zoo.done.err
    assert "\x07" not in zoo.done.err


def test_the_longest_name_works(zoo: Zoo) -> None:
    assert len(LONG_NAME) == 64
    assert zoo.rows[LONG_NAME]["status"] == "handed-off"
    assert zoo.project.file(f"handoffs/{LONG_NAME}.md").startswith("<!-- orchestrate handoff\n")


def test_files_are_private(zoo: Zoo) -> None:
    ours = [path for path in zoo.project.workspace.rglob("*") if path.name != "plan.json"]

    assert {oct(path.stat().st_mode & 0o777) for path in ours if path.is_file()} == {"0o600"}
    assert {oct(path.stat().st_mode & 0o777) for path in ours if path.is_dir()} == {"0o700"}


def test_every_good_one_is_handed_off(zoo: Zoo) -> None:
    assert {name: zoo.rows[name]["status"] for name in GOOD} == dict.fromkeys(GOOD, "handed-off")


def test_a_prompt_may_come_in_a_file(project: Project) -> None:
    project.agent("reads", "cp \"$ORCHESTRATE_PROMPT_FILE\" $here/told; handoff success '(none)'")
    agent = {"command": project.agent_command, "promptVia": "file"}
    project.write_plan(task("reads", scopedGoal="count the stars"), runtime={"kind": "local", "agent": agent})

    done = project.run()

    assert done.code == 0, done.said
    assert "count the stars" in (project.folder / "told").read_text()
    assert project.prompt("reads") == ""


def test_the_programs_own_time_limit_ends_it_and_says_so(project: Project) -> None:
    project.agent("endless", "exec sleep 1000")
    agent = {"command": project.agent_command, "timeoutSec": 0.5}
    project.write_plan(task("endless"), runtime={"kind": "local", "agent": agent})

    done = project.run()

    row = project.rows()["endless"]
    assert (done.code, row["status"]) == (1, "error"), done.said
    assert row["note"] == "the agent program ran longer than its timeoutSec and was ended"


def _branch_in(postmortem: str) -> str:
    return next(word.strip("`.,") for word in postmortem.split() if word.strip("`").startswith("cursor/"))


def _command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except FileNotFoundError:
        return b""
