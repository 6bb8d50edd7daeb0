"""What a remote repository holds, asked of the git program.

git sees only the environment that it is given, only checked addresses and refs, only allowed protocols, and no
terminal: it never asks anybody for anything. Every question has a deadline, at which its whole process group ends.
"""

import os
import re
import shutil
import signal
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType

import anyio
from anyio.abc import ByteReceiveStream, ByteSendStream, Process

from orchestrate.errors import Refused, ServiceError, Unavailable
from orchestrate.model.names import is_valid_ref
from orchestrate.repo.address import address_fault

PROTOCOLS = frozenset({"https", "ssh", "file"})
DEADLINE_SECONDS = 10.0
_GIVING_WAY = ("nice", "-n", "10")

_HEADS = "refs/heads/"
_LONGEST_REASON = 300
_NO_VARIABLES: Mapping[str, str] = MappingProxyType({})
#: What git says of a push that somebody else's was faster than.
_OVERTAKEN = re.compile(
    r"\[(?:remote )?rejected\].*\((?:non-fast-forward|fetch first|stale info|.*cannot lock ref.*"
    r"|.*already exists.*|.*failed to update ref.*|.*incorrect old value.*)\)"
)
#: The code of such a push.
OVERTAKEN = "overtaken"
#: Set for every call: no question at a terminal or in a window, messages in English, no repository but the asked one.
_FIXED_ENVIRONMENT = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
    "SSH_ASKPASS_REQUIRE": "never",
    "GCM_INTERACTIVE": "never",
    "LC_ALL": "C",
}
_FOREIGN_REPOSITORY = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_PREFIX")
#: What git and ssh say of things that will not change by asking again, each with its code.
_FINAL_REASONS = (
    (
        re.compile(r"repository .*not found|does not appear to be a git repository|does not exist", re.IGNORECASE),
        "repository_not_found",
    ),
    (
        re.compile(
            r"authentication failed|could not read (?:username|password)|permission denied"
            r"|host key verification failed|dubious ownership|transport .* not allowed",
            re.IGNORECASE,
        ),
        "repository_access",
    ),
)


@dataclass(frozen=True, slots=True)
class BranchThere:
    """The remote has the branch, at this commit."""

    sha: str


@dataclass(frozen=True, slots=True)
class BranchAbsent:
    """The remote answered and has no such branch."""


@dataclass(frozen=True, slots=True)
class BranchUnknown:
    """The remote could not be asked; nothing follows from that."""

    reason: str


BranchLookUp = BranchThere | BranchAbsent | BranchUnknown


@dataclass(frozen=True, slots=True)
class Git:
    """Asks git; ``environment`` is all that git gets to know of this machine."""

    environment: Mapping[str, str]
    deadline_seconds: float = DEADLINE_SECONDS
    protocols: frozenset[str] = PROTOCOLS
    #: True for work in the background: it takes the processors that nobody else wants.
    gives_way: bool = False
    #: A call that prints more is ended; None where what is asked for bounds the answer.
    most_bytes: int | None = None

    async def is_installed(self) -> bool:
        """True if there is a git that answers."""
        try:
            await self._run(["--version"])
        except ServiceError:
            return False
        return True

    async def output(
        self, arguments: Sequence[str], *, given: bytes = b"", variables: Mapping[str, str] = _NO_VARIABLES
    ) -> bytes:
        """What git prints when it is called so; Refused or Unavailable with its reason when it fails.

        Whoever calls has checked addresses and refs among the arguments. ``given`` is what git reads, ``variables``
        are ours: what the environment may not say of a foreign repository, they may.
        """
        return await self._run(arguments, given=given, variables=variables)

    async def remote_heads(self, url: str, branches: Sequence[str] = ()) -> Mapping[str, str]:
        """Branch names of the remote with their commits; of the given branches only, if there are any.

        Raises `Refused` for an address, a ref or a right that will not do, `Unavailable` when the remote cannot be
        asked now.
        """
        fault = address_fault(url, protocols=self.protocols)
        if fault is not None:
            raise Refused(f"the repository's address {fault}", code="invalid_address")
        for branch in branches:
            if not is_valid_ref(branch):
                raise Refused(f"{branch!r} is no name of a branch", code="invalid_ref")
        output = await self._run(["ls-remote", "--heads", "--", url, *(_HEADS + branch for branch in branches)])
        heads = dict(_read_heads(output))
        return {branch: heads[branch] for branch in branches if branch in heads} if branches else heads

    async def remote_branch_names(self, url: str) -> frozenset[str]:
        """All branches of the remote."""
        return frozenset(await self.remote_heads(url))

    async def look_up_branch(self, url: str, branch: str) -> BranchLookUp:
        """There, absent, or unknown; it never raises for what the remote does."""
        try:
            heads = await self.remote_heads(url, [branch])
        except ServiceError as error:
            return BranchUnknown(error.message)
        return BranchThere(heads[branch]) if branch in heads else BranchAbsent()

    async def _run(
        self, arguments: Sequence[str], *, given: bytes = b"", variables: Mapping[str, str] = _NO_VARIABLES
    ) -> bytes:
        environment = self._full_environment() | dict(variables)
        try:
            with anyio.fail_after(self.deadline_seconds):
                command = [*self._prefix(environment), "git", *arguments]
                status, output, complaint = await _run(
                    command, environment=environment, given=given, most_bytes=self.most_bytes
                )
        except TimeoutError as error:
            message = f"git {_command(arguments)} did not end within {self.deadline_seconds:g} seconds"
            raise Unavailable(message, code="timeout") from error
        except OSError as error:
            raise Refused("git cannot be started", code="git_missing", hint="install git") from error
        if self.most_bytes is not None and len(output) > self.most_bytes:
            raise Refused(f"git {_command(arguments)} said more than {self.most_bytes:,} bytes", code="too_large")
        if status != 0:
            raise _failure(_command(arguments), complaint.decode("utf-8", "replace"))
        return output

    def _prefix(self, environment: Mapping[str, str]) -> Sequence[str]:
        """What lowers the priority of git and of all that it starts; nothing where the system has no such program."""
        path = environment.get("PATH")
        has_both = self.gives_way and shutil.which("nice", path=path) and shutil.which("git", path=path)
        return _GIVING_WAY if has_both else ()

    def _full_environment(self) -> dict[str, str]:
        given = {name: value for name, value in self.environment.items() if name not in _FOREIGN_REPOSITORY}
        full = given | _FIXED_ENVIRONMENT | {"GIT_ALLOW_PROTOCOL": ":".join(sorted(self.protocols))}
        if "GIT_SSH_COMMAND" not in full and "GIT_SSH" not in full:
            full["GIT_SSH_COMMAND"] = "ssh -o BatchMode=yes"
        return full


async def _run(
    command: Sequence[str], *, environment: Mapping[str, str], given: bytes, most_bytes: int | None
) -> tuple[int, bytes, bytes]:
    output, complaint = bytearray(), bytearray()
    async with await anyio.open_process(command, cwd="/", env=dict(environment), start_new_session=True) as process:
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(_give, process.stdin, given)
                group.start_soon(_collect, process, process.stdout, output, most_bytes)
                group.start_soon(_collect, process, process.stderr, complaint, most_bytes)
            return await process.wait(), bytes(output), bytes(complaint)
        except BaseException:
            _end_group(process)
            raise


async def _give(stream: ByteSendStream | None, given: bytes) -> None:
    assert stream is not None
    if given:
        with suppress(anyio.BrokenResourceError):  # git ended without reading all; its status says why
            await stream.send(given)
    await stream.aclose()


async def _collect(process: Process, stream: ByteReceiveStream | None, into: bytearray, most_bytes: int | None) -> None:
    assert stream is not None
    async for chunk in stream:
        into += chunk
        if most_bytes is not None and len(into) > most_bytes:
            _end_group(process)
            return


def _end_group(process: Process) -> None:
    """End git and what it has started (ssh, a transfer); its process id is still ours, for nobody has waited for it."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _read_heads(output: bytes) -> Iterable[tuple[str, str]]:
    for line in output.decode("utf-8", "surrogateescape").split("\n"):
        sha, _, ref = line.partition("\t")
        if ref.startswith(_HEADS):
            yield ref.removeprefix(_HEADS), sha


def _command(arguments: Sequence[str]) -> str:
    """Git's word for what is done, behind the options that stand before it."""
    rest = list(arguments)
    while rest and rest[0].startswith("-") and len(rest) > 1:
        del rest[: 2 if rest[0] in ("-C", "-c") else 1]
    return rest[0]


def _failure(command: str, complaint: str) -> ServiceError:
    reason = _reason(complaint)
    for words, code in _FINAL_REASONS:
        if words.search(complaint):
            return Refused(f"git {command}: {reason}", code=code, hint="check the address and git's access to it")
    code = OVERTAKEN if _OVERTAKEN.search(complaint) else "git_failed"
    return Unavailable(f"git {command}: {reason}", code=code)


def _reason(complaint: str) -> str:
    """The line that says why, in printable characters."""
    lines = [line.strip() for line in complaint.splitlines() if line.strip()]
    telling = (
        [line for line in lines if "rejected]" in line and line.startswith("!")]
        or [line for line in lines if line.startswith(("fatal:", "ERROR:", "error:"))]
        or lines
        or ["no reason given"]
    )
    printable = "".join(character if character.isprintable() else " " for character in telling[0])
    return printable.removeprefix("fatal: ")[:_LONGEST_REASON]
