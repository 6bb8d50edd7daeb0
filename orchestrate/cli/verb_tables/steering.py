"""Verbs that act on a run."""

from orchestrate.cli.verb_tables.verb import Verb

STEER = (
    Verb(
        name="accept",
        module="orchestrate.cli.accept",
        group="steer",
        help="a person finished a task: it is handed off on a branch",
        examples=(
            ("accept . merge-export --branch ana/merge-export", "the branch is on the remote"),
            ('accept . merge-export --branch ana/merge-export --note "Took out the cache."', "with words for the next"),
        ),
        has_dry_run=False,
    ),
    Verb(
        name="spawn",
        module="orchestrate.cli.spawn",
        group="steer",
        help="add a task to a run, beside the plan's file",
        examples=(
            ('spawn . --name fix-flaky-test --goal "The suite is green ten times in a row."', "from options"),
            ("spawn . --file task.json --wait", "a task as plan.json would have it, waited for"),
        ),
        has_dry_run=False,
    ),
    Verb(
        name="steer",
        module="orchestrate.cli.steer",
        group="steer",
        help="a message for an agent, sent once its run has ended",
        examples=(
            (
                'steer . merge-export --message "Keep the old flag."',
                "also where the task has handed off: it runs again",
            ),
            ("steer . merge-export --list", "what waits, what was sent"),
            ("steer . merge-export --drop 6f1c2c9e-0000-4000-8000-000000000001", "take one back that has not left"),
            (
                'steer --agent-id AGENT_ID --message "Keep it." --wait-idle --yes',
                "any agent, outside of a workspace: answers as follow-up does",
            ),
        ),
        speaks_json_with="--agent-id",
    ),
    Verb(
        name="cancel",
        module="orchestrate.cli.cancel",
        group="steer",
        help="stop a task: its agent is cancelled and seen to have ended",
        examples=(
            ("cancel . merge-export", "also while a run goes on"),
            ("cancel . merge-export --timeout 0", "ask for it and do not wait"),
        ),
        has_dry_run=False,
    ),
    Verb(
        name="kill",
        module="orchestrate.cli.kill",
        group="steer",
        help="stop a run for good, or a task with all that it launched",
        examples=(
            ("kill .", "lists who would be cancelled, and asks"),
            ("kill . migrate-services --yes", "one planner and its subtree; the rest of the run goes on"),
            ("kill . --dry-run", "who would be cancelled"),
        ),
    ),
    Verb(
        name="kill-tree",
        module="orchestrate.cli.kill_tree",
        group="steer",
        help="stop a whole tree of planners, also without its workspace",
        examples=(
            ("kill-tree . --yes", "everything that this plan led to"),
            ("kill-tree https://github.com/team/shop.git main csv-export", "from anywhere; asks first"),
            ("kill-tree . --agent-id bc-11111111-1111-4111-8111-111111111111", "one agent and its subtree"),
        ),
    ),
    Verb(
        name="andon",
        module="orchestrate.cli.andon",
        group="steer",
        help="stop launches in the whole tree until the root clears it",
        examples=(
            ('andon raise . --reason "main is broken"', "from the root or from any planner of the tree"),
            ('andon clear . --note "main is green"', "the root only"),
        ),
        has_dry_run=False,
    ),
    Verb(
        name="respawn",
        module="orchestrate.cli.respawn",
        group="steer",
        help="try a task anew that is in error, cancelled or pruned",
        examples=(
            ("respawn . merge-export", "its next try; what waits for it goes on behind it"),
            ("respawn . merge-export --again --cascade", "also if it handed off, with those that ran on its branch"),
            ("respawn . verify-export --source", "a verifier together with the task that it checks"),
        ),
        has_dry_run=False,
    ),
    Verb(
        name="retry",
        module="orchestrate.cli.retry",
        group="steer",
        help="try everything anew that is in error; shows the cost first",
        examples=(
            ("retry", "the plan of this folder; asks once"),
            ("retry . --dry-run", "what would be tried"),
            ("retry . --yes", "without being asked"),
        ),
    ),
    Verb(
        name="reset",
        module="orchestrate.cli.reset",
        group="steer",
        help="begin anew: what is left is moved aside, nothing is deleted",
        examples=(
            ("reset", "asks first; the plan stays as it is"),
            ("reset . --dry-run", "what would be moved"),
            ("reset . --yes", "without being asked"),
        ),
    ),
)
