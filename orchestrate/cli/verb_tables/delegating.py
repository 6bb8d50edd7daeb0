"""Verbs for one agent at a time, without a plan; what a program can decide on is in each answer."""

from orchestrate.cli.verb_tables.verb import Verb

EXIT_CODES = """\
exit codes:
  0    it was done
  1    it was refused or failed, with a code of docs/errors.md
  2    the command line cannot be read; nothing was done
"""
_AGENT = "bc-0b5b1e2c-6f0a-4b52-9a55-000000000001"
_RUN = "run-0b5b1e2c-6f0a-4b52-9a55-000000000002"
#: Stands where a line would be too long otherwise.
_SHORT = "AGENT_ID"
_REPO = "https://github.com/octo/shop"


def _verb(name: str, module: str, told: str, *examples: tuple[str, str], has_dry_run: bool = False) -> Verb:
    return Verb(
        name=name,
        module=f"orchestrate.cli.delegation.{module}",
        group="delegate",
        help=told,
        examples=tuple((f"{name} {line}".rstrip(), what) for line, what in examples),
        epilog=EXIT_CODES,
        has_dry_run=has_dry_run,
        speaks_json=True,
    )


DELEGATE = (
    _verb(
        "setup",
        "setup",
        "whether this machine can delegate; changes nothing",
        ("", "one JSON object"),
        ("--human", "for people"),
        has_dry_run=True,
    ),
    _verb(
        "delegate",
        "delegate",
        "launch one agent on a repository; one key is one agent",
        (f'--repo {_REPO} --prompt "Fix the flaky date test." --dry-run', "what would be sent; touches no network"),
        (f"--repo {_REPO} --prompt-file task.md --idempotency-key dates-1 --yes", "launch it"),
        (f"--repo {_REPO} --prompt-file task.md --ref main --wait --yes", "and come back when its run is over"),
        (f"--repo {_REPO} --yes - < task.md", "the prompt from stdin"),
        has_dry_run=True,
    ),
    _verb(
        "agents",
        "agents",
        "all agents: the service's list beside what is kept here",
        ("", "those that are not archived"),
        ("--all --human", "also archived ones, for people"),
        has_dry_run=True,
    ),
    _verb(
        "agent-status",
        "agent_status",
        "how an agent and its run stand; --reconcile mends records",
        (f"--agent-id {_AGENT}", "its latest run"),
        (f"--agent-id {_AGENT} --reconcile", "after an unknown outcome, or when a key is to be used again"),
    ),
    _verb(
        "follow-up",
        "follow_up",
        "one more run of an agent; with its key it is sent once",
        (
            f'--agent-id {_AGENT} --prompt "Add a test for leap years." --yes',
            "refused while a run of the agent goes on",
        ),
        (
            f"--agent-id {_AGENT} --prompt-file more.md --wait-idle --wait --yes",
            "wait for that run, and for the new one",
        ),
        has_dry_run=True,
    ),
    _verb(
        "cancel-run",
        "cancel_run",
        "end one run, for good; one that is over already is a success",
        (f"--agent-id {_SHORT} --run-id {_RUN}", "looked at right before, and seen to end"),
    ),
    _verb(
        "archive",
        "archive",
        "an agent takes no follow-ups from now on; nothing of it is lost",
        (f"--agent-id {_AGENT} --yes", "refused while its run goes on"),
    ),
    _verb(
        "unarchive",
        "unarchive",
        "an agent takes follow-ups again",
        (f"--agent-id {_AGENT} --yes", "done already is a success"),
    ),
    _verb(
        "usage",
        "usage",
        "tokens and cents of an agent, a task, a plan or a tree of plans",
        (f"--agent-id {_AGENT}", "one agent"),
        (". --tree", "the plan of this folder and those of its subplanners"),
        has_dry_run=True,
    ),
    _verb(
        "artifacts",
        "artifacts",
        "files that an agent left for people; --download fetches one",
        (f"--agent-id {_AGENT}", "their names and sizes"),
        (f"--agent-id {_AGENT} --download report.html --out report.html", "one of them"),
    ),
)
