"""Several real processes at one workspace."""

import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from orchestrate.store.files import Folder
from orchestrate.store.loading import read_workspace
from orchestrate.store.lock import living_holder, read_holder
from tests.support.engine_process import text_of
from tests.support.records import NOW, ROOT_SLUG

PROJECT = Path(__file__).parents[2]


@contextmanager
def engine(path, mode, number=0):
    argv = [sys.executable, "-m", "tests.support.engine_process", str(path), mode, str(number)]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=PROJECT) as process:
        try:
            yield process
        finally:
            process.kill()


def go(process):
    process.stdin.write("go\n")
    process.stdin.flush()


def started(process):
    go(process)
    return process.stdout.readline().strip()


def test_of_engines_that_start_at_once_one_runs(tmp_path):
    with engine(tmp_path, "hold") as a, engine(tmp_path, "hold") as b, engine(tmp_path, "hold") as c:
        engines = [a, b, c]
        for each in engines:
            go(each)
        answers = [each.stdout.readline().strip() for each in engines]

        holder = engines[answers.index("held")]
        refusals = [answer for answer in answers if answer != "held"]
        assert len(refusals) == 2
        for refusal in refusals:
            assert refusal.startswith(f"refused an engine already runs this workspace (pid {holder.pid}, since ")


def test_an_orderly_end_frees_the_lock(tmp_path):
    with engine(tmp_path, "hold") as process:
        assert started(process) == "held"
        assert living_holder(Folder(tmp_path), now=NOW).pid == process.pid
        process.stdin.close()
        assert process.stdout.readline().strip() == "released"
    assert read_holder(Folder(tmp_path)) is None


def test_a_killed_engine_frees_the_lock(tmp_path):
    with engine(tmp_path, "hold") as process:
        assert started(process) == "held"
        process.kill()
        process.wait()

    assert read_holder(Folder(tmp_path)).pid == process.pid
    assert living_holder(Folder(tmp_path), now=NOW) is None
    with engine(tmp_path, "hold") as second:
        assert started(second) == "held"


def test_what_was_durable_survives_any_number_of_kills(tmp_path):
    durable = 0
    for _ in range(4):
        with engine(tmp_path, "append") as process:
            assert started(process) == "held"
            for _ in range(20):
                durable = int(process.stdout.readline())
            process.kill()
            durable = max([durable, *map(int, process.stdout.read().split())])

        loaded = read_workspace(tmp_path, root_slug=ROOT_SLUG)
        assert loaded.journal_seq in (durable, durable + 1)
        for name, each in loaded.rows.items():
            assert each.attempts > loaded.journal_seq - 5, name


@pytest.mark.parametrize("lines", [1, 7, 40, 200, 333])
def test_every_save_that_returned_is_whole_after_a_kill_and_no_file_is_torn(tmp_path, lines):
    with engine(tmp_path, "attempts") as process:
        assert started(process) == "held"
        named = [process.stdout.readline().split() for _ in range(lines)]
        process.kill()
        named += [line.split() for line in process.stdout.read().splitlines(keepends=True) if line.endswith("\n")]

    for kind, task in named:
        for name in saved_under(task, kind):
            assert (tmp_path / name).exists(), (kind, task, name)
    for path in tmp_path.glob("*/**/*"):
        if path.is_file():
            assert path.read_bytes() == text_of(path.name.split(".")[0], kind_of(path.parent.name)), path


def saved_under(task, kind):
    if kind == "request":
        return [f"requests/{task}.1.json"]
    return [f"raw/{task}.1.md", f"handoffs/attempts/{task}.1.md", f"handoffs/{task}.md"]


def kind_of(folder):
    return {"requests": "request", "raw": "raw", "attempts": "handoff", "handoffs": "handoff"}[folder]


def test_readers_see_a_whole_state_that_only_goes_forward(tmp_path):
    with engine(tmp_path, "few", 300) as process:
        assert started(process) == "held"
        seen = [0]
        while seen[-1] < 300:
            loaded = read_workspace(tmp_path, root_slug=ROOT_SLUG)
            assert sorted(each.attempts for each in loaded.rows.values()) == list(
                range(max(loaded.journal_seq - 4, 1), loaded.journal_seq + 1)
            )
            seen.append(loaded.journal_seq)
        assert seen == sorted(seen)


@pytest.mark.parametrize("limit", [20_000, 20_001, 20_337])
def test_a_full_disk_takes_whole_records_only(tmp_path, limit):
    with engine(tmp_path, "limited", limit) as process:
        assert started(process) == "held"
        *numbers, failure, released = process.stdout.read().splitlines()

    assert failure.startswith(f"failed {tmp_path}/journal.jsonl: file too large | raise the limit")
    assert released == "released"
    data = (tmp_path / "journal.jsonl").read_bytes()
    assert data.endswith(b"}\n")
    assert len(data) <= limit
    assert read_workspace(tmp_path).journal_seq == int(numbers[-1])
