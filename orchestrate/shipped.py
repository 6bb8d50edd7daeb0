"""Where the files that come with the program are: ``templates``, ``plans``, ``examples`` and ``skills``."""

from pathlib import Path

from orchestrate.errors import OrchestrateError

_PACKAGE = Path(__file__).parent


def shipped(name: str) -> Path:
    """The folder of that name: inside the package as a wheel installs it, beside the package in a checkout."""
    places = (_PACKAGE / "_shipped" / name, _PACKAGE.parent / name)
    for place in places:
        if place.is_dir():
            return place
    raise OrchestrateError(f"the folder {name} is missing from this installation", hint="install the program again")
