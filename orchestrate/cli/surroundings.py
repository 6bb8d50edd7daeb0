"""What a run takes from its surroundings, whoever starts it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from orchestrate.cli.settings import Settings

_SECRET_NAME = re.compile(r"(?:TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|PRIVATE_KEY)", re.IGNORECASE)


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
        install=settings.install,
    )


def secrets_in(variables: Mapping[str, str]) -> Iterator[str]:
    """Values that are secret by the names of their variables."""
    return (value for name, value in variables.items() if _SECRET_NAME.search(name))
