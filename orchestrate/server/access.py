"""Who calls: the owner of the server, or an agent with a token for its own subtree."""

import base64
import binascii
import hashlib
import hmac
from dataclasses import dataclass

from orchestrate.model.names import AgentId, is_agent_id

_SUBTREE_PREFIX = "subtree"


@dataclass(frozen=True, slots=True)
class Caller:
    """Whose token a request carries; ``agent_id`` is None for the owner."""

    agent_id: AgentId | None = None

    @property
    def scope(self) -> str:
        """What keeps the idempotency keys of different callers apart."""
        return self.agent_id or "owner"

    def can_reach(self, lineage: str) -> bool:
        """The owner reaches every agent, an agent itself and its descendants."""
        return self.agent_id is None or f"/{self.agent_id}/" in lineage


OWNER = Caller()


class Keyring:
    """Checks tokens and derives those of subtrees, so that none of them needs to be kept."""

    def __init__(self, token: str) -> None:
        self._token = token.encode()

    def subtree_token(self, agent_id: AgentId) -> str:
        """The token that reaches the agent and its descendants only."""
        return f"{_SUBTREE_PREFIX}.{agent_id}.{self._signature(agent_id)}"

    def caller(self, authorization: str) -> Caller | None:
        """Whose token stands in an ``Authorization`` header; None if it is nobody's."""
        token = _token_of(authorization)
        if hmac.compare_digest(token.encode(), self._token):
            return OWNER
        prefix, _, rest = token.partition(".")
        agent_id, _, signature = rest.partition(".")
        if prefix != _SUBTREE_PREFIX or not is_agent_id(agent_id):
            return None
        is_signed = hmac.compare_digest(signature.encode(), self._signature(agent_id).encode())
        return Caller(AgentId(agent_id)) if is_signed else None

    def sign_link(self, link: str) -> str:
        """The signature of a link that shall work without a token."""
        return self._sign(f"link {link}")

    def is_signed(self, link: str, *, signature: str) -> bool:
        """Whether the signature of that very link was made here."""
        return hmac.compare_digest(signature.encode(), self.sign_link(link).encode())

    def _signature(self, agent_id: str) -> str:
        return self._sign(f"subtree {agent_id}")

    def _sign(self, text: str) -> str:
        return hmac.new(self._token, text.encode(), hashlib.sha256).hexdigest()


def _token_of(authorization: str) -> str:
    """The token of a Bearer header, or the user name of a Basic one; empty if there is none."""
    scheme, _, value = authorization.strip().partition(" ")
    if scheme.lower() == "bearer":
        return value.strip()
    if scheme.lower() != "basic":
        return ""
    try:
        return base64.b64decode(value, validate=True).decode().partition(":")[0]
    except (binascii.Error, UnicodeDecodeError):
        return ""
