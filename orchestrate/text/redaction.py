"""Secrets taken out of text before it is stored, sent on or shown: known values, and shapes that only secrets have."""

import base64
import re
from collections.abc import Iterable
from urllib.parse import quote

from orchestrate.model.secret_shapes import REDACTED, without_shapes

__all__ = ["REDACTED", "Redactor"]

#: Shorter values occur by chance.
_SHORTEST_SECRET = 6


class Redactor:
    """Replaces secrets by a mark; made once from the values that must never be seen."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        values = {
            form for secret in secrets if len(secret.strip()) >= _SHORTEST_SECRET for form in _forms(secret.strip())
        }
        longest_first = sorted(values, key=lambda value: (-len(value), value))
        self._known = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None

    def redact(self, text: str) -> str:
        """The text without known values and without anything that has the shape of a secret."""
        if self._known is not None:
            text = self._known.sub(REDACTED, text)
        return without_shapes(text)

    def holds_secret(self, text: str) -> bool:
        """True if redaction would change the text."""
        return self.redact(text) != text


def _forms(secret: str) -> set[str]:
    """The value as it is, in an address, in JSON, and in base64."""
    encoded = secret.encode("utf-8", "surrogatepass")
    plain = base64.b64encode(encoded).decode()
    in_json = secret.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    forms = {secret, quote(encoded, safe=""), in_json, plain, base64.urlsafe_b64encode(encoded).decode()}
    return {form for form in forms if len(form) >= _SHORTEST_SECRET} | {plain.rstrip("=")}
