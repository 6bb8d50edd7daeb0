"""Planners below planners, as the example has them: real engines in real clones, one server, real git."""

import json
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest

from orchestrate.cloud.client import CloudClient
from orchestrate.model.vocabulary import HandoffStatus, TaskType
from orchestrate.model.wire import METADATA_DEPTH, METADATA_PARENT, METADATA_TASK
from orchestrate.server.discovery import read_server_file
from orchestrate.text.handoffs import parse_handoff
from tests.support.repositories import Remote
from tests.support.runs import SOURCES, Machine, machine

__all__ = ["machine"]

pytestmark = pytest.mark.slow

OUTLINE = "- weather\n- camp\n  - shelter\n  - fire\n    - tinder\n    - rain\n"


@dataclass(frozen=True)
class Grown:
    """The example after its run."""

    folder: Path
    code: int
    said: str

    @property
    def workspace(self) -> Path:
        return self.folder / "project/.orchestrate/guide"

    @property
    def remote(self) -> Remote:
        return Remote(self.folder / "remote.git")

    @property
    def handoff(self) -> str:
        return (self.workspace / "handoffs/field-guide.md").read_text()

    @property
    def row(self) -> dict:
        """The root plan's only task."""
        (row,) = json.loads((self.workspace / "state.json").read_bytes())["tasks"]
        return row

    def child_rows(self, task: str) -> dict[str, dict]:
        """The rows of a subplanner's own workspace, from the branch that it keeps them on."""
        (branch,) = [name for name in self.remote.heads() if name.startswith(f"cursor/{task}-")]
        state = json.loads(self.remote.read(branch, f".orchestrate/{task}/state.json"))
        return {row["name"]: row for row in state["tasks"]}


def grow(machine: Machine, folder: Path, outline: str) -> Grown:
    (folder / "outline.md").write_text(outline)
    words = ["--dir", str(folder / "example"), "--outline", str(folder / "outline.md")]
    done = subprocess.run(
        [sys.executable, str(SOURCES / "examples/recursion/run.py"), *words],
        cwd=folder,
        env=machine.environment({}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return Grown(folder / "example", done.returncode, f"{done.stdout}\n{done.stderr}")


@pytest.fixture(scope="module")
def grown(machine: Machine, tmp_path_factory: pytest.TempPathFactory) -> Grown:
    return grow(machine, tmp_path_factory.mktemp("recursion"), OUTLINE)


def agents_of(machine: Machine) -> list[dict[str, str]]:
    """The metadata of every agent of the server, with its id under ``id``."""
    server = read_server_file(machine.server_folder)
    assert server is not None

    async def listed() -> list[dict[str, str]]:
        async with CloudClient(base_url=server.endpoint.url, api_key=server.endpoint.token) as client:
            return [{**(each.metadata or {}), "id": each.id} async for each in client.list_agents()]

    return anyio.run(listed)


def test_planners_plan_for_planners_to_the_fourth_level(grown: Grown, machine: Machine) -> None:
    assert grown.code == 0, grown.said

    agents = agents_of(machine)

    assert Counter(agent[METADATA_DEPTH] for agent in agents) == {"1": 1, "2": 3, "3": 3, "4": 3}


def test_every_agent_has_its_planner_as_its_parent(grown: Grown, machine: Machine) -> None:
    agents = agents_of(machine)
    tasks = {agent["id"]: agent[METADATA_TASK] for agent in agents}

    launched_by = {(agent[METADATA_TASK], tasks.get(agent.get(METADATA_PARENT, ""))) for agent in agents}

    assert launched_by == {
        ("field-guide", None),
        *((task, "field-guide") for task in ("weather", "camp", "merge-pages")),
        *((task, "camp") for task in ("shelter", "fire", "merge-pages")),
        *((task, "fire") for task in ("tinder", "rain", "merge-pages")),
    }


def test_the_rows_of_each_level_say_who_launched_them(grown: Grown) -> None:
    top = grown.child_rows("field-guide")
    camp = grown.child_rows("camp")
    fire = grown.child_rows("fire")

    assert {row["parentAgentId"] for row in top.values()} == {grown.row["agentId"]}
    assert {row["parentAgentId"] for row in camp.values()} == {top["camp"]["agentId"]}
    assert {row["parentAgentId"] for row in fire.values()} == {camp["fire"]["agentId"]}
    assert {row["status"] for row in (*top.values(), *camp.values(), *fire.values())} == {"handed-off"}


def test_the_handoffs_of_all_levels_arrive_at_the_top(grown: Grown) -> None:
    handoff = parse_handoff(grown.handoff, task_type=TaskType.SUBPLANNER)

    assert handoff.status is HandoffStatus.SUCCESS
    assert "    - rain: Wrote `guide/camp/fire/rain.md`." in grown.handoff
    assert grown.handoff.count("Wrote `guide/") == 4


def test_the_branch_of_the_top_holds_the_work_of_every_level(grown: Grown) -> None:
    pages = ("weather", "camp/shelter", "camp/fire/tinder", "camp/fire/rain")

    assert [grown.remote.read(grown.row["branch"], f"guide/{page}.md")[:2] for page in pages] == ["# "] * 4
    assert "guide/" not in grown.remote.read("main", "README.md")


def test_what_cannot_be_done_below_is_told_above(machine: Machine, tmp_path: Path) -> None:
    grown = grow(machine, tmp_path, "- weather\n- camp\n  - merge-pages\n")

    assert grown.code == 0, grown.said
    assert grown.row["handoffStatus"] == "partial"
    assert "- camp: blocked" in grown.handoff
    assert "- weather: Wrote `guide/weather.md`." in grown.handoff
    assert "(no branch)" in grown.handoff
