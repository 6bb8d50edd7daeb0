"""The JSON schema of ``state.json``, for whoever reads it with a program of theirs.

Words come from the enumerations of the model; each field has its sentence and an example here. Fields of other tools
are allowed everywhere, as the engine keeps them.
"""

from orchestrate.model import grant_schema
from orchestrate.model.message_schema import message_fields, row_fields
from orchestrate.model.plan_fields import KEBAB_PATTERN
from orchestrate.model.schema import DIALECT, schema_id
from orchestrate.model.schema_fields import (
    EXAMPLE_MOMENT as _MOMENT,
    Schema as _Schema,
    field as _field,
    moment as _moment,
    named as _named,
    object_of as _object,
    or_null as _or_null,
    text as _text,
    whole_number as _whole_number,
    word as _word,
)
from orchestrate.model.states import ATTENTION_KEPT, SCHEMA_VERSION
from orchestrate.model.vocabulary import (
    FailureMode,
    FindingKind,
    HandoffStatus,
    LaunchDelay,
    MeasurementOutcome,
    PathRule,
    TaskStatus,
    TaskType,
    Verification,
)

_UUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_EXAMPLE_UUID = "11111111-1111-4111-8111-111111111111"
_AGENT, _RUN = f"bc-{_EXAMPLE_UUID}", f"run-{_EXAMPLE_UUID}"
_SHA = "3f786850e387550fdab836ed7e6dc881de23001b"
#: Said of fields that the format reserves and this version keeps when another tool has written them.
_RESERVED = "Reserved; this version keeps it and never writes it."


def state_schema() -> dict[str, object]:
    """The schema of a whole state; the same model always gives the same one."""
    return {
        "$schema": DIALECT,
        "$id": schema_id("state"),
        "title": "State of a run",
        "description": "Every task as it stands: whole and valid at any time, replaced as a whole.",
        **_object(_state_fields(), required=("rootSlug", "tasks")),
        "$defs": {
            "Row": _named("Everything that is known of one task.", _row_fields(), required=("name", "status")),
            "Launch": _named(
                "The intent to launch an agent; on disk before the request leaves.",
                _launch_fields(),
                required=("agentId", "idempotencyKey", "attempt", "at"),
            ),
            "Verdict": _named(
                "What one verifier said of this task's branch.", _verdict_fields(), required=("by", "at")
            ),
            "Measured": _named(
                "What became of one declared measurement.", _measured_fields(), required=("name", "outcome", "at")
            ),
            "PathsCheck": _named(
                "What came of comparing the branch's changed files with the plan's paths.",
                _paths_check_fields(),
                required=("at",),
            ),
            "PathFinding": _named(
                "A file that the task should have left alone.", _finding_fields(), required=("path", "rule")
            ),
            "Message": _named(
                "A message to the agent of a task; its text is in messages/.",
                message_fields(),
                required=("id", "key", "digest"),
            ),
            "Usage": _named("What a task's attempts have cost.", _usage_fields()),
            "Charge": _named(
                "What one attempt has cost, or what is set aside for it.",
                _charge_fields(),
                required=("attempt", "agentId", "type", "reservedCents"),
            ),
            "Unpublished": _named("Why others see an old state.", _unpublished_fields()),
            "Andon": _named("The cord that stops launching while watching goes on.", _andon_fields()),
        },
    }


def _state_fields() -> _Schema:
    version = {"type": "integer", "minimum": 1, "maximum": SCHEMA_VERSION}
    return {
        "schemaVersion": _field(version, "Version of this format; a newer one is refused.", SCHEMA_VERSION),
        "workspaceId": _field(
            {"type": "string", "pattern": f"^{_UUID}$"},
            "Drawn once for the workspace; agent ids and idempotency keys are derived from it.",
            _EXAMPLE_UUID,
        ),
        "rootSlug": _field({"type": "string", "minLength": 1}, "The rootSlug of the plan.", "csv-export"),
        "tasks": _field(
            {"type": "array", "items": {"$ref": "#/$defs/Row"}},
            "One row for each task that the plan has or had.",
            [{"name": "fix-date-parsing", "status": "pending"}],
        ),
        "attention": _field(
            {"type": "array", "items": _attention_line()},
            f"What an operator must know, the last {ATTENTION_KEPT} lines.",
            [{"at": _MOMENT, "message": "docs: the launch had no answer; looked up, it runs."}],
        ),
        "andon": _field(
            _or_null({"$ref": "#/$defs/Andon"}), "The andon, where it was ever raised.", {"raisedAt": _MOMENT}
        ),
        "slackKickoffRef": _field(
            {"type": ["object", "null"]},
            "The message that the run's thread hangs on.",
            {"channel": "C0123456789", "ts": "1712345678.000100"},
        ),
        "handledRequests": _field(
            {"type": "array", "items": {"type": "string"}},
            "Ids of the latest requests of other processes that were carried out.",
            [_EXAMPLE_UUID],
        ),
        "spent": _field(
            {"type": ["object", "null"], "properties": {"cents": _cents("What the service has told so far.")}},
            "What all attempts have cost, as far as the service has told; it never becomes less.",
            {"cents": 412},
        ),
        "unpublished": _field(
            _or_null({"$ref": "#/$defs/Unpublished"}),
            "Set while the state could not be pushed.",
            {"since": _MOMENT, "failures": 3, "ref": "orch-state/csv-export", "reason": "git push: timed out"},
        ),
        "grant": grant_schema.own_grant(),
        "journalSeq": _whole_number("Number of the last journal record that is in this state.", 42, least=0),
        "journalOffset": _whole_number("Where in journal.jsonl the next record starts, in bytes.", 18230, least=0),
    }


def _row_fields() -> _Schema:
    return {**_row_fields_in_the_field(), **_row_fields_of_ours(), **_reserved_row_fields()}


def _row_fields_in_the_field() -> _Schema:
    """Fields that states of other tools have as well."""
    return {
        "name": _field({"type": "string", "pattern": KEBAB_PATTERN}, "The task's name.", "fix-date-parsing"),
        "type": _word(TaskType, "The task's type.", TaskType.WORKER),
        "branch": _text("Planned name before the handoff, the real one after it.", "cursor/fix-date-3bc1"),
        "startingRef": _text("The ref that the task starts from.", "main"),
        "dependsOn": _field(
            {"type": ["array", "null"], "items": {"type": "string"}},
            "Tasks that must have handed off before.",
            ["api-schema"],
        ),
        "agentId": _text("Id of the agent of the present attempt.", _AGENT),
        "runId": _text("Id of that agent's run.", _RUN),
        "parentAgentId": _text("Agent id of the planner that launched it; null under a root.", _AGENT),
        "status": _field(
            {"type": "string", "enum": [word.value for word in TaskStatus]}, "Where the task stands.", "handed-off"
        ),
        "resultStatus": _text("The run's last status in lower case.", "finished"),
        "handoffPath": _text("The handoff's file, relative to the workspace.", "handoffs/fix-date-parsing.md"),
        "startedAt": _moment("When the present attempt was launched."),
        "finishedAt": _moment("When it ended."),
        "lastUpdate": _moment("When this row last changed."),
        "note": _text("Why the task stands as it does, in a sentence for people.", "usage limit"),
        "adHoc": _field({"type": ["boolean", "null"]}, "True for a task that the plan never had.", False),
        "attempts": _field(
            {"type": ["integer", "null"], "minimum": 0}, "Launches so far, the present one included.", 1
        ),
        "slackTs": _text("Time stamp of the task's message in Slack.", "1712345678.000200"),
        "slackRendered": _field({}, f"What was last posted to Slack. {_RESERVED}", "running"),
        "prNumber": _field({"type": ["integer", "null"]}, "Number of the pull request that the task opened.", 214),
        "failureMode": _word(FailureMode, "Why the run went wrong, from evidence.", FailureMode.CAP_HIT),
        "verification": _word(
            Verification,
            "How far the result was checked: the verifier's verdict where the plan has one, else the agent's own word.",
            Verification.UNIT_TEST_VERIFIED,
        ),
    }


def _row_fields_of_ours() -> _Schema:
    return {
        "launch": _field(
            _or_null({"$ref": "#/$defs/Launch"}),
            "The intent of the present attempt.",
            {"agentId": _AGENT, "idempotencyKey": _EXAMPLE_UUID, "attempt": 1, "at": _MOMENT},
        ),
        "handoffStatus": _word(HandoffStatus, "The agent's own word under `## Status`.", HandoffStatus.SUCCESS),
        "pushed": _field({"type": ["boolean", "null"]}, "Whether the task pushed a branch, as far as is known.", True),
        "headSha": _text("The commit at the head of the branch, as the remote last said.", _SHA),
        "onRemote": _field(
            {
                "type": ["object", "null"],
                "properties": {
                    "at": _moment("When it was looked up."),
                    "there": _field({"type": "boolean"}, "Whether the remote has it.", True),
                    "unknown": _text("Why the remote could not be asked; then `there` is missing.", "git: timed out"),
                },
                "required": ["at"],
            },
            "What a look at the remote said of the branch.",
            {"at": _MOMENT, "there": True},
        ),
        "reportedBranch": _text("A branch that the run reported beside that of the handoff.", "cursor/dates-3bc1"),
        "startingSha": _text("The commit that the attempt started from, where that is another task's work.", _SHA),
        "findings": _field(
            {
                "type": ["array", "null"],
                "items": {
                    "type": "object",
                    "properties": {
                        "kind": _field(
                            {"type": "string", "enum": [word.value for word in FindingKind]},
                            "What it is.",
                            FindingKind.NOTHING_PUSHED.value,
                        ),
                        "message": _text("The sentence for people.", "it says success but pushed nothing."),
                    },
                    "required": ["kind", "message"],
                },
            },
            "What people should know of the task's result.",
            [{"kind": "nothing-pushed", "message": "it says success but pushed nothing."}],
        ),
        "measured": _field(
            {"type": ["array", "null"], "items": {"$ref": "#/$defs/Measured"}},
            "What became of each declared measurement.",
            [{"name": "bundle size", "outcome": "match", "at": _MOMENT, "detail": "measured 5, as claimed"}],
        ),
        "selfReport": _word(Verification, "The agent's own word under `## Verification`.", Verification.NOT_VERIFIED),
        "verdicts": _field(
            {"type": ["array", "null"], "items": {"$ref": "#/$defs/Verdict"}},
            "What verifiers said of this task's branch.",
            [{"by": "verify-dates", "value": "unit-test-verified", "sha": _SHA, "at": _MOMENT}],
        ),
        "refFrom": _text("The task whose branch startingRef follows.", "api-schema"),
        "archivedAt": _moment("When the agent was archived to make room for others; it takes no follow-up."),
        "notBefore": _moment("No launch before this moment."),
        "cancel": _field(
            {
                "type": ["object", "null"],
                "properties": {"by": _text("Who asked.", "operator"), "at": _moment("When it was asked for.")},
                "required": ["by", "at"],
            },
            "A cancel that was asked for and is not confirmed yet.",
            {"by": "operator", "at": _MOMENT},
        ),
        "accepted": _field(
            {
                "type": ["object", "null"],
                "properties": {"by": _text("Who.", "ana@build-host"), "at": _moment("When.")},
                "required": ["by", "at"],
            },
            "A person's word that the task is done on its branch, in the place of an agent's handoff.",
            {"by": "ana@build-host", "at": _MOMENT},
        ),
        "pathsCheck": _field(
            _or_null({"$ref": "#/$defs/PathsCheck"}),
            "Whether the branch kept to pathsAllowed and pathsForbidden; there once it was looked at.",
            {"at": _MOMENT, "notKept": [{"path": "docs/a.md", "rule": "not-allowed"}], "total": 1},
        ),
        "stalledSince": _moment("Since when the run has shown no activity, where that is too long."),
        "url": _text("The agent's page at the service.", f"https://service.example.org/agents/{_AGENT}"),
        **row_fields(),
        **grant_schema.row_fields(),
        "usage": _field(
            _or_null({"$ref": "#/$defs/Usage"}),
            "What the task's attempts have cost.",
            {"cents": 92.5, "attempts": [{"attempt": 1, "agentId": _AGENT, "type": "worker", "reservedCents": 500}]},
        ),
    }


def _reserved_row_fields() -> _Schema:
    return {
        "lastActivityAt": _field({}, f"When the agent last did something. {_RESERVED}", _MOMENT),
        "definition": _field({}, f"The definition of an ad hoc task. {_RESERVED}", {"scopedGoal": "Dates are parsed."}),
    }


def _launch_fields() -> _Schema:
    return {
        "agentId": _field({"type": "string"}, "The id that the agent is asked to have.", _AGENT),
        "idempotencyKey": _field({"type": "string"}, "Sent with each repetition of the request.", _EXAMPLE_UUID),
        "attempt": _whole_number("Which attempt this is, from 1.", 1, least=0),
        "at": _field({"type": "string"}, "When the intent was written.", _MOMENT),
        "note": _text("What was odd about this launch.", "the launch had no answer; looked up, it runs"),
        "delays": _field({"type": ["integer", "null"]}, 'How many answers said "later".', 2),
        "delay": _word(LaunchDelay, 'Why the last answer said "later".', LaunchDelay.CAPACITY),
    }


def _verdict_fields() -> _Schema:
    return {
        "by": _field({"type": "string"}, "The verifier.", "verify-dates"),
        "value": _word(Verification, "The verdict; null where it was unreadable.", Verification.UNIT_TEST_VERIFIED),
        "sha": _text("The commit that was looked at.", _SHA),
        "at": _field({"type": "string"}, "When the verifier ended.", _MOMENT),
    }


def _usage_fields() -> _Schema:
    return {
        "cents": _cents("The sum of what is known; missing while nothing is."),
        "totalTokens": _whole_number("The sum of what is known.", 120_000, least=0),
        "attempts": _field(
            {"type": "array", "items": {"$ref": "#/$defs/Charge"}},
            "Every attempt that made an agent, or may have made one.",
            [{"attempt": 1, "agentId": _AGENT, "type": "worker", "reservedCents": 500, "cents": 92.5}],
        ),
    }


def _charge_fields() -> _Schema:
    return {
        "attempt": _whole_number("Which attempt this is, from 1.", 1, least=0),
        "agentId": _field({"type": "string"}, "Its agent.", _AGENT),
        "type": _field({"type": "string"}, "The task's type when it was launched.", TaskType.WORKER.value),
        "reservedCents": _cents("What is set aside for it while its cost is not known."),
        "cents": _cents("Its cost; missing while the service does not tell it."),
        "followUpCents": _cents("What is set aside for follow-up runs that the cost does not cover yet."),
        "totalTokens": _whole_number("Its tokens; missing while the service does not tell them.", 120_000, least=0),
    }


def _cents(description: str) -> _Schema:
    return _field({"type": "number", "minimum": 0}, f"{description} In cents.", 92.5)


def _measured_fields() -> _Schema:
    return {
        "name": _field({"type": "string"}, "The measurement.", "bundle size"),
        "outcome": _field(
            {"type": "string", "enum": [word.value for word in MeasurementOutcome]},
            "What became of the claim.",
            "match",
        ),
        "at": _field({"type": "string"}, "When it was measured.", _MOMENT),
        "detail": _text("Why, in one line.", "measured 5, as claimed"),
        "sha": _text("The commit that was measured.", _SHA),
        "value": _text("The value that was measured.", "5"),
        "drift": _field({"type": ["number", "null"]}, "How far it is from the claim, as a part of that.", 0.1),
    }


def _paths_check_fields() -> _Schema:
    return {
        "at": _field({"type": "string"}, "When it was looked at.", _MOMENT),
        "notKept": _field(
            {"type": "array", "items": {"$ref": "#/$defs/PathFinding"}},
            "The first files that were not to be changed; empty where the paths were kept.",
            [{"path": "docs/a.md", "rule": "forbidden", "pattern": "docs/**"}],
        ),
        "total": _whole_number("How many such files there are.", 1, least=0),
        "unknown": _text("Why it could not be told; then the other two are missing.", "git ls-remote: timed out"),
    }


def _finding_fields() -> _Schema:
    return {
        "path": _field({"type": "string"}, "The file, relative to the repository.", "docs/a.md"),
        "rule": _field(
            {"type": "string", "enum": [word.value for word in PathRule]}, "Which rule it breaks.", "forbidden"
        ),
        "pattern": _text("The pattern that forbids it.", "docs/**"),
    }


def _andon_fields() -> _Schema:
    return {
        "raisedAt": _moment("When it was raised."),
        "raisedBy": _text("Who raised it.", "operator"),
        "reason": _text("Why launching is stopped.", "the main branch is broken"),
        "cleared": _field({"type": ["boolean", "null"]}, "True once launching may go on.", False),
        "clearedAt": _moment("When it was cleared."),
        "clearedBy": _text("Who cleared it.", "operator"),
        "clearNote": _text("What was done about it.", "main is green again"),
        "lastCheckedAt": _moment("When the root's andon was last looked at."),
    }


def _unpublished_fields() -> _Schema:
    return {
        "since": _moment("Since when."),
        "failures": _whole_number("How often in a row it could not be pushed.", 3, least=0),
        "ref": _text("The branch that the state belongs on.", "orch-state/csv-export"),
        "reason": _text("What git said last.", "git push: timed out"),
    }


def _attention_line() -> _Schema:
    """A line of ours, or of a tool that wrote bare text."""
    at = {"type": ["string", "null"], "description": "When it was noticed.", "examples": [_MOMENT]}
    message = {"description": "The line.", "examples": ["export-core was silent for 30m"]}
    line = {"type": "object", "properties": {"at": at, "message": message}, "required": ["message"]}
    return {"anyOf": [line, {"type": "string"}]}
