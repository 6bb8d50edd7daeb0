"""Verbs that act on a run."""

from orchestrate.cli.verb_tables.verb import Verb

STEER = (
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
        name="cancel",
        module="orchestrate.cli.cancel",
        group="steer",
        help="stop a task: its agent is cancelled and seen to have ended; one that waits will not be launched",
        examples=(
            ("cancel . merge-export", "also while a run goes on"),
            ("cancel . merge-export --timeout 0", "ask for it and do not wait"),
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
)
