"""Verbs for this machine and first steps."""

from orchestrate.cli.verb_tables.verb import Verb

SET_UP = (
    Verb(
        name="quickstart",
        module="orchestrate.cli.quickstart",
        group="set up",
        help="a small real run on this machine: offline, no key",
        examples=(("quickstart", "make an example repository and run its plan"),),
        has_dry_run=False,
    ),
    Verb(
        name="doctor",
        module="orchestrate.cli.doctor",
        group="set up",
        help="look at all that a run needs, before it starts",
        examples=(
            ("doctor", "the plan of this folder, as a run would start it"),
            ("doctor . --runtime cloud", "for another runtime than the plan's"),
            ("doctor . --json", "one JSON object for programs"),
        ),
        refusal_exit_code=2,
    ),
    Verb(
        name="models",
        module="orchestrate.cli.models",
        group="set up",
        help="the account's models, and which of them each task would get",
        examples=(
            ("models", "all of them, with their other names and settings"),
            ("models . --check", "which of the plan's models exist, and what each task gets"),
            ("models . --check --json", "one JSON object for programs"),
        ),
        refusal_exit_code=2,
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
        name="skill",
        module="orchestrate.cli.skill",
        group="set up",
        help="teach agents that read skills how to use this program",
        examples=(
            ("skill install", "into .agents/skills of the current folder"),
            ("skill install --dir ~/.cursor/skills", "for all repositories of one user"),
            ("skill install --force", "replace an older one"),
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
)
