"""What a run takes from the settings of its command."""

from pathlib import Path

from orchestrate.cli.running import Environment
from orchestrate.cli.settings import Settings


def environment_of(settings: Settings) -> Environment:
    """What a run takes from its surroundings."""
    return Environment(
        variables=settings.environ,
        state_dir=settings.state_dir,
        current=Path.cwd(),
        api_key=settings.api_key,
        backend_url=settings.backend_url,
        runtime=settings.runtime,
        agent_depth=settings.agent_depth,
    )
