"""Verbs that start work."""

from orchestrate.cli.verb_tables.verb import Verb

EXIT_CODES = """\
exit codes:
  0    every task handed off
  1    a task went to error, was cancelled or left pending, or only the budget holds the run: the planner's turn
  2    the call or the plan is wrong; nothing was started
  75   inside an agent: no agent of its own for 10 minutes, as the service is full
  100  planned checkpoint after --max-runtime-sec: the same call goes on
  130  interrupted; the state is saved, agents are left running
"""

RUN = (
    Verb(
        name="run",
        module="orchestrate.cli.run",
        group="run",
        help="run a plan, or go on with it; what runs is taken up again",
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
        name="kickoff",
        module="orchestrate.cli.kickoff",
        group="run",
        help="launch an agent that plans a goal; one goal, one planner",
        examples=(
            ('kickoff "Every report can be exported as CSV."', "on the remote of this folder; asks first"),
            ('kickoff "Dates are read." --repo https://github.com/octo/shop --ref main --yes', "somewhere else"),
            ('kickoff "Dates are read." --dry-run', "what would be launched; touches no service"),
        ),
    ),
)
