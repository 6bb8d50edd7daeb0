"""What a run takes from its surroundings, whoever starts it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from orchestrate.cli.settings import Settings

_SECRET_NAME = re.compile(
    r"(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|API_?KEY|(?:PRIVATE|ACCESS|ACCOUNT|SIGNING|ENCRYPTION|MASTER|AUTH)_KEY"
    r"|_(?:PASS|PWD|PAT|AUTH)\Z)",
    re.IGNORECASE,
)
#: Variables that only say where a secret is, or how many tokens there may be.
_NO_SECRET_NAME = re.compile(
    r"_(?:FILE|PATH|DIR|NAME|ENDPOINT|SOCK|TYPE|COUNT|LIMIT|EXPIRY|TTL)\Z|TOKENS\Z", re.IGNORECASE
)
_NO_SECRET = re.compile(r"\d{1,9}|true|false|yes|no|none|null", re.IGNORECASE)
_LONG_WORD = 12
_IN_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,30}://[^\s/@:]{0,256}:([^\s/@]{1,512})@")


@dataclass(frozen=True, slots=True)
class Environment:
    """What a run takes from its surroundings."""

    variables: Mapping[str, str] = field(repr=False)
    server_folder: Path
    #: Folder in which the command was typed.
    current: Path
    api_key: str | None = field(default=None, repr=False)
    backend_url: str | None = None
    runtime: str | None = None
    #: How many planners stand above this process.
    agent_depth: int = 0
    #: The agent that this process plans for; None outside of one.
    planner_id: str | None = None
    #: How planners install this engine where they run; None for the usual way.
    install: str | None = None


def environment_of(settings: Settings) -> Environment:
    """What a run takes from its surroundings."""
    return Environment(
        variables=settings.environ,
        server_folder=settings.server_folder,
        current=Path.cwd(),
        api_key=settings.api_key,
        backend_url=settings.backend_url,
        runtime=settings.runtime,
        agent_depth=settings.agent_depth,
        planner_id=settings.planner_id,
        install=settings.install,
    )


def secrets_in(variables: Mapping[str, str]) -> Iterator[str]:
    """Values that are secret by the names of their variables, and passwords in addresses."""
    for name, value in variables.items():
        yield from (secret for secret in _IN_ADDRESS.findall(value) if not _is_everyday_word(secret))
        if _SECRET_NAME.search(name) and not _NO_SECRET_NAME.search(name) and not _NO_SECRET.fullmatch(value):
            yield value


def _is_everyday_word(secret: str) -> bool:
    """``postgres`` and ``password`` stand everywhere; to hide them would hide more than they do."""
    return secret.isalpha() and len(secret) < _LONG_WORD
