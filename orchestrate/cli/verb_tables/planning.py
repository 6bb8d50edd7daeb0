"""Verbs that make and check plans."""

from orchestrate.cli.verb_tables.verb import Verb

PLAN = (
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
        name="parse-handoff",
        module="orchestrate.cli.parse_handoff",
        group="plan",
        help="how a handoff would be read, with a note for all that is odd",
        examples=(
            ("parse-handoff handoff.md", "that of a worker"),
            ("parse-handoff - --type verifier < reply.md", "that of a verifier, from stdin"),
            ("parse-handoff handoff.md --json", "one JSON object for programs"),
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
)
