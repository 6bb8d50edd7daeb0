"""Short builders of plans, rows, states and replies; what a test does not name is the plainest thing there is."""

from dataclasses import replace

from orchestrate.core.changes import RowChanged, Session, Settings
from orchestrate.core.events import Event, PlanRead, Reply
from orchestrate.core.machine import step
from orchestrate.core.ref_events import RefsSeen, SeenRef
from orchestrate.core.state import State, apply
from orchestrate.model.handoff import Handoff
from orchestrate.model.names import (
    AgentId,
    RunId,
    TaskName,
    Timestamp,
    WorkspaceId,
    agent_id_for,
    idempotency_key_for,
    placeholder_branch,
)
from orchestrate.model.plan import Plan
from orchestrate.model.rows import Charge, Launch, TaskRow, Workspace
from orchestrate.model.timestamps import to_timestamp
from orchestrate.model.vocabulary import HandoffStatus, TaskStatus, TaskType

WORKSPACE = WorkspaceId("11111111-1111-4111-8111-111111111111")
SLUG = "shop"
#: The moment at which every test's day begins.
START = 1_772_600_000.0


def moment(seconds: float = 0.0) -> Timestamp:
    """So many seconds after the start of the test's day."""
    return to_timestamp(START + seconds)


def a_task(name: str, *, depends_on: tuple[str, ...] = (), **fields: object) -> dict[str, object]:
    """A task as ``plan.json`` has it; a name like ``verify-x`` needs its ``type`` and ``verifies`` as any other."""
    return {"name": name, "type": "worker", "scopedGoal": f"{name} is done.", "dependsOn": list(depends_on), **fields}


def a_verifier(name: str, of: str, **fields: object) -> dict[str, object]:
    """A task that checks another one."""
    return a_task(name, type="verifier", verifies=of, **fields)


def a_plan(*tasks: str | dict[str, object], **fields: object) -> Plan:
    """A plan; a task that is only a name is a worker without dependencies."""
    document = {
        "goal": "Sell things.",
        "rootSlug": SLUG,
        "baseBranch": "main",
        "repoUrl": "https://git.example.org/team/shop.git",
        "tasks": [a_task(task) if isinstance(task, str) else task for task in tasks or ("a",)],
        **fields,
    }
    return Plan.model_validate(document)


def agent_of(task: str, attempt: int = 1) -> AgentId:
    """The agent id of a launch intent in the tests' workspace."""
    return agent_id_for(WORKSPACE, TaskName(task), attempt)


def run_of(task: str, attempt: int = 1) -> RunId:
    """A run id that is easy to tell from others."""
    return RunId(str(agent_of(task, attempt)).replace("bc-", "run-", 1))


def an_intent(task: str, *, attempt: int = 1, **fields: object) -> Launch:
    """The intent to launch a task's attempt."""
    key = idempotency_key_for(WORKSPACE, TaskName(task), attempt)
    return replace(Launch(agent_of(task, attempt), key, attempt, moment()), **fields)


def a_charge(task: str, *, attempt: int = 1, **fields: object) -> Charge:
    """What a worker's attempt set aside."""
    return replace(Charge(attempt, agent_of(task, attempt), TaskType.WORKER, 500.0), **fields)


def a_row(name: str = "a", **fields: object) -> TaskRow:
    """A row that waits for its launch."""
    row = TaskRow(
        name=TaskName(name),
        type=TaskType.WORKER,
        branch=placeholder_branch(SLUG, name, task_type=fields.get("type", TaskType.WORKER)),
        starting_ref="main",
        last_update=moment(),
    )
    return replace(row, **fields)


def a_launching_row(name: str = "a", *, attempt: int = 1, **fields: object) -> TaskRow:
    """A row whose launch has no answer yet."""
    intent = an_intent(name, attempt=attempt)
    launching = {"status": TaskStatus.RUNNING, "attempts": attempt, "started_at": moment(), "launch": intent}
    return a_row(name, **{**launching, **fields})


def a_running_row(name: str = "a", *, attempt: int = 1, **fields: object) -> TaskRow:
    """A row whose run is watched."""
    ids = {"agent_id": agent_of(name, attempt), "run_id": run_of(name, attempt)}
    return a_launching_row(name, attempt=attempt, **{**ids, **fields})


def a_handed_off_row(name: str = "a", **fields: object) -> TaskRow:
    """A row whose task is done, on a branch of the service's choosing."""
    done = {
        "status": TaskStatus.HANDED_OFF,
        "branch": f"cursor/{name}-1f2a",
        "handoff_path": f"handoffs/{name}.md",
        "handoff_status": HandoffStatus.SUCCESS,
        "result_status": "finished",
        "finished_at": moment(),
    }
    return a_running_row(name, **{**done, **fields})


def a_state(
    plan: Plan | None = None,
    *rows: TaskRow,
    settings: Settings | None = None,
    workspace: Workspace | None = None,
    first_events: tuple[Event, ...] = (),
) -> State:
    """The state after these rows were loaded and the plan was read; without a plan, before it was read."""
    state = an_unread_state(*rows, settings=settings, workspace=workspace)
    events = first_events if plan is None else (PlanRead(plan=plan, at=moment(), id="e0"), *first_events)
    for event in events:
        state, _ = step(state, event)
    return state


def an_unread_state(*rows: TaskRow, settings: Settings | None = None, workspace: Workspace | None = None) -> State:
    """What an engine has loaded before it reads the plan."""
    session = Session(settings or Settings(max_concurrent=8))
    empty = State(workspace=workspace or Workspace(WORKSPACE, SLUG), session=session)
    return apply(empty, [RowChanged(row) for row in rows])


def a_reply(task: str = "a", **handoff: object) -> Reply:
    """A well formed handoff on a pushed branch."""
    said = {"status": HandoffStatus.SUCCESS, "branch": f"cursor/{task}-1f2a", "structured": True, **handoff}
    return Reply(path=f"handoffs/{task}.md", digest="0" * 64, handoff=Handoff(**said))


def seen(task: str = "a", *, branch: str | None = None, sha: str | None = "5ea", **fields: object) -> RefsSeen:
    """The remote has the task's branch, at a commit; with ``sha=None`` it has it not."""
    about = {"attempt": 1, **{key: fields.pop(key) for key in ("attempt", "start_sha") if key in fields}}
    ref = SeenRef(task=TaskName(task), branch=branch or f"cursor/{task}-1f2a", sha=sha, **about)
    return RefsSeen(refs=(ref,), **fields)


def an_empty_reply(task: str = "a") -> Reply:
    """An agent that ended without a word; the path is its postmortem's."""
    return Reply(path=f"handoffs/{task}-failure.md", is_empty=True)
