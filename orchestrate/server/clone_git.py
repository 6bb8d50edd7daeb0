"""git in a clone that an agent has had in its hands: its objects, refs and files, and nothing of what it configured.

A clone's configuration can name programs (filters, helpers, transports) and other addresses, which git would run and
follow as the server. So git gets a repository of ours for as long as it is asked: a configuration with no more than
how the clone is stored, and links to what the clone holds.
"""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from orchestrate.server.git import ASK_SECONDS, LOCAL_SECONDS, Git, GitFailed
from orchestrate.server.private_files import read_regular_file

_HELD = ("objects", "refs", "reftable", "packed-refs", "logs", "index", "shallow", "info")
#: How objects, refs and files are stored; values are numbers or words.
_STORED = (
    r"^(core\.(repositoryformatversion|filemode|symlinks|ignorecase|precomposeunicode|autocrlf|eol)"
    r"|extensions\.(objectformat|refstorage))$"
)
_SETTING = re.compile(r"([a-z]+)\.([a-z]+)\n([A-Za-z0-9]*)\Z")
_OURS = "[core]\n\tbare = false\n\tlogallrefupdates = true\n"
_LONGEST_HEAD = 4096


@dataclass(frozen=True, slots=True)
class CloneGit:
    """Runs git in one clone."""

    path: Path
    _git: Git
    _repository: Path

    async def run(self, *arguments: str, seconds: float = LOCAL_SECONDS) -> str:
        """What git printed; raises GitFailed with git's own reason."""
        return await self._git.run(*arguments, at=self.path, repository=self._repository, seconds=seconds)

    async def line(self, *arguments: str) -> str:
        """What git printed, without white space around it."""
        return (await self.run(*arguments)).strip()


@asynccontextmanager
async def opened_clone(git: Git, path: Path) -> AsyncIterator[CloneGit]:
    """The clone, for a while; raises GitFailed if there is none with a repository of its own."""
    own = path / ".git"
    head = None if own.is_symlink() else read_regular_file(own / "HEAD", limit=_LONGEST_HEAD)
    if head is None:
        raise GitFailed(f"{path} has no repository of its own any more")
    settings = await _settings(git, own)
    try:
        folder = TemporaryDirectory(prefix=".git-", dir=path.parent, ignore_cleanup_errors=True)
    except OSError as error:
        raise GitFailed(f"{path.parent} cannot be written: {error.strerror}") from error
    with folder as name:
        repository = Path(name)
        try:
            _lay_out(repository, own=own, head=head, settings=settings)
        except OSError as error:
            raise GitFailed(f"{path.parent} cannot be written: {error.strerror}") from error
        yield CloneGit(path, git, repository)


async def _settings(git: Git, own: Path) -> str:
    """How the clone is stored, as text of a configuration file; what cannot be read is as git has it by default."""
    asked = ("config", "--file", str(own / "config"), "--no-includes", "--null", "--get-regexp", _STORED)
    try:
        said = await git.run(*asked, seconds=ASK_SECONDS)
    except GitFailed:
        return ""
    found = [setting.groups() for each in said.split("\0") if (setting := _SETTING.match(each))]
    return "".join(f"[{section}]\n\t{name} = {value}\n" for section, name, value in found)


def _lay_out(repository: Path, *, own: Path, head: bytes, settings: str) -> None:
    (repository / "HEAD").write_bytes(head)
    (repository / "config").write_text(settings + _OURS, encoding="ascii")
    for name in _HELD:
        if (own / name).exists():
            (repository / name).symlink_to(own / name)
