"""What is kept of a delegation: one record a key, JSON on disk. The prompt stands there only as a digest."""

import hashlib
import uuid
from dataclasses import dataclass, fields, replace
from enum import StrEnum

import orjson

from orchestrate.errors import WorkspaceDamaged
from orchestrate.model.names import AgentId, IdempotencyKey, RunId, Timestamp, is_agent_id

#: Of all agents of delegations; with the account it makes one key mean one agent, also where its record was lost.
_NAMESPACE = uuid.UUID("6a0c1a7e-58f4-4f43-9d8e-2f6c1d0b7a35")
_SCHEMA = 1


class Phase(StrEnum):
    """How far a delegation has come."""

    #: Written before anything is sent.
    RESERVED = "reserved"
    #: The request left and nobody knows what became of it.
    UNKNOWN = "unknown"
    #: The service took it; its run goes on as far as is known here.
    LAUNCHED = "launched"
    #: Its run has ended.
    ENDED = "ended"
    #: Nothing came of it: refused, or not sent after all.
    RELEASED = "released"

    @property
    def is_in_flight(self) -> bool:
        """True while the key may not be used again."""
        return self in (Phase.RESERVED, Phase.UNKNOWN, Phase.LAUNCHED)


class Kind(StrEnum):
    """What was sent."""

    DELEGATE = "delegate"
    FOLLOW_UP = "follow-up"


@dataclass(frozen=True, slots=True)
class Delegation:
    """One key and what it stands for."""

    key: IdempotencyKey
    kind: Kind
    #: What records lie together for: the repository, or the agent of a follow-up.
    scope: str
    agent_id: AgentId
    phase: Phase
    at: Timestamp
    updated_at: Timestamp
    #: How often the key was used before.
    generation: int = 0
    runtime: str = "cloud"
    repo: str | None = None
    ref: str | None = None
    model: str | None = None
    name: str | None = None
    prompt_digest: str | None = None
    prompt_bytes: int | None = None
    run_id: RunId | None = None
    #: The agent's latest run before a follow-up.
    base_run_id: RunId | None = None
    #: The run's last status.
    status: str | None = None
    url: str | None = None

    @property
    def header_key(self) -> str:
        """The key as the service gets it: a key that is used again is another one there."""
        return self.key if self.generation == 0 else f"{self.key}.{self.generation}"

    def moved(self, phase: Phase, *, at: Timestamp, **changes: object) -> "Delegation":
        """The record from now on."""
        return replace(self, phase=phase, updated_at=at, **changes)  # type: ignore[arg-type]  # fields by their names


def agent_id_of(key: str, *, generation: int, account: str) -> AgentId:
    """The agent id that a key stands for; ``account`` is the credential, of which only a digest goes in."""
    space = uuid.uuid5(_NAMESPACE, hashlib.sha256(account.encode()).hexdigest())
    return AgentId(f"bc-{uuid.uuid5(space, f'{key}/{generation}')}")


def digest_of(text: str) -> str:
    """A digest that stands for a text in names and records."""
    return hashlib.sha256(text.encode()).hexdigest()


def encode(record: Delegation) -> bytes:
    """The record as it stands on disk."""
    document = {_camel(item.name): getattr(record, item.name) for item in fields(record)}
    kept = {name: value for name, value in document.items() if value is not None}
    return orjson.dumps({"schemaVersion": _SCHEMA, **kept}, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def decode(data: bytes) -> Delegation:
    """The record on disk; WorkspaceDamaged for what is none."""
    try:
        document = orjson.loads(data)
        if document.get("schemaVersion") != _SCHEMA:
            raise ValueError("schemaVersion")
        values = {item.name: document.get(_camel(item.name), item.default) for item in fields(Delegation)}
        record = Delegation(**{**values, "kind": Kind(values["kind"]), "phase": Phase(values["phase"])})
        _check(record)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise WorkspaceDamaged(f"it is no record of a delegation: {type(error).__name__}") from error
    return record


def _check(record: Delegation) -> None:
    texts = (record.key, record.scope, record.at, record.updated_at, record.runtime)
    optional = (record.repo, record.ref, record.model, record.name, record.run_id, record.base_run_id, record.status)
    if not all(isinstance(text, str) and text for text in texts) or not is_agent_id(record.agent_id):
        raise ValueError("text")
    if not all(text is None or isinstance(text, str) for text in (*optional, record.prompt_digest, record.url)):
        raise ValueError("text")
    if not isinstance(record.generation, int) or record.generation < 0:
        raise ValueError("generation")


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
