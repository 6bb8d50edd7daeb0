"""JSON without secrets: the texts in it lose theirs, and it stays JSON."""

import json

from orchestrate.text.redaction import Redactor

#: Fields that things are found by: names, ids and moments of our own, never anybody's words.
_NAMES = frozenset(
    {
        "name", "type", "status", "agentId", "runId", "parentAgentId", "workspaceId", "rootSlug", "idempotencyKey",
        "selfAgentId", "headSha", "startingSha", "sha", "branch", "startingRef", "baseBranch", "dependsOn", "refFrom",
        "handoffPath", "startedAt", "finishedAt", "lastUpdate", "at", "by", "handledRequests", "andonStateRef",
        "andonStatePath", "reportedBranch",
    }
)  # fmt: skip


def redacted_json(text: str, redactor: Redactor) -> str:
    """The same text where nothing is found in it, else the same document without secrets; ValueError for no JSON."""
    if not redactor.holds_secret(text):
        return text
    document = json.loads(text)
    redacted = _redacted(document, redactor)
    return text if redacted == document else json.dumps(redacted, ensure_ascii=False, indent=_indent(text))


def _redacted(value: object, redactor: Redactor) -> object:
    if isinstance(value, str):
        return redactor.redact(value)
    if isinstance(value, list):
        return [_redacted(item, redactor) for item in value]
    if isinstance(value, dict):
        return {key: item if key in _NAMES else _redacted(item, redactor) for key, item in value.items()}
    return value


def _indent(text: str) -> int | None:
    """People's files have lines, ours have not."""
    return 2 if "\n" in text.strip() else None
