"""The verbs: one table for help, dispatch and tests. A verb's module is imported when the verb is used."""

from orchestrate.cli.verb_tables.delegating import DELEGATE
from orchestrate.cli.verb_tables.hidden import HIDDEN, HIDDEN_VERBS, TASK_NAMES_VERB
from orchestrate.cli.verb_tables.looking import LOOK
from orchestrate.cli.verb_tables.planning import PLAN
from orchestrate.cli.verb_tables.running import RUN
from orchestrate.cli.verb_tables.setting_up import SET_UP
from orchestrate.cli.verb_tables.steering import STEER
from orchestrate.cli.verb_tables.verb import Verb

__all__ = ["GROUPS", "HIDDEN", "TASK_NAMES_VERB", "VERBS", "VERBS_BY_NAME", "Verb"]

#: Groups in the order of the help, each with its line.
GROUPS = {
    "run": "start work, or go on with it",
    "look": "see where a run stands; nothing is changed",
    "steer": "act on a run",
    "delegate": "one agent at a time, without a plan; the answer is one JSON object",
    "plan": "make and check plans",
    "set up": "this machine and first steps",
}

VERBS = (*RUN, *LOOK, *STEER, *DELEGATE, *PLAN, *SET_UP, *HIDDEN_VERBS)

VERBS_BY_NAME = {verb.name: verb for verb in VERBS}
