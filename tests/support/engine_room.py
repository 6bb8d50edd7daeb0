"""A whole engine on ports in memory, under virtual time; agents behave as a test tells them.

::

    room = EngineRoom(a_plan("a", a_task("b", depends_on=("a",))))
    room.agents["a"] = ends_after(60, branch="cursor/a")
    assert room.run() == 0

What goes wrong meanwhile is scheduled beside the first life::

    @room.meanwhile
    async def _():
        await anyio.sleep(30)
        room.crash()

    assert room.lives(2) == [None, 0]
"""

import anyio
from immutables import Map

from orchestrate.core.changes import Session, Settings
from orchestrate.core.events import StopReason
from orchestrate.core.state import State
from orchestrate.engine.assembly import Outside, Pace, Start, assemble
from orchestrate.engine.requests import RequestOptions
from orchestrate.model.names import EngineId, TaskName
from orchestrate.model.rows import Workspace
from orchestrate.model.vocabulary import RunStatus
from orchestrate.model.wire import METADATA_TASK, CreateAgent, Prompt
from orchestrate.shipped import shipped
from orchestrate.text.redaction import Redactor
from orchestrate.text.templates import TEMPLATE_NAMES, Templates
from tests.support import virtual_time
from tests.support.agent_service import FakeAgentService
from tests.support.builders import WORKSPACE, agent_of
from tests.support.memory_store import (
    MemoryArchive,
    MemoryBench,
    MemoryDifferences,
    MemoryHeads,
    MemoryLedger,
    MemoryPlanFile,
    MemoryRequests,
    RecordingSurface,
)

#: A value that the engine knows to be secret.
SECRET = "a-very-secret-value"
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


class TroubledService(FakeAgentService):
    """The fake with a memory for moments and bodies, and with trouble that lasts."""

    def __init__(self, **options):
        super().__init__(**options)
        #: Asked before each call, by its name and what it is about: the error it meets, or None.
        self.trouble = lambda call, about: None
        #: Key and bytes of every create request that left.
        self.sent = []
        #: Name and moment of every call.
        self.moments = []

    async def create_agent(self, body, *, key):
        self.sent.append((key, body))
        return await super().create_agent(body, key=key)

    async def _call(self, name, about, carry_out):
        self.moments.append((name, virtual_time.LoopClock().monotonic()))
        error = self.trouble(name, about)
        if error is not None:
            self.calls.append((name, about))
            raise error
        return await super()._call(name, about, carry_out)

    def count(self, call):
        """How often this was asked."""
        return [name for name, _ in self.calls].count(call)


class EngineRoom:
    def __init__(self, plan, *, max_concurrent=8, drain=False, max_runtime_seconds=None, pace=None, answers_only=False):
        self.plan = plan
        self.settings = Settings(
            max_concurrent, drain=drain, max_runtime_seconds=max_runtime_seconds, answers_only=answers_only
        )
        self.pace = pace or Pace()
        self.service = TroubledService(on_create=self._on_create)
        self.ledger = MemoryLedger()
        self.archive = MemoryArchive()
        self.surface = RecordingSurface()
        self.requests = MemoryRequests(self.archive)
        self.differences = MemoryDifferences()
        self.plan_file = MemoryPlanFile(plan)
        self.heads = MemoryHeads()
        self.bench = MemoryBench()
        #: Where others see the state; None where nobody does.
        self.showing = None
        #: The andon of the tree; None where there is only this workspace's own.
        self.cord = None
        #: What a kill from elsewhere shows; None where nothing is kept on git.
        self.tombstone = None
        self.is_andon_strict = False
        #: Behaviour of each task's agent; without one it ends at once.
        self.agents = {}
        self.templates = template_sources()
        #: How long each life took that was not ended by a crash.
        self.seconds = []
        self.engine = None
        self._meanwhile = []
        self._agents = None
        self._beside = None
        self._life = None

    @property
    def state(self):
        return self.engine.state

    @property
    def attention(self):
        return self.surface.attention

    @property
    def rows(self):
        """What the journal says, and so the next engine."""
        return {row.name: row for record in self.ledger.records for row in record.rows}

    def meanwhile(self, happens):
        """Have this coroutine function run beside the first life."""
        self._meanwhile.append(happens)
        return happens

    def interrupt(self):
        """What the first Ctrl-C does, and the second."""
        self.engine.stop(StopReason.INTERRUPT)

    def crash(self):
        """Nothing more is done or written in this life."""
        self._life.cancel()

    def agent_id(self, task):
        """The id of the task's agent, as the row has it."""
        return self.state.rows[TaskName(task)].agent_id

    def run(self):
        """One engine's life; answers its exit code."""
        return self.lives(1)[0]

    def lives(self, count):
        """So many engines in the same workspace, one after the other; answers their exit codes, None after a crash."""

        async def live():
            async with anyio.create_task_group() as self._agents:
                async with anyio.create_task_group() as self._beside:
                    codes = [await self._live() for _ in range(count)]
                self._agents.cancel_scope.cancel()
            return codes

        return virtual_time.run(live)

    async def _live(self):
        rows, clock = self.rows, virtual_time.LoopClock()
        known = [record.workspace for record in self.ledger.records if record.workspace is not None]
        workspace = known[-1] if known else Workspace(WORKSPACE, self.plan.root_slug)
        state = State(workspace=workspace, session=Session(self.settings), rows=Map(rows))
        self.engine = assemble(
            Start(EngineId("engine"), state, len(self.ledger.records), self.plan, is_first=not rows),
            outside=Outside(
                self.service,
                self.ledger,
                self.archive,
                clock,
                self.surface,
                self.requests,
                self.differences,
                self.heads,
                self.bench,
                self.plan_file,
                showing=self.showing,
                cord=self.cord,
                tombstone=self.tombstone,
                is_andon_strict=self.is_andon_strict,
            ),
            request_options=RequestOptions(repo_url=self.plan.repo_url),
            templates=Templates(self.templates),
            redactor=Redactor([SECRET]),
            pace=self.pace,
        )
        while self._meanwhile:
            self._beside.start_soon(self._meanwhile.pop())
        began_at = clock.monotonic()
        with anyio.CancelScope() as self._life:
            exit_code = await self.engine.run()
            self.seconds.append(clock.monotonic() - began_at)
            return exit_code
        return None

    def _on_create(self, created):
        task = (created.agent.metadata or {}).get(METADATA_TASK)
        if task is None:
            return  # not one of this plan's agents
        behave = self.agents.get(TaskName(task), ends_after(0, branch=f"cursor/{task}"))
        self._agents.start_soon(behave, self.service, created.agent.id)


def request_body(task="a", **fields):
    """The smallest create request of a task."""
    request = CreateAgent(agent_id=agent_of(task), prompt=Prompt(text="work"), **fields)
    return request.model_dump_json(by_alias=True, exclude_none=True).encode()


def templates():
    """The shipped ones."""
    return Templates(template_sources())


def template_sources():
    """Their text by name."""
    folder = shipped("templates")
    return {name: (folder / name).read_text(encoding="utf-8") for name in TEMPLATE_NAMES}
