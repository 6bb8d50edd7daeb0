"""Shapes that only secrets have: keys and tokens by their issuers' forms, and values beside a name that says so.

Every pattern runs in linear time: quantifiers are possessive or bounded. Prose that only talks about secrets stays.
"""

import re
from collections.abc import Callable

REDACTED = "[redacted]"

#: Cloud, code hosting, chat, payment, packages, model providers, infrastructure; JSON web tokens.
_TOKEN = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"
    r"|gh[pousr]_[A-Za-z0-9]{30,255}+|github_pat_[A-Za-z0-9_]{22,255}+"
    r"|gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt|ffct)-[A-Za-z0-9_.-]{20,255}+|AT(?:ATT3|BB|CTT3)[A-Za-z0-9_=-]{24,400}+"
    r"|xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,255}+|xapp-\d-[A-Za-z0-9-]{20,255}+|xwfp-[A-Za-z0-9-]{20,255}+"
    r"|[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,45}(?![A-Za-z0-9_-])"
    r"|AIza[0-9A-Za-z_-]{35}|ya29\.[0-9A-Za-z_-]{20,}+|GOCSPX-[0-9A-Za-z_-]{20,64}+|1//0[A-Za-z0-9_-]{40,128}+"
    r"|[srp]k_(?:live|test)_[0-9a-zA-Z]{16,255}+|whsec_[0-9a-zA-Z]{24,255}+|sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,64}+"
    r"|shp(?:at|ss|ca|pa|ua)_[a-fA-F0-9]{32}|xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}|(?:SK|NRAK-)[0-9a-fA-Z]{27,32}(?![A-Za-z0-9])"
    r"|npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,}+|rubygems_[0-9a-f]{48}|dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,64}+"
    r"|hf_[A-Za-z0-9]{30,64}+|gsk_[A-Za-z0-9]{40,64}+|xai-[A-Za-z0-9]{40,128}+|pplx-[A-Za-z0-9]{40,64}+|r8_[A-Za-z0-9]{37}|tgp_v1_[A-Za-z0-9_-]{30,64}+"
    r"|crsr_[A-Za-z0-9]{32,128}+|key_[0-9a-f]{64}|lin_(?:api|oauth)_[A-Za-z0-9]{40,64}+|dapi[0-9a-f]{32}|do[opr]_v1_[0-9a-f]{64}"
    r"|ntn_[A-Za-z0-9]{40,64}+|figd_[A-Za-z0-9_-]{40,64}+|sbp_[0-9a-f]{40}|sb_secret_[A-Za-z0-9_-]{20,64}+|nfp_[A-Za-z0-9]{36}|PMAK-[0-9a-f]{24}-[0-9a-f]{34}"
    r"|pul-[0-9a-f]{40}|glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}|glc_[A-Za-z0-9+/=]{32,400}+|sntry[su]_[A-Za-z0-9+/=_-]{40,400}+|dp\.(?:pt|st|ct|sa)\.[A-Za-z0-9._-]{40,64}+"
    r"|pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{32,64}+|CCIPAT_[A-Za-z0-9_]{40,100}+|bkua_[0-9a-f]{40}|AGE-SECRET-KEY-1[A-Z0-9]{58}|pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"
    r"|pat-(?:na|eu)\d-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|HRKU-[A-Za-z0-9_-]{36,64}+"
    r"|hv[sbr]\.[A-Za-z0-9_-]{24,}+|SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}|\d{8,10}:AA[A-Za-z0-9_-]{33}"
    r"|eyJ[A-Za-z0-9_-]{10,}+\.[A-Za-z0-9_-]{10,}+\.[A-Za-z0-9_-]{10,}+"
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
    r"(?P<kept>\b(?:proxy-)?authorization(?:\\?[\"'])?\s{0,4}[:=]\s{0,4}(?:\\?[\"'])?(?:(?:bearer|basic|token|digest|apikey)\s{1,4})?"
    r"|\b(?:x-(?:api-key|auth-token|access-token|vault-token)|private-token)(?:\\?[\"'])?\s{0,4}[:=]\s{0,4}(?:\\?[\"'])?|\bbearer\s{1,4})"
    r"(?P<secret>[A-Za-z0-9._~+/=-]{8,}+)",
    re.IGNORECASE,
)
_ASSIGNMENT = re.compile(
    r"(?P<kept>(?P<name>token|secret|passw(?:or)?d|passphrase|(?<=_)pass|(?<=_)pwd|api[_-]?key|"
    r"(?:access|secret|private|account|signing|encryption|master|auth)[_-]?key|credentials?)(?:_BASE|_VALUE|_PROD|_DEV|_STAGING|_V?\d)?(?:\\?[\"'])?"
    r"(?:\s{0,4}(?:=|:)(?![=:])\s{0,4}|(?<=-token)\s|(?<=-secret)\s|(?<=-password)\s|(?<=-api-key)\s)(?:\\?[\"'])?)"
    r"(?P<secret>[^\s\"'`,;<>(){}\[\]$\\]{6,512}+)",
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
#: The name of a query's parameter up to the word that says that it is secret.
_IN_QUERY = re.compile(r"[?&][A-Za-z_-]*\Z")
_LONGEST_PREFIX = 30
_LONG_RUN = re.compile(r"[A-Za-z0-9]{16}")


def without_shapes(text: str) -> str:
    """The text with a mark in the place of whatever has the shape of a secret; what stands around it stays."""
    if "-----BEGIN " in text:
        text = _PEM.sub(REDACTED, text)
    if "://" in text:
        text = _CHAT_HOOK.sub(rf"\1{REDACTED}", text)
        text = _URL_CREDENTIALS.sub(_in_url, text)
    text = _TOKEN.sub(REDACTED, text)
    text = _MODEL_KEY.sub(_if_random, text)
    text = _HEADER.sub(_kept_if(_is_header_secret), text)
    return _ASSIGNMENT.sub(_assigned, text)


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


def _assigned(match: re.Match[str]) -> str:
    """``DB_PASSWORD=...`` as programs write it; in running text only what looks random; of a query one parameter."""
    secret, sign, rest = match["secret"], "", ""
    if _IN_QUERY.search(match.string, *_before(match)):
        secret, sign, rest = secret.partition("&")
    if not _is_assigned_secret(secret, kept=match["kept"], name=match["name"]):
        return match.group()
    return f"{match['kept']}{REDACTED}{sign}{rest}"


def _before(match: re.Match[str]) -> tuple[int, int]:
    return max(0, match.start() - _LONGEST_PREFIX), match.start()


def _is_assigned_secret(secret: str, *, kept: str, name: str) -> bool:
    if _is_placeholder(secret) or secret.startswith(REDACTED):
        return False
    has_digit = re.search(r"\d", secret) is not None
    has_letter = re.search(r"[A-Za-z]", secret) is not None
    if name.isupper() and "=" in kept:
        return has_digit or len(secret) >= _LONG_IN_ENVIRONMENT
    long_enough = _LONG_IN_QUOTES if kept.endswith(("'", '"')) else _LONG_IN_TEXT
    return has_digit and has_letter and len(secret) >= long_enough and "/" not in secret[:1]


def _is_placeholder(secret: str) -> bool:
    return _PLACEHOLDER.match(secret) is not None and not _LONG_RUN.search(secret)
