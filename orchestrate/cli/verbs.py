"""The verbs: one table for help, dispatch and tests. A verb's module is imported when the verb is used."""

from dataclasses import dataclass

#: Groups in the order of the help, each with its line.
GROUPS = {
    "run": "start work, or go on with it",
    "look": "see where a run stands; nothing is changed",
    "steer": "act on a run",
    "plan": "make and check plans",
    "set up": "this machine and first steps",
}

#: The group of verbs that only other programs call: they are in no help.
HIDDEN = ""
#: Names of tasks for completion in a shell.
TASK_NAMES_VERB = "_tasks"

EXIT_CODES = """\
exit codes:
  0    every task handed off
  1    a task went to error, was cancelled or left pending, or only the budget holds the run: the planner's turn
  2    the call or the plan is wrong; nothing was started
  100  planned checkpoint after --max-runtime-sec: the same call goes on
  130  interrupted; the state is saved, agents are left running
"""


WAIT_EXIT_CODES = """\
exit codes:
  0    it has handed off: the task, or every task of the plan
  1    it is over in another way, or no engine runs the workspace any more
  2    the call is wrong
  100  not over within --timeout: call again to go on waiting
"""

WATCH_EXIT_CODES = """\
exit codes:
  0    every task handed off
  1    a task went to error or was cancelled, or nothing can go on without the planner
  2    the call or the workspace is wrong
  100  there is more to do and no engine does it: run goes on with it
  130  the watching was interrupted; the run goes on
"""


@dataclass(frozen=True, slots=True)
class Verb:
    """One verb; its module offers ``configure(parser)`` and ``run(args, settings) -> int``."""

    name: str
    module: str
    group: str
    #: One line, without a full stop.
    help: str
    #: Command lines behind the program's name, each with what it does.
    examples: tuple[tuple[str, str], ...]
    epilog: str = ""
    #: What a refusal means to ``--json``: 1, or 2 where the verb's own exit codes say so.
    refusal_exit_code: int = 1
    #: True where ``--dry-run`` is kept: the verb changes nothing anyway, or tells what it would do.
    has_dry_run: bool = True


VERBS = (
    Verb(
        name="run",
        module="orchestrate.cli.run",
        group="run",
        help="run a plan, or go on with it; what runs already is taken up again",
        examples=(
            ("run", "the plan of this folder"),
            ("run .orchestrate/csv-export --runtime local", "agents on this machine, no key needed"),
            ("run --dry-run", "what would happen, task by task; spends nothing and changes nothing"),
            ("run . --max-runtime-sec 3300", "leave after 55 minutes with exit code 100; call again to go on"),
        ),
        epilog=EXIT_CODES,
        refusal_exit_code=2,
    ),
    Verb(
        name="status",
        module="orchestrate.cli.status",
        group="look",
        help="where every task stands, at once and without the network",
        examples=(
            ("status", "the plan of this folder"),
            ("status . -v", "every task, with addresses"),
            ("status . --json", "one JSON object for programs"),
        ),
    ),
    Verb(
        name="list",
        module="orchestrate.cli.list_tasks",
        group="look",
        help="a line a task: all of them, or those that stand in a certain way",
        examples=(
            ("list", "every task of this folder's plan"),
            ("list . --status error stalled", "those that need somebody"),
            ("list . --type verifier --json", "one JSON object for programs"),
        ),
    ),
    Verb(
        name="tree",
        module="orchestrate.cli.tree",
        group="look",
        help="who launched whom, down through the subplanners whose workspaces are on this machine",
        examples=(
            ("tree", "the plan of this folder; what is done is folded"),
            ("tree . --all", "every task"),
        ),
    ),
    Verb(
        name="graph",
        module="orchestrate.cli.graph",
        group="look",
        help="what waits for what: a drawing, or text for Mermaid, Graphviz and browsers",
        examples=(
            ("graph", "the plan of this folder"),
            ("graph . --format svg > graph.svg", "a picture for a browser"),
            ("graph . --format dot | dot -Tpng > graph.png", "with Graphviz"),
        ),
    ),
    Verb(
        name="timeline",
        module="orchestrate.cli.timeline",
        group="look",
        help="when each task waited, ran and ended, and which chain took longest",
        examples=(
            ("timeline", "the plan of this folder"),
            ("timeline . --json", "every try with its times, for programs"),
        ),
    ),
    Verb(
        name="story",
        module="orchestrate.cli.story",
        group="look",
        help="all that happened to a task, in sentences",
        examples=(
            ("story . merge-export", "from its first launch to its end"),
            ("story . merge-export -v", "with the ids of agents and runs"),
        ),
    ),
    Verb(
        name="watch",
        module="orchestrate.cli.watch",
        group="look",
        help="follow a run of another process, live",
        examples=(
            ("watch", "the run of this folder, until its engine ends"),
            ("watch . --until-done", "also over checkpoints: the next engine is waited for"),
            ("watch . --json-lines", "one JSON object a line for programs"),
        ),
        epilog=WATCH_EXIT_CODES,
        refusal_exit_code=2,
    ),
    Verb(
        name="prompt",
        module="orchestrate.cli.prompt",
        group="look",
        help="the prompt that a task was sent, or would be sent now",
        examples=(
            ("prompt . fix-date-parsing", "what the agent reads"),
            ("prompt . fix-date-parsing | wc -w", "how long it is"),
        ),
    ),
    Verb(
        name="handoff",
        module="orchestrate.cli.handoff",
        group="look",
        help="what a task's agent said at the end",
        examples=(
            ("handoff . merge-export", "the latest one"),
            ("handoff . merge-export --attempt 1", "that of the first try"),
            ("handoff . merge-export > merge-export.md", "byte for byte, without this program's header: add --raw"),
        ),
    ),
    Verb(
        name="diff",
        module="orchestrate.cli.diff",
        group="look",
        help="what a task changed: its branch against where it started, fetched from the remote",
        examples=(
            ("diff . merge-export", "the whole difference"),
            ("diff . merge-export --stat", "which files, and how much"),
            ("diff . merge-export > merge-export.patch", "byte for byte, for git apply"),
        ),
    ),
    Verb(
        name="wait",
        module="orchestrate.cli.wait",
        group="look",
        help="wait until the run, or one task, is over; reads only",
        examples=(
            ("wait", "until nothing of this folder's plan is open"),
            ("wait . --until merge-export", "until that task has handed off, or will not"),
            ("wait . --timeout 600", "at most ten minutes, then exit code 100"),
        ),
        epilog=WAIT_EXIT_CODES,
        refusal_exit_code=2,
    ),
    Verb(
        name="accept",
        module="orchestrate.cli.accept",
        group="steer",
        help="a person finished a task: it is handed off on a branch, and what waits for it goes on",
        examples=(
            ("accept . merge-export --branch ana/merge-export", "the branch is on the remote"),
            ('accept . merge-export --branch ana/merge-export --note "Took out the cache."', "with words for the next"),
        ),
        has_dry_run=False,
    ),
    Verb(
        name="reset",
        module="orchestrate.cli.reset",
        group="steer",
        help="begin anew: what former runs have left is moved aside, nothing is deleted",
        examples=(
            ("reset", "asks first; the plan stays as it is"),
            ("reset . --dry-run", "what would be moved"),
            ("reset . --yes", "without being asked"),
        ),
    ),
    Verb(
        name="init",
        module="orchestrate.cli.init",
        group="plan",
        help="write the first plan of this repository, valid as it is",
        examples=(
            ('init --goal "Every report can be exported as CSV."', "into .orchestrate/ of the repository"),
            ('init --goal "Dates are read." --slug dates --task iso-dates --task weeks', "with tasks to fill in"),
            ('init --goal "Dates are read." --dry-run', "print the plan and write nothing"),
        ),
    ),
    Verb(
        name="schema",
        module="orchestrate.cli.schema",
        group="plan",
        help="the JSON schema of plan.json or state.json",
        examples=(
            ("schema plan", "print it"),
            ("schema plan --out plan.schema.json", 'what "$schema" in a plan may name, for editors'),
        ),
    ),
    Verb(
        name="validate",
        module="orchestrate.cli.validate",
        group="plan",
        help="check a plan: every fault at once, with its line",
        examples=(
            ("validate plan.json", "exit code 2 and every fault, or 0"),
            ("validate . --json", "one JSON object for programs"),
            ("validate - < plan.json", "a plan from stdin"),
        ),
        refusal_exit_code=2,
    ),
    Verb(
        name="quickstart",
        module="orchestrate.cli.quickstart",
        group="set up",
        help="a small real run on this machine: offline, no key, under a minute",
        examples=(("quickstart", "make an example repository and run its plan"),),
        has_dry_run=False,
    ),
    Verb(
        name="completion",
        module="orchestrate.cli.completion",
        group="set up",
        help="completion of verbs, options and task names for a shell",
        examples=(
            ("completion bash > ~/.local/share/bash-completion/completions/orchestrate", "for every new bash"),
            ('completion zsh > "${fpath[1]}/_orchestrate"', "for every new zsh"),
            ("completion fish > ~/.config/fish/completions/orchestrate.fish", "for every new fish"),
        ),
    ),
    Verb(
        name="server",
        module="orchestrate.cli.server",
        group="set up",
        help="the server for agents on this machine; run starts it by itself",
        examples=(
            ("server status", "does it run, and for how many agents"),
            ("server start", "start it now; prints its address"),
            ("server stop", "end it; agents are left running"),
            ("server serve", "in the foreground, until Ctrl-C"),
        ),
    ),
    Verb(
        name=TASK_NAMES_VERB,
        module="orchestrate.cli.task_names",
        group=HIDDEN,
        help="names of tasks, for completion",
        examples=((f"{TASK_NAMES_VERB} < /dev/null", "those of this folder's plan"),),
    ),
)

VERBS_BY_NAME = {verb.name: verb for verb in VERBS}
