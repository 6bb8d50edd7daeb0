"""Running one command with bounds: so many seconds, so many bytes, and an end for all that it has started."""

import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import anyio
from anyio.abc import ByteReceiveStream, Process

#: Of what a command complains about, what is kept.
_COMPLAINT = 4_000


@dataclass(frozen=True, slots=True)
class Finished:
    """How a command ended; ``fault`` says why it gave no result, and is None where it did."""

    stdout: bytes
    complaint: bytes
    fault: str | None


async def run_bounded(
    argv: Sequence[str], *, folder: Path, environment: Mapping[str, str], seconds: float, most_bytes: int
) -> Finished:
    """Run a command without input; its whole process group ends at a bound."""
    try:
        process = await anyio.open_process(argv, cwd=folder, env=dict(environment), start_new_session=True)
    except OSError as error:
        return Finished(b"", b"", f"{argv[0]} cannot be started: {error.strerror}")
    output, complaint = bytearray(), bytearray()
    async with process:
        try:
            with anyio.move_on_after(seconds) as time:
                await _followed(process, output, complaint, most_bytes=most_bytes)
        finally:
            _end_group(process)
    fault = _ending(process.returncode)
    if time.cancelled_caught:
        fault = f"it did not end within {seconds:g} s"
    elif len(output) > most_bytes:
        fault = f"it printed more than {most_bytes:,} bytes"
    return Finished(bytes(output[:most_bytes]), bytes(complaint[-_COMPLAINT:]), fault)


async def _followed(process: Process, output: bytearray, complaint: bytearray, *, most_bytes: int) -> None:
    """Read until the command ends; what it has left in its group ends with it, and so do the streams."""

    async def collect(stream: ByteReceiveStream | None, into: bytearray, most: int) -> None:
        assert stream is not None
        async for chunk in stream:
            into += chunk
            if len(into) > most:
                _end_group(process)
                return

    assert process.stdin is not None
    await process.stdin.aclose()
    async with anyio.create_task_group() as group:
        group.start_soon(collect, process.stdout, output, most_bytes)
        group.start_soon(collect, process.stderr, complaint, most_bytes)
        await process.wait()
        _end_group(process)


def _end_group(process: Process) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _ending(status: int | None) -> str | None:
    if status == 0:
        return None
    return f"exit status {status}" if status is None or status > 0 else f"ended by signal {-status}"
