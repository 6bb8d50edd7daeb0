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

EXIT_CODES = """\
exit codes:
  0    every task handed off
  1    a task went to error, was cancelled or left pending, or only the budget holds the run: the planner's turn
  2    the call or the plan is wrong; nothing was started
  100  planned checkpoint after --max-runtime-sec: the same call goes on
  130  interrupted; the state is saved, agents are left running
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
            ("run . --max-runtime-sec 3300", "leave after 55 minutes with exit code 100; call again to go on"),
        ),
        epilog=EXIT_CODES,
        refusal_exit_code=2,
        has_dry_run=False,
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
)

VERBS_BY_NAME = {verb.name: verb for verb in VERBS}
