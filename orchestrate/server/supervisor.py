"""Stands above one agent program: starts it, waits for it, ends it when asked, and writes down how it ended.

Run as a plain file with the standard library alone, ``python -I -S supervisor.py RUN_FOLDER``, so that it is small and
needs nothing of the server that started it. It detaches itself, so a dying server takes nobody along.

Files of the run folder::

    job.json         {"argv", "cwd", "stdin", "timeoutSeconds", "graceSeconds", "outputLimit"}, written by the server
    supervisor.lock  locked as long as the supervisor lives; the kernel frees it, whatever happens
    agent.json       {"pid", "startTicks", "at"}, written before the agent program may begin
    stdout, stderr   what the agent says
    cancel           made by the server, at any time, also before the agent was started: end the agent
    exit.json        {"reason", "exitStatus", "signal", "message"}: reason is exited, cancelled, timeout,
                     output-limit, terminated or failed; written as a whole when nothing of the agent is left

The agent is the leader of its own session and process group. When it has ended, for whatever reason, everything that
it left behind is ended too, also what went into another session: the supervisor is their reaper, so it gets to
know them (Linux).
"""

import ctypes
import errno
import fcntl
import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

#: How soon a cancel is seen; the end of the agent is a signal and seen at once.
_LOOK_SECONDS = 0.2
_AFTER_KILL_SECONDS = 2.0
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
_PR_SET_CHILD_SUBREAPER = 36
_CANNOT_EXECUTE = 126
_WATCHED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)


def main(folder: Path) -> int:
    """Detach, then supervise; returns as soon as the lock is held, in the process that was started."""
    lock = _take_lock(folder)
    if lock is None or (folder / "agent.json").exists() or (folder / "exit.json").exists():
        return 0
    if os.fork():
        return 0
    os.setsid()
    try:
        _Supervisor(folder).run()
    except BaseException as error:
        _write_exit(folder, {"reason": "failed", "message": f"the supervisor failed: {error!r}"})
    os._exit(0)


class _Supervisor:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._job = json.loads((folder / "job.json").read_bytes())
        self._deadline = time.monotonic() + (self._job.get("timeoutSeconds") or float("inf"))
        self._agent = 0
        self._wait_status: int | None = None
        self._is_told_to_end = False
        self._wakeup = _receive_signals(self._on_signal)

    def run(self) -> None:
        """From the start of the agent to its exit file."""
        _become_reaper()
        if self._is_cancelled():
            _write_exit(self._folder, {"reason": "cancelled"})
            return
        self._agent = _start_agent(self._folder, self._job)
        reason = self._wait()
        self._end_all()
        _write_exit(self._folder, {"reason": reason, **_how(self._wait_status)})

    def _wait(self) -> str:
        """Until the agent has ended by itself or has to; the reason."""
        while not self._has_ended():
            if self._is_cancelled():
                return "cancelled"
            if self._is_told_to_end:
                return "terminated"
            if time.monotonic() >= self._deadline:
                return "timeout"
            if self._says_too_much():
                return "output-limit"
            self._sleep(min(_LOOK_SECONDS, max(self._deadline - time.monotonic(), 0)))
        return "cancelled" if self._is_cancelled() else "exited"

    def _end_all(self) -> None:
        """SIGTERM to all that is left, a while of grace, SIGKILL."""
        for number, seconds in ((signal.SIGTERM, self._job["graceSeconds"]), (signal.SIGKILL, _AFTER_KILL_SECONDS)):
            give_up = time.monotonic() + seconds
            if not self._signal_left(number):
                return
            while time.monotonic() < give_up:
                self._sleep(0.02)
                if not self._is_anything_left():
                    return
                if number == signal.SIGKILL:
                    self._signal_left(number)

    def _signal_left(self, number: int) -> bool:
        """Send it to the group and to those outside of it; False if nobody was there."""
        self._reap()
        found = False
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._agent, number)
            found = True
        for pid in _children():
            with suppress(ProcessLookupError, PermissionError):
                if os.getpgid(pid) != self._agent:  # a second SIGTERM means "at once" to many programs
                    os.kill(pid, number)
                found = True
        return found

    def _is_anything_left(self) -> bool:
        self._reap()
        if _children():
            return True
        try:
            os.killpg(self._agent, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True
        return True

    def _has_ended(self) -> bool:
        self._reap()
        return self._wait_status is not None

    def _reap(self) -> None:
        """Collect all children that have ended; the agent's status is kept."""
        with suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return
                if pid == self._agent:
                    self._wait_status = status

    def _is_cancelled(self) -> bool:
        return (self._folder / "cancel").exists()

    def _says_too_much(self) -> bool:
        said = sum((self._folder / name).stat().st_size for name in ("stdout", "stderr"))
        return bool(said > self._job["outputLimit"])

    def _sleep(self, seconds: float) -> None:
        """Until a signal comes, at most so long."""
        readable, _, _ = select.select([self._wakeup], [], [], seconds)
        if readable:
            with suppress(BlockingIOError):
                os.read(self._wakeup, 4096)

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        """SIGTERM ends the agent; a hang-up or Ctrl-C of somebody else's terminal does not."""
        if number == signal.SIGTERM:
            self._is_told_to_end = True


def _take_lock(folder: Path) -> int | None:
    """The lock's descriptor, to be kept open; None if another supervisor lives."""
    descriptor = os.open(folder / "supervisor.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def _receive_signals(handler: Callable[[int, FrameType | None], None]) -> int:
    """Have signals wake ``select``; the descriptor to wait on."""
    read_end, write_end = os.pipe()
    os.set_blocking(read_end, False)
    os.set_blocking(write_end, False)
    signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
    for number in _WATCHED:
        signal.signal(number, handler)
    return read_end


def _start_agent(folder: Path, job: dict[str, Any]) -> int:
    """Fork the agent; it begins only once its pid is on disk, so there is never one that nobody knows of."""
    gate_read, gate_write = os.pipe()
    with (folder / "stdout").open("ab") as stdout, (folder / "stderr").open("ab") as stderr:
        stdin = os.open(str(job["stdin"] or os.devnull), os.O_RDONLY)
        signal.pthread_sigmask(signal.SIG_BLOCK, _WATCHED)
        pid = os.fork()
        if pid == 0:
            os.close(gate_write)
            _become_agent(job, stdin=stdin, stdout=stdout.fileno(), stderr=stderr.fileno(), gate=gate_read)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _WATCHED)
        os.close(stdin)
    os.close(gate_read)
    _write(folder / "agent.json", {"pid": pid, "startTicks": _start_ticks(pid), "at": time.time()})
    with suppress(BrokenPipeError):
        os.write(gate_write, b"!")
    os.close(gate_write)
    return pid


def _become_agent(job: dict[str, Any], *, stdin: int, stdout: int, stderr: int, gate: int) -> NoReturn:
    """In the child: wait for the gate, then become the agent program. A supervisor that died opens no gate."""
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        for number in (*_WATCHED, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        if os.read(gate, 1) != b"!":
            os._exit(_CANNOT_EXECUTE)
        for source, target in ((stdin, 0), (stdout, 1), (stderr, 2)):
            os.dup2(source, target)
        os.chdir(str(job["cwd"]))
        os.execvp(job["argv"][0], job["argv"])  # noqa: S606  never a shell
    except BaseException as error:
        os.write(2, f"cannot start the agent program: {error}\n".encode())
        os._exit(_CANNOT_EXECUTE)


def _become_reaper() -> None:
    """Have orphans of the agent become children of this process (Linux)."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _children() -> list[int]:
    """The living children of this process, orphans of the agent among them (Linux)."""
    try:
        words = Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii").split()
    except OSError:
        return []
    return [int(word) for word in words]


def _start_ticks(pid: int) -> int | None:
    """When the process was started, in the kernel's ticks since boot (Linux): tells a reused pid apart."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    return int(stat.rpartition(b")")[2].split()[19])


def _how(wait_status: int | None) -> dict[str, int | None]:
    if wait_status is None:
        return {"exitStatus": None, "signal": None}
    code = os.waitstatus_to_exitcode(wait_status)
    return {"exitStatus": code, "signal": None} if code >= 0 else {"exitStatus": None, "signal": -code}


def _write_exit(folder: Path, content: dict[str, object]) -> None:
    """Write it down, on a full disk as soon as there is room: an agent that finished must not count as lost."""
    while True:
        try:
            _write(folder / "exit.json", content)
        except OSError as error:
            if error.errno not in _NO_ROOM or (folder / "cancel").exists():
                raise
            time.sleep(_LOOK_SECONDS)
        else:
            return


def _write(path: Path, content: dict[str, object]) -> None:
    """Replace the file as a whole, synced."""
    temporary = path.with_suffix(".new")
    with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(json.dumps(content).encode())
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
