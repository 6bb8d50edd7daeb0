"""The quickstart as a newcomer has it: an installed wheel, an empty folder, no key."""

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.wheel import build_wheel, install_wheel

pytestmark = pytest.mark.slow


@dataclass(frozen=True, slots=True)
class Newcomer:
    """A home, a folder and an installation that nobody used before."""

    home: Path
    python: Path

    def types(self, line: str, *, ends_with: int = 0) -> str:
        """What the command line prints, both streams together."""
        done = subprocess.run(
            ["/bin/sh", "-c", line],
            cwd=self.home,
            env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.home), "LANG": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == ends_with, done.stdout
        return done.stdout

    def rows(self, folder: str) -> dict[str, dict[str, object]]:
        """The tasks of the example's state."""
        state = json.loads((self.home / folder / "project/.orchestrate/basket/state.json").read_bytes())
        return {row["name"]: row for row in state["tasks"]}

    def git(self, folder: str, arguments: str) -> str:
        """What git says of the example's remote."""
        return self.types(f"git -C {folder}/remote.git {arguments}")


@pytest.fixture(scope="module")
def newcomer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Newcomer]:
    folder = tmp_path_factory.mktemp("newcomer")
    python = install_wheel(build_wheel(folder), folder / "venv")
    home = folder / "home of a newcomer"
    home.mkdir()
    newcomer = Newcomer(home=home, python=python)
    try:
        yield newcomer
    finally:
        newcomer.types(f"{python} -m orchestrate server stop")


@pytest.fixture(scope="module")
def printed(newcomer: Newcomer) -> str:
    return newcomer.types(f"{newcomer.python} -m orchestrate quickstart")


def test_the_quickstart_fixes_adds_merges_and_verifies(newcomer: Newcomer, printed: str) -> None:
    rows = newcomer.rows("orchestrate-quickstart")

    assert {row["status"] for row in rows.values()} == {"handed-off"}
    assert rows["merge-basket"]["verification"] == "unit-test-verified"
    assert "orchestrate-quickstart" in printed


def test_the_merge_joins_the_real_branches(newcomer: Newcomer, printed: str) -> None:
    rows = newcomer.rows("orchestrate-quickstart")
    merged = rows["merge-basket"]["branch"]

    for name in ("fix-quantity", "add-receipt"):
        newcomer.git("orchestrate-quickstart", f"merge-base --is-ancestor {rows[name]['branch']} {merged}")
    newcomer.types(
        f"git clone -q -b {merged} orchestrate-quickstart/remote.git merged"
        f" && cd merged && {newcomer.python} -m unittest"
    )


def test_the_printed_command_can_be_typed_and_launches_nothing_again(newcomer: Newcomer, printed: str) -> None:
    (line,) = [line[2:] for line in printed.splitlines() if line.startswith("$ ")]
    before = newcomer.rows("orchestrate-quickstart")

    newcomer.types(line)

    after = newcomer.rows("orchestrate-quickstart")
    assert {name: row["attempts"] for name, row in after.items()} == {
        name: row["attempts"] for name, row in before.items()
    }
    assert " run " in line
    assert " --runtime local" in line


def test_the_lines_to_type_next_work(newcomer: Newcomer, printed: str) -> None:
    hints = dict(line.strip().split(maxsplit=1) for line in printed.splitlines()[-3:])

    assert list(hints) == ["look", "read", "yours"]
    assert "4 of 4 handed off" in newcomer.types(hints["look"])
    assert "unit-test-verified" in newcomer.types(hints["read"])
    assert '"On your repository"' in hints["yours"]


def test_it_works_twice_in_a_row_and_overwrites_nothing(newcomer: Newcomer, printed: str) -> None:
    first = newcomer.git("orchestrate-quickstart", "for-each-ref")

    newcomer.types(f"{newcomer.python} -m orchestrate quickstart")

    assert {row["status"] for row in newcomer.rows("orchestrate-quickstart-2").values()} == {"handed-off"}
    assert newcomer.git("orchestrate-quickstart", "for-each-ref") == first


def test_a_folder_in_use_is_refused_and_left_as_it_is(newcomer: Newcomer) -> None:
    (newcomer.home / "used").mkdir()
    (newcomer.home / "used" / "mine.txt").write_text("mine")

    printed = newcomer.types(f"{newcomer.python} -m orchestrate quickstart --dir used", ends_with=2)

    assert "is not empty. Nothing was made." in printed
    assert [path.name for path in (newcomer.home / "used").iterdir()] == ["mine.txt"]


def test_the_skill_comes_with_the_wheel(newcomer: Newcomer) -> None:
    newcomer.types(f"{newcomer.python} -m orchestrate skill install --dir skills")

    assert newcomer.types("head -2 skills/orchestrate/SKILL.md") == "---\nname: orchestrate\n"
    assert "planner.md" in newcomer.types("ls skills/orchestrate/references")
