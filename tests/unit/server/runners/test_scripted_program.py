import json
import subprocess
import sys

import pytest

from orchestrate.server.runners import scripted_program
from tests.support.repositories import git


def run(script, *, at, prompt=""):
    argv = [sys.executable, "-I", scripted_program.__file__, json.dumps(script)]
    return subprocess.run(argv, cwd=at, input=prompt.encode(), capture_output=True, check=False)


@pytest.fixture
def repository(tmp_path):
    git("init", "--quiet", "--initial-branch=main", ".", at=tmp_path)
    git("config", "user.name", "Test", at=tmp_path)
    git("config", "user.email", "test@example.com", at=tmp_path)
    git("commit", "--quiet", "--allow-empty", "--message", "begin", at=tmp_path)
    return tmp_path


def test_files_are_written_and_deleted(tmp_path):
    run(
        [{"write": {"path": "a/b.txt", "text": "x"}}, {"write": {"path": "c", "text": ""}}, {"delete": "c"}],
        at=tmp_path,
    )

    assert (tmp_path / "a" / "b.txt").read_text() == "x"
    assert not (tmp_path / "c").exists()


def test_texts_are_filled_in(repository):
    done = run([{"print": "{branch} {prompt} {agent}|"}, {"log": "{branch}"}], at=repository, prompt="told")

    assert (done.stdout, done.stderr) == (b"main told |", b"main\n")


def test_branches_are_made_and_merged(repository):
    git("remote", "add", "origin", ".", at=repository)
    script = [{"checkout": "side"}, {"write": {"path": "f", "text": "1"}}, {"commit": "one"}]
    onward = [{"checkout": {"name": "other", "from": "main"}}, {"merge": "side"}, {"print": "{branch}"}]

    assert run([*script, *onward], at=repository).stdout == b"other"
    assert (repository / "f").read_text() == "1"


def test_a_program_that_fails_ends_the_script_with_its_status(tmp_path):
    done = run([{"run": [sys.executable, "-c", "import sys; print('out'); sys.exit(4)"]}, {"print": "no"}], at=tmp_path)

    assert (done.returncode, done.stdout, done.stderr) == (4, b"", b"out\n")


def test_a_script_may_end_early_or_die(tmp_path):
    assert run([{"exit": 5}, {"print": "no"}], at=tmp_path).returncode == 5
    assert run([{"signal": 15}], at=tmp_path).returncode == -15


def test_bytes_and_repetitions_are_printed(tmp_path):
    assert run([{"printBytes": "ff00"}, {"repeat": {"text": "ab", "times": 2}}], at=tmp_path).stdout == b"\xff\x00abab"
