"""What a command takes from its surroundings, read once: the only place that looks at the environment.

Order of precedence for whoever uses it: a flag, then ``ORCHESTRATE_*``, then the plan, then the default.
"""

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from orchestrate.errors import InputRefused

#: Taken from the real environment only: whoever writes an ``--env-file`` may not send a key elsewhere.
BACKEND_VARIABLE = "CURSOR_BACKEND_URL"
KEY_VARIABLE = "CURSOR_API_KEY"

_PROGRAM = "orchestrate"
_LARGEST_DEPTH = 1000
#: Of a value that is none, so much is shown.
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Streams:
    """Which of the standard streams are terminals, and whether they can show more than ASCII."""

    stdin_is_terminal: bool = False
    stdout_is_terminal: bool = False
    stderr_is_terminal: bool = False
    has_unicode: bool = True


@dataclass(frozen=True, slots=True)
class Settings:
    """The surroundings of one command."""

    #: The whole environment, for ``passEnv``, git and new processes.
    environ: Mapping[str, str] = field(repr=False)
    state_dir: Path
    cache_dir: Path
    #: How the reader calls this program; begins the commands that messages suggest.
    program: str = _PROGRAM
    api_key: str | None = field(default=None, repr=False)
    backend_url: str | None = None
    #: ``ORCHESTRATE_RUNTIME`` as it stands there.
    runtime: str | None = None
    #: How many planners stand above this process.
    agent_depth: int = 0
    #: ``ORCHESTRATE_PLANNER_ID``: the agent that this process plans for.
    planner_id: str | None = None
    #: ``ORCHESTRATE_INSTALL``: how planners install this engine where they run.
    install: str | None = None
    is_ci: bool = False
    no_color: bool = False
    force_color: bool = False
    term: str = ""
    #: ``COLUMNS`` and ``LINES``, for output that is no terminal.
    columns: int | None = None
    rows: int | None = None
    streams: Streams = Streams()

    @property
    def server_folder(self) -> Path:
        """Where the user's local server keeps its state."""
        return self.state_dir / "server"

    @property
    def is_dumb(self) -> bool:
        """True for a terminal that can only add lines."""
        return self.term == "dumb"


def settings_of(
    variables: Mapping[str, str],
    *,
    streams: Streams,
    program: str = _PROGRAM,
    file_variables: Mapping[str, str] | None = None,
) -> Settings:
    """The settings in these variables; those of a file stand in only where the environment has none."""
    everything = {**(file_variables or {}), **variables}
    home = Path(everything.get("HOME") or Path.home())
    return Settings(
        environ=everything,
        state_dir=_folder(everything, "XDG_STATE_HOME", home / ".local" / "state"),
        cache_dir=_folder(everything, "XDG_CACHE_HOME", home / ".cache"),
        program=program,
        api_key=everything.get(KEY_VARIABLE) or None,
        backend_url=variables.get(BACKEND_VARIABLE) or None,
        runtime=everything.get("ORCHESTRATE_RUNTIME") or None,
        agent_depth=_depth(everything.get("ORCHESTRATE_AGENT_DEPTH")),
        planner_id=everything.get("ORCHESTRATE_PLANNER_ID", "").strip() or None,
        install=everything.get("ORCHESTRATE_INSTALL", "").strip() or None,
        is_ci=everything.get("CI", "").lower() not in ("", "0", "false"),
        no_color=bool(everything.get("NO_COLOR")),
        force_color=everything.get("FORCE_COLOR", "").lower() not in ("", "0", "false"),
        term=everything.get("TERM", ""),
        columns=_size(everything.get("COLUMNS")),
        rows=_size(everything.get("LINES")),
        streams=streams,
    )


def read_settings(*, file_variables: Mapping[str, str] | None = None) -> Settings:
    """The settings of this process."""
    return settings_of(read_variables(), streams=_own_streams(), program=own_program(), file_variables=file_variables)


def read_variables() -> dict[str, str]:
    """The environment as it is."""
    return dict(os.environ)


def own_program() -> str:
    """What the reader types to call this program again."""
    return program_of(sys.orig_argv, sys.argv[0] if sys.argv else "", search_path=os.environ.get("PATH", ""))


def program_in_help() -> str:
    """The same without the path of the interpreter: help is to be read, messages are to be typed."""
    return f"python -m {_PROGRAM}" if "-m" in sys.orig_argv else _PROGRAM


def program_of(original: Sequence[str], script: str, *, search_path: str) -> str:
    """The words that call this program: those of the process, shortened where the search path finds the same."""
    if "-m" in original:
        return f"{_shortened(original[0], search_path=search_path)} -m {_PROGRAM}"
    return _shortened(script, search_path=search_path) if Path(script).name == _PROGRAM else _PROGRAM


def _shortened(program: str, *, search_path: str) -> str:
    path = Path(program)
    for folder in filter(None, search_path.split(os.pathsep)):
        if os.access(Path(folder) / path.name, os.X_OK):
            return path.name if folder == str(path.parent) or program == path.name else shlex.quote(program)
    return shlex.quote(program)


def _folder(variables: Mapping[str, str], name: str, default: Path) -> Path:
    """The folder of ours in an XDG one; a relative path does not count there."""
    named = variables.get(name, "")
    return (Path(named) if named.startswith("/") else default) / _PROGRAM


def _depth(text: str | None) -> int:
    if not text:
        return 0
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(_LARGEST_DEPTH))
    if not (is_number and int(text) <= _LARGEST_DEPTH):
        raise InputRefused(
            f'ORCHESTRATE_AGENT_DEPTH is "{text[:_SHOWN]}", which is no depth',
            hint="leave it out; an engine sets it for planners that it starts",
        )
    return int(text)


def _size(text: str | None) -> int | None:
    """A number of columns or lines; anything else counts for nothing, as other programs have it."""
    return int(text) if text and text.isascii() and text.isdigit() and 0 < len(text) <= 5 and int(text) else None  # noqa: PLR2004  more digits are no screen


def _own_streams() -> Streams:
    return Streams(
        stdin_is_terminal=_is_terminal(0),
        stdout_is_terminal=_is_terminal(1),
        stderr_is_terminal=_is_terminal(2),
        has_unicode=_has_unicode(),
    )


def _is_terminal(descriptor: int) -> bool:
    try:
        return os.isatty(descriptor)
    except OSError:
        return False


def _has_unicode() -> bool:
    encoding = getattr(sys.stderr, "encoding", None) or ""
    return encoding.lower().replace("-", "").replace("_", "") in ("utf8", "utf8sig")
