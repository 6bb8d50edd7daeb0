"""What a task is told of the tasks before it: ``python benchmarks/fan_in.py [TASKS] [KB_EACH] [KB_BUDGET]``.

Twenty handoffs of 40 KB in a budget of 60 KB unless told otherwise; one of them is short, and stays whole. Printed are
the share of each and the size of the prompt around them. The claim: every handoff is there, none is cut unseen.
"""

import sys
import time
from pathlib import Path

from orchestrate.model.checking import parse_plan
from orchestrate.model.names import AgentId, TaskName
from orchestrate.model.vocabulary import HandoffStatus
from orchestrate.text.prompts import PromptContext, Upstream, render_prompt
from orchestrate.text.shortening import fair_shares
from orchestrate.text.templates import TEMPLATE_NAMES, Templates

SHIPPED = Path(__file__).parents[1] / "templates"


def main() -> None:
    count, each, budget = (int(word) for word in (*sys.argv[1:4], *("20", "40", "60")[len(sys.argv) - 1 :]))
    names = [f"part-{index:02}" for index in range(count)]
    upstreams = tuple(_upstream(name, size=(1 if index == 0 else each) * 1000) for index, name in enumerate(names))
    started = time.perf_counter()
    text = _prompt(names, upstreams, budget=budget * 1000)
    seconds = time.perf_counter() - started
    shares = fair_shares([len(upstream.handoff_text) for upstream in upstreams], budget=budget * 1000)
    for upstream, share in zip(upstreams, shares, strict=True):
        both_ends = f"begin of {upstream.task}" in text and f"end of {upstream.task}" in text
        print(f"{upstream.task}: {share:>6,} of {len(upstream.handoff_text):>7,} bytes, both ends there: {both_ends}")
    print(
        f"sum {sum(shares):,} of {budget * 1000:,} bytes; the prompt has {len(text.encode()):,}; {seconds * 1000:.0f} ms"
    )


def _upstream(name: str, *, size: int) -> Upstream:
    body = "The export streams its rows now.\n" * (size // 33)
    return Upstream(
        task=TaskName(name),
        branch=f"cursor/{name}",
        status=HandoffStatus.SUCCESS,
        handoff_text=f"begin of {name}\n{body}end of {name}\n",
        whole_text=f"handoffs/{name}.md",
    )


def _prompt(names: list[str], upstreams: tuple[Upstream, ...], *, budget: int) -> str:
    tasks = [{"name": name, "type": "worker", "scopedGoal": "Do it."} for name in names]
    tasks.append({"name": "join", "type": "worker", "scopedGoal": "Join them.", "dependsOn": names})
    plan, _ = parse_plan(
        {
            "goal": "g",
            "rootSlug": "s",
            "baseBranch": "main",
            "repoUrl": "https://github.com/o/r",
            "limits": {"upstreamBytes": budget},
            "tasks": tasks,
        }
    )
    templates = Templates({name: (SHIPPED / name).read_text() for name in TEMPLATE_NAMES})
    context = PromptContext(
        starting_ref="main",
        agent_id=AgentId("bc-11111111-1111-4111-8111-111111111111"),
        upstreams=upstreams,
    )
    return render_prompt(templates, plan=plan, task=plan.task(TaskName("join")), context=context)


if __name__ == "__main__":
    main()
