"""Running git for the server: without a terminal, without hooks, with a deadline, and with few of them at a time."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import anyio

from orchestrate.server.environment import git_environment
from orchestrate.system import DEVNULL

ASK_SECONDS = 30.0
LOCAL_SECONDS = 300.0
TRANSFER_SECONDS = 1800.0

_AT_A_TIME = 8
_LONGEST_REASON = 300
#: git finds hooks, and programs that watch the file system, in configuration that is not ours.
_OWN_CONFIG = ("-c", f"core.hooksPath={Path('/dev/null')}", "-c", "core.fsmonitor=false", "-c", "gc.auto=0")
_PASSING = re.compile(
    r"could not resolve host|timed out|could not connect|failed to connect|connection (?:refused|reset|closed)"
    r"|network is unreachable|early eof|hung up|rpc failed|returned error: 5\d\d|temporary failure",
    re.IGNORECASE,
)


class GitFailed(Exception):
    """git could not do it; ``is_passing`` if the same may work a little later."""

    def __init__(self, reason: str, *, is_passing: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.is_passing = is_passing


@dataclass(frozen=True, slots=True)
class Git:
    """Runs git with what it may know of this machine."""

    environment: Mapping[str, str]
    _limiter: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(_AT_A_TIME))

    async def run(
        self, *arguments: str, at: Path | None = None, repository: Path | None = None, seconds: float = LOCAL_SECONDS
    ) -> str:
        """What git printed; raises GitFailed with git's own reason.

        ``repository`` stands for the one that belongs to the files in ``at``.
        """
        place: tuple[str, ...] = ("-C", str(at)) if at is not None else ()
        if repository is not None:
            place += ("--git-dir", str(repository), "--work-tree", str(at))
        command = ["git", *_OWN_CONFIG, *place, *arguments]
        try:
            async with self._limiter:
                with anyio.fail_after(seconds):
                    done = await anyio.run_process(
                        command,
                        stdin=DEVNULL,
                        check=False,
                        cwd="/",
                        env=git_environment(self.environment, below=at),
                        start_new_session=True,
                    )
        except TimeoutError as error:
            raise GitFailed(f"git {arguments[0]} did not end within {seconds:g} s", is_passing=True) from error
        except OSError as error:
            raise GitFailed(f"git cannot be started: {error.strerror}") from error
        if done.returncode != 0:
            complaint = done.stderr.decode(errors="replace")
            raise GitFailed(_reason(complaint), is_passing=_PASSING.search(complaint) is not None)
        return done.stdout.decode(errors="surrogateescape")


def _reason(complaint: str) -> str:
    """The line that says why, in printable characters."""
    lines = [line.strip() for line in complaint.splitlines() if line.strip()]
    telling = [line for line in lines if line.startswith(("fatal:", "error:", "ERROR:", "!"))] or lines
    reason = telling[0] if telling else "git gave no reason"
    printable = "".join(character if character.isprintable() else " " for character in reason)
    return printable.removeprefix("fatal: ")[:_LONGEST_REASON]
