"""The verbs that look, as a user types them: on workspaces of every shape, on every screen, and without a trace."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrate.cli.main import main
from orchestrate.model.names import EngineId
from orchestrate.model.records import Record, encode_record
from orchestrate.model.vocabulary import FailureMode, TaskStatus, TaskType
from orchestrate.store.files import Folder
from orchestrate.store.lock import WorkspaceLock
from orchestrate.system import SystemClock
from tests.support.builders import a_handed_off_row, a_row, a_running_row, a_task, a_verifier, moment
from tests.support.command_line import Ended, orchestrate
from tests.support.workspaces import a_plan_document, write_journal, write_plan, write_state

CORPUS = sorted((Path(__file__).parents[1] / "corpus" / "states").glob("*.json"))
LOOKING = (
    ("list",),
    ("tree",),
    ("tree", "--all"),
    ("graph",),
    ("graph", "--format", "mermaid"),
    ("graph", "--format", "dot"),
    ("graph", "--format", "svg"),
    ("timeline",),
    ("watch",),
)
#: Forms that are read by programs: glyphs and width are not the terminal's.
_FOR_PROGRAMS = ("mermaid", "dot", "svg")
#: What nobody should wait for who only looks; widths of foreign letters, which are in these rows, need wcwidth.
HEAVY = ("networkx", "httpx", "jinja2", "pydantic", "starlette", "uvicorn", "immutables")
NASTY = "\x1b]0;owned\x07 \u202e </text><script> `; rm -rf` " + "word " * 30

ROWS = (
    a_handed_off_row("api-schema", finished_at=moment(370), branch=f"cursor/x {NASTY}"),
    a_running_row("migrate", type=TaskType.SUBPLANNER, started_at=moment(60)),
    a_running_row(
        "merge", status=TaskStatus.ERROR, failure_mode=FailureMode.OOM, note=NASTY, depends_on=("api-schema",)
    ),
    a_running_row("quiet", stalled_since=moment(90), url="javascript:alert(1)"),
    a_row("verify-merge", type=TaskType.VERIFIER, depends_on=("merge",)),
)


@pytest.fixture
def look(tmp_path, monkeypatch, capsys):
    """One command line in this process: there are hundreds of them here."""
    monkeypatch.chdir(tmp_path)
    for name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)

    def ask(*words: str) -> Ended:
        code = main(words)
        said = capsys.readouterr()
        return Ended(code, said.out, said.err)

    return ask


@pytest.fixture
def workspace(tmp_path) -> Path:
    folder = tmp_path / ".orchestrate" / "shop"
    tasks = (a_task("api-schema"), a_task("migrate", type="subplanner"), a_task("merge", depends_on=("api-schema",)))
    write_plan(folder, a_plan_document(*tasks, a_task("quiet"), a_verifier("verify-merge", "merge")))
    write_state(folder, ROWS)
    write_journal(folder, [Record(1, EngineId("e"), moment(), {"type": "PlanRead"}, rows=ROWS)])
    return folder


def stories(folder: Path) -> list[tuple[str, ...]]:
    names = [task["name"] for task in json.loads((folder / "state.json").read_bytes())["tasks"]]
    return [("story", ".", name) for name in names] + [("story", ".", names[0], "-v")]


@pytest.mark.parametrize("state", CORPUS, ids=lambda path: path.stem)
def test_a_workspace_of_another_tool_can_be_looked_at(tmp_path, look, state):
    (tmp_path / "state.json").write_bytes(state.read_bytes())
    for words in (*LOOKING, *stories(tmp_path)):
        done = look(*words)
        assert done.code == 0 or words == ("watch",), (words, done)
        assert done.out, words
        assert done.err == "", words
    assert [path.name for path in tmp_path.iterdir()] == ["state.json"]


@pytest.mark.parametrize("state", CORPUS, ids=lambda path: path.stem)
def test_and_read_by_programs(tmp_path, look, state):
    (tmp_path / "state.json").write_bytes(state.read_bytes())
    for words in (*LOOKING, *stories(tmp_path)):
        if words[-1] != "-v":
            found = the_object(look(*words, "--json").out)
            assert found["operation"] == words[0]
            assert None not in found.values()


def test_looking_leaves_no_trace(workspace, tmp_path, look):
    before = fingerprint(tmp_path)
    for words in (*LOOKING, *stories(workspace)):
        look(*words)
    assert fingerprint(tmp_path) == before


def test_looking_disturbs_no_engine(workspace, look):
    lock = WorkspaceLock(Folder(workspace), engine=EngineId("e"))
    lock.acquire(SystemClock().now())
    try:
        assert "engine running, pid " in look("tree").out
        for words in LOOKING[:-1]:
            assert look(*words).code == 0
        for verb in ("list", "tree", "graph", "timeline"):
            assert the_object(look(verb, "--json").out)["engine"]["running"] is True
    finally:
        lock.release()


@pytest.mark.parametrize("columns", ["80", "100", "120"])
def test_screens_fit_and_foreign_text_steers_nothing(workspace, look, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    for words in (*LOOKING, *stories(workspace)):
        done = look(*words)
        assert not {"\x1b", "\x07", "\u202e"} & set(done.out), words
        if words[-1] not in _FOR_PROGRAMS:
            wide = [line for line in done.out.splitlines() if len(line) > int(columns)]
            assert all("orchestrate " in line for line in wide), (words, wide)


def test_screens_are_plain_ascii_where_they_must(workspace, look):
    for words in (*LOOKING, *stories(workspace)):
        if words[-1] not in _FOR_PROGRAMS:
            done = look(*words, "--plain")
            assert done.out.isascii(), words


def test_colour_is_there_when_it_is_asked_for(workspace, look):
    for words in (*LOOKING, *stories(workspace)):
        if words[-1] not in _FOR_PROGRAMS:
            assert "\x1b[" in look(*words, "--color", "always").out, words


@pytest.mark.parametrize("words", [*LOOKING, ("story", ".", "merge")], ids=" ".join)
def test_nothing_heavy_is_loaded(workspace, tmp_path, words):
    code = (
        "import sys; from orchestrate.cli.main import main; main(sys.argv[1:]);"
        f"print(*[name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(Path(__file__).parents[2]), "PYTHONUTF8": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stderr.split() == []


@pytest.mark.parametrize("words", [LOOKING[0], LOOKING[1], LOOKING[3], LOOKING[7]], ids=" ".join)
def test_a_terminal_without_unicode_gets_letters_that_it_has(workspace, tmp_path, words):
    ascii_only = {"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    out = orchestrate(*words, cwd=tmp_path, variables=ascii_only).out
    assert out.isascii()
    assert "?" not in out


@pytest.mark.parametrize("verb", ["list", "tree", "graph", "timeline", "watch"])
def test_what_cannot_be_trusted_is_one_clear_error(workspace, look, verb):
    (workspace / "state.json").write_text("[")
    done = look(verb)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: state.json")
    as_json = look(verb, "--json")
    assert json.loads(as_json.out)["ok"] is False
    assert as_json.code == (2 if verb == "watch" else 1)


def test_a_record_that_an_engine_is_writing_is_waited_for(workspace, look):
    whole = encode_record(Record(2, EngineId("e"), moment(5), {"type": "RunEnded", "task": "quiet"}), [])
    with (workspace / "journal.jsonl").open("ab") as file:
        file.write(whole[:40])
    for words in (*LOOKING, *stories(workspace)):
        assert look(*words).err == "", words


def test_ten_thousand_tasks_are_no_trouble(tmp_path, look):
    names = [f"t{place}" for place in range(10_000)]
    tasks = [a_task(name, depends_on=(f"t{place // 2}",) if place else ()) for place, name in enumerate(names)]
    write_plan(tmp_path, a_plan_document(*tasks))
    rows = [
        a_handed_off_row(name, depends_on=task["dependsOn"], finished_at=moment(9))
        for name, task in zip(names, tasks, strict=True)
    ]
    write_state(tmp_path, rows)
    write_journal(tmp_path, [Record(1, EngineId("e"), moment(9), {"type": "PlanRead"}, rows=tuple(rows))])
    heights = {words: len(look(*words).out.splitlines()) for words in LOOKING}
    assert heights[("list",)] == 10_002
    assert heights[("tree",)] == 2
    assert heights[("tree", "--all")] == 10_001
    assert heights[("timeline",)] < 210
    assert heights[("watch",)] < 60
    assert len(look("story", ".", "t4711").out.splitlines()) < 9


def the_object(text: str) -> dict:
    assert text.count("\n") == 1
    return json.loads(text)


def fingerprint(folder: Path) -> dict[str, tuple[str, int]]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path): (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns) for path in files}
