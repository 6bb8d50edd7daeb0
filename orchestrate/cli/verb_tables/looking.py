"""Verbs that show where a run stands and change nothing."""

from orchestrate.cli.verb_tables.verb import Verb

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

LOOK = (
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
        help="a line a task: all, or those that stand in a certain way",
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
        help="who launched whom, down through the subplanners found here",
        examples=(
            ("tree", "the plan of this folder; what is done is folded"),
            ("tree . --all", "every task"),
            ("tree . --deep", "also what planners elsewhere have pushed of their states"),
            ("tree --live --root csv-export", "by the service alone, where states are lost"),
        ),
    ),
    Verb(
        name="crawl",
        module="orchestrate.cli.crawl",
        group="look",
        help="a whole tree of planners as they have pushed it, from anywhere",
        examples=(
            ("crawl https://github.com/team/shop.git main csv-export", "nothing but git is needed"),
            ("crawl . main csv-export --no-fetch", "what this clone has fetched before"),
            ("crawl . main csv-export --json", "one JSON object for programs"),
        ),
    ),
    Verb(
        name="graph",
        module="orchestrate.cli.graph",
        group="look",
        help="what waits for what: a drawing, Mermaid, Graphviz or SVG",
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
        help="when each task waited, ran and ended; the longest chain",
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
        name="inspect",
        module="orchestrate.cli.inspect_task",
        group="look",
        help="what a task's agent does right now: its last tools and words",
        examples=(
            ("inspect . export-core", "listen for two seconds, then leave"),
            ("inspect . export-core --json", "one JSON object for programs"),
        ),
    ),
    Verb(
        name="tail",
        module="orchestrate.cli.tail_task",
        group="look",
        help="follow what a task's agent says and does, until its run is over",
        examples=(
            ("tail . export-core", "until the end, or Ctrl-C; the agent goes on"),
            ("tail . export-core --json-lines", "one JSON object a line for programs"),
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
        help="what a task changed: its branch against where it started",
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
)
