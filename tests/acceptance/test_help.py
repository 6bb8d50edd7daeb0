import re
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrate.cli.verbs import HIDDEN, VERBS
from tests.support.command_line import orchestrate

#: Users expect these at once; loading them would be felt.
HEAVY = ("networkx", "httpx", "jinja2", "pydantic", "starlette", "uvicorn", "wcwidth")


def test_help_begins_with_examples_and_lists_every_verb(tmp_path):
    done = orchestrate("--help", cwd=tmp_path)
    assert done.code == 0
    assert done.out.index("quickstart") < done.out.index("\nrun: ")
    assert all(re.search(rf"^  {verb.name} ", done.out, re.MULTILINE) for verb in VERBS if verb.group != HIDDEN)


@pytest.mark.parametrize("name", [verb.name for verb in VERBS])
def test_every_verb_explains_itself_in_both_ways(name, tmp_path):
    first, second = orchestrate("help", name, cwd=tmp_path), orchestrate(name, "-h", cwd=tmp_path)
    assert first == second
    assert first.code == 0


def test_run_lists_its_exit_codes(tmp_path):
    out = orchestrate("help", "run", cwd=tmp_path).out
    assert all(re.search(rf"^  {code} ", out, re.MULTILINE) for code in (0, 1, 2, 100, 130))


def test_a_typing_error_names_the_nearest_verb_and_does_nothing(tmp_path):
    done = orchestrate("valdate", cwd=tmp_path)
    assert done.code == 2
    assert done.err.startswith('error: there is no verb "valdate". Nothing was done.\n')
    assert done.err.rstrip().endswith("validate")


def test_help_loads_nothing_heavy(tmp_path):
    assert loaded("--help", cwd=tmp_path) == []


def test_status_loads_nothing_heavy(tmp_path):
    (tmp_path / "plan.json").write_text('{"rootSlug": "shop", "tasks": [{"name": "a"}]}')
    assert loaded("status", cwd=tmp_path) == []


def test_a_closed_pipe_ends_quietly(tmp_path):
    command = f"{sys.executable} -m orchestrate --help | head -n 0"
    done = subprocess.run(command, shell=True, cwd=tmp_path, env=_environment(), capture_output=True, check=False)
    assert done.stderr == b""


def test_the_text_fits_where_it_is_read(tmp_path):
    text = orchestrate("--help", cwd=tmp_path).out
    assert max(map(len, text.splitlines())) <= 80


def loaded(*words: str, cwd: Path) -> list[str]:
    code = (
        "import sys; from orchestrate.cli.main import main; main(sys.argv[1:]);"
        f"print(*[name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=cwd, env=_environment(), capture_output=True, text=True, check=True
    )
    return done.stderr.split()


def _environment() -> dict[str, str]:
    return {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(Path(__file__).parents[2]), "PYTHONUTF8": "1"}
