"""The JSON schema of a message to an agent, as it stands in a row."""

from orchestrate.model.schema_fields import EXAMPLE_MOMENT, Schema, field, moment, text, whole_number, word
from orchestrate.model.vocabulary import MessageDelay, TaskStatus

_UUID = "11111111-1111-4111-8111-111111111111"
_RUN = f"run-{_UUID}"


def row_fields() -> Schema:
    """The fields of a row that messages are in."""
    return {
        "queue": field(
            {"type": ["array", "null"], "items": {"$ref": "#/$defs/Message"}},
            "Messages to the agent, in their order; each is sent once the run before it has ended.",
            [{"id": _UUID, "key": _UUID, "digest": "0" * 64, "baseRunId": _RUN}],
        ),
        "runs": field(
            {"type": ["array", "null"], "items": {"type": "object"}},
            "The runs that messages have begun.",
            [{"id": _RUN, "message": _UUID, "attempt": 1, "at": EXAMPLE_MOMENT, "after": _RUN}],
        ),
    }


def message_fields() -> Schema:
    """Its fields, each with a sentence and an example."""
    return {
        "id": field({"type": "string"}, "Names the file of its text.", _UUID),
        "key": field({"type": "string"}, "Sent with each repetition of it.", _UUID),
        "digest": field({"type": "string"}, "SHA-256 of the text.", "0" * 64),
        "by": text("Who wrote it.", "ana@build-host"),
        "at": moment("When it was taken in."),
        "baseRunId": text("The agent's newest run before it was sent.", _RUN),
        "runId": text("The run that it began, while that goes on.", _RUN),
        "dueAt": moment("Since when it is its turn."),
        "former": word(TaskStatus, "Where the task stood then.", TaskStatus.HANDED_OFF),
        "sentAt": moment("Since when it may have left."),
        "delay": word(MessageDelay, 'Why the last answer said "later".', MessageDelay.BUSY),
        "delays": whole_number("How many answers said so.", 1, least=0),
        "step": whole_number("How many orders were given for it.", 2, least=0),
        "reservedCents": field(
            {"type": "number", "minimum": 0}, "What its run sets aside, from its turn on. In cents.", 92.5
        ),
    }
