"""A whole engine on ports in memory, under virtual time; agents behave as a test tells them.

::

    room = EngineRoom(a_plan("a", a_task("b", depends_on=("a",))))
    room.agents["a"] = ends_after(60, branch="cursor/a")
    assert room.run() == 0
"""

import anyio
from immutables import Map

from orchestrate.core.changes import Session, Settings
from orchestrate.core.state import State
from orchestrate.engine.assembly import Outside, Pace, Start, assemble
from orchestrate.engine.requests import RequestOptions
from orchestrate.model.names import EngineId, TaskName
from orchestrate.model.rows import Workspace
from orchestrate.model.vocabulary import RunStatus
from orchestrate.model.wire import METADATA_TASK
from orchestrate.shipped import shipped
from orchestrate.text.redaction import Redactor
from orchestrate.text.templates import TEMPLATE_NAMES, Templates
from tests.support import virtual_time
from tests.support.agent_service import FakeAgentService
from tests.support.builders import WORKSPACE
from tests.support.memory_store import MemoryArchive, MemoryLedger, RecordingSurface

HANDOFF = "## Status\nsuccess\n\n## Branch\n`{branch}`\n\n## Verification\nunit-test-verified\n"


def handoff(branch="(no branch)"):
    return HANDOFF.format(branch=branch)


def ends_after(seconds, *, status=RunStatus.FINISHED, branch="(no branch)", reply=None, **fields):
    """An agent that ends its run after so many seconds."""

    async def behave(service, agent_id):
        await anyio.sleep(seconds)
        if not service.latest_run(agent_id).status.is_terminal:
            service.end_run(agent_id, status, result=handoff(branch) if reply is None else reply, **fields)

    return behave


async def never_ends(service, agent_id):
    await anyio.sleep_forever()


class EngineRoom:
    def __init__(self, plan, *, max_concurrent=8, drain=False, max_runtime_seconds=None, pace=None):
        self.plan = plan
        self.settings = Settings(max_concurrent, drain=drain, max_runtime_seconds=max_runtime_seconds)
        self.pace = pace or Pace()
        self.service = FakeAgentService(on_create=self._on_create)
        self.ledger = MemoryLedger()
        self.archive = MemoryArchive()
        self.surface = RecordingSurface()
        #: Behaviour of each task's agent; without one it ends at once.
        self.agents = {}
        #: Called with the room when the run begins: where a test schedules what happens meanwhile.
        self.meanwhile = None
        self.engine = None
        self.rows = {}
        self._tasks = None

    @property
    def state(self):
        return self.engine.state

    @property
    def attention(self):
        return self.surface.attention

    def run(self):
        """One engine's life; answers its exit code."""
        return self.lives(1)[0]

    def lives(self, count):
        """So many engines in the same workspace, one after the other; answers their exit codes."""

        async def live():
            codes = []
            async with anyio.create_task_group() as self._tasks:
                for _ in range(count):
                    codes.append(await self._live())
                    self.rows = dict(self.state.rows.items())
                self._tasks.cancel_scope.cancel()
            return codes

        return virtual_time.run(live)

    async def _live(self):
        clock = virtual_time.LoopClock()
        workspace = Workspace(WORKSPACE, self.plan.root_slug)
        state = State(workspace=workspace, session=Session(self.settings), rows=Map(self.rows))
        start = Start(EngineId("engine"), state, len(self.ledger.records), self.plan, is_first=not self.rows)
        self.engine = assemble(
            start,
            outside=Outside(self.service, self.ledger, self.archive, clock, self.surface),
            request_options=RequestOptions(repo_url=self.plan.repo_url),
            templates=_templates(),
            redactor=Redactor(["a-very-secret-value"]),
            pace=self.pace,
        )
        if self.meanwhile is not None:
            self._tasks.start_soon(self.meanwhile, self)
        return await self.engine.run()

    def _on_create(self, created):
        task = created.agent.metadata[METADATA_TASK]
        behave = self.agents.get(TaskName(task), ends_after(0, branch=f"cursor/{task}"))
        self._tasks.start_soon(behave, self.service, created.agent.id)


def _templates():
    folder = shipped("templates")
    return Templates({name: (folder / name).read_text(encoding="utf-8") for name in TEMPLATE_NAMES})
