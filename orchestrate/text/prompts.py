"""What an agent is told: the prompt of a task, from the plan, its place in the run, and the handoffs before it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from orchestrate.model.names import AgentId, TaskName, placeholder_branch
from orchestrate.model.plan import Measurement, Plan, Task
from orchestrate.model.vocabulary import HandoffStatus, TaskType, Verification
from orchestrate.text.headers import strip_header
from orchestrate.text.shortening import UPSTREAM_BUDGET_BYTES, fair_shares, shortened
from orchestrate.text.templates import Templates

DEFAULT_INSTALL = "pip install orchestrate-agents"
#: Folder of all workspaces in a checkout.
WORKSPACES = ".orchestrate"


@dataclass(frozen=True, slots=True)
class Upstream:
    """A task before this one, and what it handed off."""

    task: TaskName
    #: The branch that it really pushed; None if it pushed nothing.
    branch: str | None
    status: HandoffStatus | None
    #: The stored handoff, secrets redacted, with or without its header comment.
    handoff_text: str
    pr_number: int | None = None
    verification: Verification | None = None
    #: Where the whole text is, for a mark where it had to be cut.
    whole_text: str | None = None
    #: Commit at the head of the branch; None where the remote was not asked, or did not answer.
    head_sha: str | None = None
    #: The branch that the task named and the remote lacks.
    missing_branch: str | None = None


@dataclass(frozen=True, slots=True)
class PromptContext:
    """The facts of one launch that are not in the plan."""

    starting_ref: str
    #: Known before the launch.
    agent_id: AgentId
    parent_agent_id: AgentId | None = None
    #: 1 for tasks of the root plan.
    depth: int = 0
    #: One for every dependency, in the order of ``dependsOn``.
    upstreams: tuple[Upstream, ...] = ()
    #: Ids of models that the service knows.
    models: tuple[str, ...] = ()
    install: str = DEFAULT_INSTALL
    #: The repository as agents reach it; None for the address in the plan, which may be relative to it.
    repo_url: str | None = None
    #: What a planner writes under ``runtime``, as JSON; None where its plan needs none.
    runtime: str | None = None


def is_merge_task(task: Task) -> bool:
    """True for a worker called ``merge-<name>`` with dependencies: joining their branches is what it is for."""
    return task.type is TaskType.WORKER and task.name.startswith("merge-") and bool(task.depends_on)


def render_prompt(templates: Templates, *, plan: Plan, task: Task, context: PromptContext) -> str:
    """The whole prompt of a task; a template that cannot be rendered is refused."""
    values: dict[str, object] = {
        **_facts_of_the_plan(plan),
        **_facts_of_the_launch(plan, task=task, context=context),
        "task": _task_values(task),
        "models": model_choices(plan, known=context.models),
        "install": context.install,
    }
    if task.verifies is not None:
        values |= _target_values(plan, task=task, context=context)
    return templates.render(f"{task.type}.md.j2", values)


def render_root_prompt(
    templates: Templates,
    *,
    plan: Mapping[str, object],
    models: Sequence[str] = (),
    install: str = DEFAULT_INSTALL,
) -> str:
    """The prompt of a root planner; ``plan`` has the top-level fields of the plan that it is to write, in snake_case.

    Its ``runtime`` is JSON as it shall stand there.
    """
    root_slug, base_branch = str(plan["root_slug"]), str(plan["base_branch"])
    values: dict[str, object] = {
        "goal": plan["goal"],
        "acceptance_criteria": plan.get("acceptance_criteria", ()),
        "root_slug": root_slug,
        "repo_url": plan["repo_url"],
        "base_branch": base_branch,
        "pull_request_base": plan.get("pr_base") or base_branch,
        "agent_id": plan.get("self_agent_id"),
        "sync_state_to_git": plan.get("sync_state_to_git", True),
        "slack_channel": plan.get("slack_channel"),
        "runtime": plan.get("runtime"),
        "workspace": f"{WORKSPACES}/{root_slug}",
        "models": [{"id": model, "use": ""} for model in models],
        "install": install,
        "work_heading": "What my subtree did",
        "is_merge": False,
        "is_planner": True,
        "is_verifier": False,
        "opens_pull_request": False,
    }
    return templates.render("root.md.j2", values)


def model_choices(plan: Plan, *, known: Sequence[str]) -> list[dict[str, str]]:
    """Models that a planner may name: those of the plan with what they are for, then the others that are known."""
    uses: dict[str, list[str]] = {}
    for task_type, selections in (plan.models or {}).items():
        for selection in selections:
            uses.setdefault(selection.id, []).append(str(task_type))
    choices = {model: f"for {', '.join(types)}" for model, types in uses.items()}
    return [{"id": model, "use": use} for model, use in choices.items()] + [
        {"id": model, "use": ""} for model in known if model not in choices
    ]


def _facts_of_the_plan(plan: Plan) -> dict[str, object]:
    ref, path = _andon_place(plan)
    return {
        "goal": plan.goal,
        "acceptance_criteria": plan.acceptance_criteria,
        "root_slug": plan.root_slug,
        "base_branch": plan.base_branch,
        "pull_request_base": plan.pr_base or plan.base_branch,
        "sync_state_to_git": plan.sync_state_to_git,
        "slack_channel": plan.slack_channel,
        "andon_state_ref": ref,
        "andon_state_path": path,
    }


def _facts_of_the_launch(plan: Plan, *, task: Task, context: PromptContext) -> dict[str, object]:
    is_planner = task.type is TaskType.SUBPLANNER
    is_merge = is_merge_task(task)
    return {
        "repo_url": context.repo_url or plan.repo_url,
        "runtime": context.runtime,
        "starting_ref": context.starting_ref,
        "agent_id": context.agent_id,
        "parent_agent_id": context.parent_agent_id or plan.self_agent_id,
        "depth": context.depth,
        "upstreams": _upstream_values(context.upstreams, budget=plan.limits.upstream_bytes or UPSTREAM_BUDGET_BYTES),
        "sources": context.upstreams if is_merge else (),
        "is_merge": is_merge,
        "is_planner": is_planner,
        "is_verifier": task.type is TaskType.VERIFIER,
        "opens_pull_request": task.open_pr and task.type is TaskType.WORKER,
        "work_heading": "What my subtree did" if is_planner else "What I did",
        "workspace": f"{WORKSPACES}/{task.name}",
        "subtree_slug": task.name,
    }


def _andon_place(plan: Plan) -> tuple[str | None, str | None]:
    """Where a subtree finds the root's andon: where its parent does, or in the state that a root publishes."""
    if plan.andon_state_ref and plan.andon_state_path:
        return plan.andon_state_ref, plan.andon_state_path
    if not plan.sync_state_to_git:
        return None, None
    return f"orch-state/{plan.root_slug}", f"{WORKSPACES}/{plan.root_slug}/state.json"


def _task_values(task: Task) -> dict[str, object]:
    return {
        "name": task.name,
        "type": str(task.type),
        "scoped_goal": task.scoped_goal.strip(),
        "brief": (task.brief or "").strip(),
        "paths_allowed": task.paths_allowed,
        "paths_forbidden": task.paths_forbidden,
        "acceptance": task.acceptance,
        "verify": (task.verify or "").strip(),
        "measurements": [
            {"name": each.name, "command": each.command, "reading": _reading(each)} for each in task.measurements
        ],
    }


def _reading(measurement: Measurement) -> str:
    parser = measurement.parser
    if parser.kind == "wc-l":
        return "its value is the number of lines printed that are not empty"
    return f"its value is what this regular expression finds: {parser.pattern}"


def _target_values(plan: Plan, *, task: Task, context: PromptContext) -> dict[str, object]:
    assert task.verifies is not None
    target = plan.task(task.verifies)
    handed_off = next((each.branch for each in context.upstreams if each.task == target.name and each.branch), None)
    planned = placeholder_branch(plan.root_slug, target.name, task_type=target.type)
    return {"target": _task_values(target), "target_branch": handed_off or planned}


def _upstream_values(upstreams: Sequence[Upstream], *, budget: int) -> list[dict[str, object]]:
    texts = [strip_header(upstream.handoff_text).strip() for upstream in upstreams]
    sizes = [len(text.encode("utf-8", "replace")) for text in texts]
    shares = fair_shares(sizes, budget=budget)
    return [
        {
            "task": upstream.task,
            "branch": upstream.branch,
            "missing_branch": upstream.missing_branch,
            "status": upstream.status,
            "verification": upstream.verification,
            "pr_number": upstream.pr_number,
            "is_partial": upstream.status is HandoffStatus.PARTIAL,
            "is_blocked": upstream.status is HandoffStatus.BLOCKED,
            "size": size,
            "left_out": size - share,
            "whole_text": upstream.whole_text,
            "text": shortened(text, limit=share, whole_text=upstream.whole_text) or "(empty)",
        }
        for upstream, text, size, share in zip(upstreams, texts, sizes, shares, strict=True)
    ]
