from pathlib import Path

from orchestrate.server.options import IDLE_SECONDS, ServerOptions
from orchestrate.system import SystemClock


def test_a_server_needs_no_more_than_a_folder():
    options = ServerOptions(state_dir=Path("/state"))

    assert (options.port, options.idle_seconds, options.default_agent) == (0, IDLE_SECONDS, None)
    assert options.environment == {}
    assert isinstance(options.clock, SystemClock)
