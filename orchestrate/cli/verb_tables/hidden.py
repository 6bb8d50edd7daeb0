"""Verbs that only other programs call: they are in no help."""

from orchestrate.cli.verb_tables.verb import Verb

#: The group of verbs that are in no help.
HIDDEN = ""
#: Names of tasks for completion in a shell.
TASK_NAMES_VERB = "_tasks"

HIDDEN_VERBS = (
    Verb(
        name=TASK_NAMES_VERB,
        module="orchestrate.cli.task_names",
        group=HIDDEN,
        help="names of tasks, for completion",
        examples=((f"{TASK_NAMES_VERB} < /dev/null", "those of this folder's plan"),),
    ),
)
