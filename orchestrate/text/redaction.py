"""Secrets taken out of text before it is stored, sent on or shown: known values, and shapes that only secrets have.

Every pattern runs in linear time: quantifiers are possessive or bounded. Prose that only talks about secrets stays.
"""

import base64
import re
from collections.abc import Callable, Iterable
from urllib.parse import quote

REDACTED = "[redacted]"
#: Shorter values occur by chance.
_SHORTEST_SECRET = 6

_TOKEN = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"  # AWS key ids
    r"|gh[pousr]_[A-Za-z0-9]{30,255}+|github_pat_[A-Za-z0-9_]{22,255}+"
    r"|gl(?:pat|dt|rt|cbt|ptt|ft|soat)-[A-Za-z0-9_.-]{20,255}+"
    r"|xox[abeoprs]-[A-Za-z0-9-]{10,255}+|xapp-\d-[A-Za-z0-9-]{20,255}+"
    r"|AIza[0-9A-Za-z_-]{35}|ya29\.[0-9A-Za-z_-]{20,}+|GOCSPX-[0-9A-Za-z_-]{20,64}+"
    r"|[srp]k_(?:live|test)_[0-9a-zA-Z]{16,255}+|whsec_[0-9a-zA-Z]{24,255}+"
    r"|npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,}+|rubygems_[0-9a-f]{48}|dckr_pat_[A-Za-z0-9_-]{20,64}+"
    r"|hf_[A-Za-z0-9]{30,64}+|gsk_[A-Za-z0-9]{40,64}+|xai-[A-Za-z0-9]{40,128}+|pplx-[A-Za-z0-9]{40,64}+|r8_[A-Za-z0-9]{37}"
    r"|crsr_[A-Za-z0-9]{32,128}+|key_[0-9a-f]{64}|lin_api_[A-Za-z0-9]{40}|dapi[0-9a-f]{32}|do[opr]_v1_[0-9a-f]{64}"
    r"|hv[sbr]\.[A-Za-z0-9_-]{24,}+|SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}|\d{8,10}:AA[A-Za-z0-9_-]{33}"
    r"|eyJ[A-Za-z0-9_-]{10,}+\.[A-Za-z0-9_-]{10,}+\.[A-Za-z0-9_-]{10,}+"  # JSON web tokens
    r")"
)
_MODEL_KEY = re.compile(r"(?<![A-Za-z0-9-])sk-[A-Za-z0-9_-]{20,}+")
_CHAT_HOOK = re.compile(
    r"(https://(?:hooks\.slack\.com/(?:services|workflows|triggers)|(?:canary\.|ptb\.)?discord(?:app)?\.com/api/webhooks)/)"
    r"[A-Za-z0-9_/-]{20,255}+"
)
_PEM = re.compile(
    r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    r"(?>(?:(?:\s|\\[nr])*+[A-Za-z][A-Za-z-]{1,40}: [^\n\\]{0,200}+(?=\n|\\n))*+)"
    r"(?>(?:(?:\s|\\[nr])*+=?[A-Za-z0-9+/]{16,}+={0,2})++)"
    r"(?>(?:(?:\s|\\[nr])*+=?[A-Za-z0-9+/]{1,15}+={0,2}(?=\s|\\[nr]|-))?+)"
    r"(?>(?:(?:\s|\\[nr])*+-----END [A-Z0-9 ]{1,60}+-----)?+)"
)
_URL_CREDENTIALS = re.compile(
    r"(?<![A-Za-z0-9+.-])(?P<scheme>[A-Za-z][A-Za-z0-9+.-]{1,30}+://)(?P<user>[^\s/@:'\"`<>()]{0,256}+)"
    r":(?P<secret>[^\s/@'\"`<>()]{1,512}+)@"
)
_HEADER = re.compile(
    r"(?P<kept>\b(?:proxy-)?authorization[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?:(?:bearer|basic|token|digest|apikey)\s{1,4})?"
    r"|\bx-(?:api-key|auth-token|access-token)[\"']?\s{0,4}[:=]\s{0,4}[\"']?|\bbearer\s{1,4})(?P<secret>[A-Za-z0-9._~+/=-]{8,}+)",
    re.IGNORECASE,
)
_ASSIGNMENT = re.compile(
    r"(?P<kept>(?P<name>token|secret|passw(?:or)?d|passphrase|api[_-]?key|access[_-]?key|secret[_-]?key|private[_-]?key|account[_-]?key|"
    r"credentials?)[\"']?\s{0,4}(?:=|:)(?![=:])\s{0,4}[\"']?)(?P<secret>[^\s\"'`,;<>(){}\[\]$]{6,512}+)",
    re.IGNORECASE,
)
#: Lengths from which on a value of mixed letters and digits is no word of prose, by how it stands there.
_LONG_IN_HEADER = 20
_LONG_IN_ENVIRONMENT = 12
_LONG_IN_TEXT = 16
_LONG_IN_QUOTES = 8
#: What stands in documentation in a secret's place.
_PLACEHOLDER = re.compile(
    r"(?:x{3,}|\*+|\.+|-+|_+|your|my|some|the|example|sample|dummy|fake|test|changeme|redacted|placeholder|password|passwd|secret|token|"
    r"user|pass|api[_-]?key|none|null|true|false|undefined|string|str|bytes|optional|process\.env|os\.environ|env\.|secrets\.|\$|%|\{)",
    re.IGNORECASE,
)
_LONG_RUN = re.compile(r"[A-Za-z0-9]{16}")


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
        return _without_shapes(text)


def _forms(secret: str) -> set[str]:
    """The value as it is, in an address, in JSON, and in base64."""
    encoded = secret.encode("utf-8", "surrogatepass")
    plain = base64.b64encode(encoded).decode()
    in_json = secret.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    forms = {secret, quote(encoded, safe=""), in_json, plain, base64.urlsafe_b64encode(encoded).decode()}
    return {form for form in forms if len(form) >= _SHORTEST_SECRET} | {plain.rstrip("=")}


def _without_shapes(text: str) -> str:
    if "-----BEGIN " in text:
        text = _PEM.sub(REDACTED, text)
    if "://" in text:
        text = _CHAT_HOOK.sub(rf"\1{REDACTED}", text)
        text = _URL_CREDENTIALS.sub(_in_url, text)
    text = _TOKEN.sub(REDACTED, text)
    text = _MODEL_KEY.sub(_if_random, text)
    text = _HEADER.sub(_kept_if(_is_header_secret), text)
    return _ASSIGNMENT.sub(_kept_if(_is_assigned_secret), text)


def _in_url(match: re.Match[str]) -> str:
    secret = match["secret"]
    if secret == REDACTED or _is_placeholder(secret):
        return match.group()
    return f"{match['scheme']}{REDACTED}@"


def _if_random(match: re.Match[str]) -> str:
    """``sk-learn-how-to-write`` is prose; a key has a long run of letters and digits."""
    return REDACTED if _LONG_RUN.search(match.group()) and re.search(r"\d", match.group()) else match.group()


def _kept_if(is_secret: Callable[[re.Match[str]], bool]) -> Callable[[re.Match[str]], str]:
    def replaced(match: re.Match[str]) -> str:
        return f"{match['kept']}{REDACTED}" if is_secret(match) else match.group()

    return replaced


def _is_header_secret(match: re.Match[str]) -> bool:
    secret = match["secret"]
    return not _is_placeholder(secret) and (re.search(r"\d", secret) is not None or len(secret) >= _LONG_IN_HEADER)


def _is_assigned_secret(match: re.Match[str]) -> bool:
    """``DB_PASSWORD=...`` as programs write it; in running text only what looks random."""
    secret, kept = match["secret"], match["kept"]
    if _is_placeholder(secret) or secret.startswith(REDACTED):
        return False
    has_digit = re.search(r"\d", secret) is not None
    has_letter = re.search(r"[A-Za-z]", secret) is not None
    if match["name"].isupper() and "=" in kept:
        return has_digit or len(secret) >= _LONG_IN_ENVIRONMENT
    long_enough = _LONG_IN_QUOTES if kept.endswith(("'", '"')) else _LONG_IN_TEXT
    return has_digit and has_letter and len(secret) >= long_enough and "/" not in secret[:1]


def _is_placeholder(secret: str) -> bool:
    return _PLACEHOLDER.match(secret) is not None and not _LONG_RUN.search(secret)
