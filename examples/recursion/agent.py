"""An agent program that plans: planners below planners, for real, without a model.

Its goals are chapters with an outline. A chapter's planner cuts off one level: a part without parts of its own is a page
for a worker, one with parts is a chapter for a subplanner, and a merge task joins all branches. It writes that down as a
plan, runs it with the command that its prompt names, and hands off what the handoffs of its tasks said. The subplanners
are this same program, one level further down; nothing here knows how deep it is.
"""

import json
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

IDENTITY = ("-c", "user.name=Recursion agent", "-c", "user.email=agent@example.invalid")
#: Nothing of this machine's git set-up has a say in the example.
PLAIN_GIT = ("git", *IDENTITY, "-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null")
MERGE = "merge-pages"
EXIT_CHECKPOINT = 100
EXIT_PLANNERS_TURN = 1

HANDOFF = """\
## Status
{status}

## Branch
{branch}

## {heading}
{done}

## Measurements
(none)

## Verification
not-verified

## Notes, concerns, deviations, findings, thoughts, feedback
{notes}

## Suggested follow-ups
(none)
"""


class Failed(Exception):
    """The job cannot be done; the handoff says why."""


@dataclass
class Part:
    """One line of an outline, with what is indented below it."""

    name: str
    parts: list["Part"] = field(default_factory=list)

    def lines(self, indent: str = "") -> list[str]:
        """The part as an outline again."""
        return [f"{indent}- {self.name}", *(line for part in self.parts for line in part.lines(f"{indent}  "))]


def main() -> None:
    """Do what the prompt asks and print the handoff."""
    sys.stdin.reconfigure(encoding="utf-8")
    sys.stdout.reconfigure(encoding="utf-8")
    prompt = sys.stdin.read()
    is_planner = bool(section(prompt, "How to run your plan"))
    try:
        job = plan_chapter if is_planner else merge if section(prompt, "Branches to merge") else write_page
        print(job(prompt))
    except Failed as reason:
        say(f"giving up: {reason}")
        heading = "What my subtree did" if is_planner else "What I did"
        print(handoff("blocked", branch=None, heading=heading, done="Nothing that counts.", notes=str(reason)))


def write_page(prompt: str) -> str:
    """Write one page and push it."""
    page = Path(first_code(section(prompt, "Your goal")))
    say(f"editing {page}")
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(f"# {page.stem.replace('-', ' ').capitalize()}\n")
    push(f"Write {page}", page)
    return handoff("success", branch=current_branch(), heading="What I did", done=f"Wrote `{page}`.")


def merge(prompt: str) -> str:
    """Merge the branches that the prompt names."""
    lines = section(prompt, "Branches to merge").splitlines()
    branches = [first_code(line) for line in lines if line.startswith("- `")]
    for branch in branches:
        say(f"merging {branch}")
        git("fetch", "--quiet", "origin", f"refs/heads/{branch}")
        git("merge", "--quiet", "--no-ff", "-m", f"Merge {branch}", "FETCH_HEAD")
    git("push", "--quiet", "origin", "HEAD")
    return handoff("success", branch=current_branch(), heading="What I did", done=f"Merged {len(branches)} branches.")


def plan_chapter(prompt: str) -> str:
    """Write the plan of a chapter, run it to its end, and hand off what came of it."""
    workspace = Path(first_code(section(prompt, "Your workspace")).rstrip("/"))
    workspace.mkdir(parents=True, exist_ok=True)
    plan = {**fields_of(prompt), "goal": goal_of(prompt), "tasks": tasks_of(goal_of(prompt))}
    (workspace / "plan.json").write_text(json.dumps(plan, indent=2) + "\n")
    commands = [shlex.split(words) for words in codes(section(prompt, "How to run your plan"))]
    for verb in ("validate", "run"):
        status = orchestrate(next(words for words in commands if words[:2] == ["orchestrate", verb]))
        if status not in (0, EXIT_PLANNERS_TURN):
            raise Failed(f"orchestrate {verb} ended with exit status {status}")
    push(f"Keep the plan of {workspace.name} and what came of it", workspace)
    return report(workspace)


def fields_of(prompt: str) -> dict[str, object]:
    """The fields that the prompt dictates."""
    said = re.findall(r"^- `(\w+)`: `(.+)`$", section(prompt, "Your workspace"), re.MULTILINE)
    fields: dict[str, object] = dict(said)
    for name in ("runtime", "syncStateToGit"):
        if name in fields:
            fields[name] = json.loads(str(fields[name]))
    return fields


def goal_of(prompt: str) -> str:
    """The goal of this planner; a root planner's is the whole job, which stands in a block."""
    own = section(prompt, "Your goal")
    return own or "\n".join(
        section(prompt, "The whole job").partition("\n```")[2].partition("\n```")[0].split("\n")[1:]
    )


def tasks_of(goal: str) -> list[dict[str, object]]:
    """A task for each part of the outline, and one that joins them."""
    chapter, parts = first_code(goal), outline(goal)
    if not parts:
        raise Failed("the goal has no outline to plan by")
    tasks = [task_of(part, chapter=chapter) for part in parts]
    names = [part.name for part in parts]
    join = {"name": MERGE, "type": "worker", "dependsOn": names, "scopedGoal": f"Join the branches of `{chapter}`."}
    return [*tasks, join]


def task_of(part: Part, *, chapter: str) -> dict[str, object]:
    """A page for a worker, or a chapter for a planner of its own."""
    if not part.parts:
        return {"name": part.name, "type": "worker", "scopedGoal": f"Write the page `{chapter}/{part.name}.md`."}
    parts = "\n".join(line for each in part.parts for line in each.lines())
    goal = f"Write the chapter `{chapter}/{part.name}`, which has these parts:\n\n{parts}\n"
    return {"name": part.name, "type": "subplanner", "scopedGoal": goal}


def outline(goal: str) -> list[Part]:
    """The parts of a chapter: list items, those two columns further right below the one before."""
    top = Part("")
    open_parts = [top]
    for indent, name in re.findall(r"^((?:  )*)- ([a-z0-9-]+)$", goal, re.MULTILINE):
        depth = len(indent) // 2
        if depth >= len(open_parts):
            raise Failed(f"the outline skips a level at {name}")
        part = Part(name)
        open_parts[depth].parts.append(part)
        open_parts[depth + 1 :] = [part]
    return top.parts


def orchestrate(words: list[str]) -> int:
    """The exit status of a command of the prompt; it goes on where a planned checkpoint left it."""
    command = [sys.executable, "-m", *words]
    say(f"running {shlex.join(words)}")
    while True:
        status = subprocess.run(command, stdout=sys.stderr, stdin=subprocess.DEVNULL, check=False).returncode
        if status != EXIT_CHECKPOINT:
            return status


def report(workspace: Path) -> str:
    """The handoffs of the subtree as one: what each task did, and those below it."""
    rows = json.loads((workspace / "state.json").read_text())["tasks"]
    done = {row["name"] for row in rows if row["status"] == "handed-off" and row["handoffStatus"] == "success"}
    joined = next(row for row in rows if row["name"] == MERGE)
    missing = [f"{row['name']}: {row['status']} {row['note'] or ''}".strip() for row in rows if row["name"] not in done]
    return handoff(
        "success" if not missing else "partial" if done else "blocked",
        branch=joined["branch"] if MERGE in done else None,
        heading="What my subtree did",
        done="\n".join(line for row in rows for line in told(workspace, row)),
        notes="\n".join(f"- {line}" for line in missing) or "(none)",
    )


def told(workspace: Path, row: dict[str, str]) -> list[str]:
    """What a task said that it did, as an item of a list; what a planner's subtree did stands below it."""
    text = (workspace / row["handoffPath"]).read_text() if row["handoffPath"] else ""
    if row["type"] != "subplanner":
        return [f"- {row['name']}: {section(text, 'What I did') or row['status']}"]
    below = section(text, "What my subtree did").splitlines()
    return [f"- {row['name']}: {row.get('handoffStatus') or row['status']}", *(f"  {line}" for line in below)]


def section(text: str, title: str) -> str:
    """What stands under a heading; empty without that heading."""
    return text.partition(f"\n## {title}\n")[2].partition("\n## ")[0].strip("\n")


def codes(text: str) -> list[str]:
    """All words of a text that are set as code."""
    return re.findall(r"`([^`\n]+)`", text)


def first_code(text: str) -> str:
    """The first of them."""
    found = codes(text)
    if not found:
        raise Failed("the prompt does not say what it is about")
    return found[0]


def push(message: str, path: Path) -> None:
    """Commit what changed there and push the branch that is checked out."""
    git("add", "--all", "--", str(path))
    git("commit", "--quiet", "--message", message)
    say(f"pushing {current_branch()}")
    git("push", "--quiet", "origin", "HEAD")


def current_branch() -> str:
    """The name of the branch that is checked out."""
    return git("symbolic-ref", "--short", "HEAD").strip()


def git(*arguments: str) -> str:
    """Run git, answer its output, and give up with its own words."""
    finished = subprocess.run([*PLAIN_GIT, *arguments], capture_output=True, text=True, check=False)
    if finished.returncode != 0:
        raise Failed(f"git {arguments[0]}: {(finished.stderr or finished.stdout).strip()}")
    return finished.stdout


def handoff(status: str, *, branch: str | None, heading: str, done: str, notes: str = "(none)") -> str:
    """The last message."""
    named = f"`{branch}`" if branch else "(no branch)"
    return HANDOFF.format(status=status, branch=named, heading=heading, done=done, notes=notes)


def say(activity: str) -> None:
    """Show what happens now."""
    print(activity, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
