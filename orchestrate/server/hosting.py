"""The server's process: it binds, takes up what an earlier one left, serves, and ends when nobody needs it."""

import os
import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TextIO

import anyio
import structlog
import uvicorn

import orchestrate
from orchestrate.server.assembly import Surroundings, assemble
from orchestrate.server.claiming import FolderLock, listen, open_log, sole_server
from orchestrate.server.database import Database
from orchestrate.server.discovery import (
    ServerFile,
    read_server_file,
    server_file_path,
    write_server_file,
)
from orchestrate.server.live_runs import LiveRuns
from orchestrate.server.options import IDLE_SECONDS, ServerOptions
from orchestrate.server.processes import process_start
from orchestrate.server.state import StateFolder
from orchestrate.system import run_event_loop

__all__ = ["IDLE_SECONDS", "HostedServer", "ServerOptions", "open_server", "serve"]

_CHECKPOINT_SECONDS = 5
#: How soon a server that cannot be found any more can be found again.
_LOOK_SECONDS = 2
#: Far longer than clients keep an idle connection: a request never meets one that the server is just closing.
_KEEP_ALIVE_SECONDS = 300
_LAST_ANSWERS_SECONDS = 5


def serve(options: ServerOptions) -> None:
    """Run the server until it is told to end (SIGTERM, SIGINT) or is not needed any more.

    Raises InputRefused if the folder cannot be used, another server works in it, or the port is taken.
    """
    with open_server(options) as server:
        run_event_loop(server.run)


class HostedServer:
    """A server that listens already; ``run`` answers."""

    def __init__(
        self,
        options: ServerOptions,
        *,
        folder: StateFolder,
        lock: FolderLock,
        listener: socket.socket,
        log_file: TextIO,
    ) -> None:
        self._options = options
        self._folder = folder
        self._lock = lock
        self._listener = listener
        self._log = structlog.wrap_logger(
            structlog.WriteLogger(log_file),
            processors=[
                structlog.processors.add_log_level,
                structlog.processors.TimeStamper(fmt="iso", utc=True),
                structlog.processors.format_exc_info,
                structlog.processors.JSONRenderer(),
            ],
            wrapper_class=structlog.make_filtering_bound_logger("info"),
        )
        self._clock = options.clock
        self._last_use = self._clock.monotonic()
        self._stop = anyio.Event()
        self.file = ServerFile(
            port=listener.getsockname()[1],
            pid=os.getpid(),
            started=process_start(os.getpid()) or 0,
            token=folder.token(),
            version=orchestrate.__version__,
        )

    async def run(self, *, handles_signals: bool = True) -> None:
        """Serve until told to stop or idle for too long."""
        database = Database(self._folder.database)
        try:
            async with anyio.create_task_group() as tasks:
                await self._serve(database, tasks, handles_signals=handles_signals)
                tasks.cancel_scope.cancel()
        finally:
            database.close()
            self._log.info("server ended", pid=self.file.pid)

    def stop(self) -> None:
        """Have ``run`` return soon; for the event loop's own thread."""
        self._stop.set()

    async def _serve(self, database: Database, tasks: anyio.abc.TaskGroup, *, handles_signals: bool) -> None:
        parts = assemble(self._surroundings(), database=database, tasks=tasks)
        config = uvicorn.Config(
            parts.app,
            loop="none",
            http="auto",  # the parser in C where it can be loaded
            lifespan="off",
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=_KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=_LAST_ANSWERS_SECONDS,
        )
        server = _Server(config)
        tasks.start_soon(self._stop_when_idle, parts.live_runs)
        tasks.start_soon(self._checkpoint, database)
        tasks.start_soon(self._end_on_stop, parts.live_runs, server)
        if handles_signals:
            tasks.start_soon(self._stop_on_signal)
        parts.service.recover()
        write_server_file(self._folder.root, self.file)
        self._lock.tell(self.file.to_bytes())
        tasks.start_soon(self._stay_known)
        tasks.start_soon(parts.retention.run)
        self._log.info("server started", port=self.file.port, pid=self.file.pid)
        await server.serve(sockets=[self._listener])

    def _surroundings(self) -> Surroundings:
        return Surroundings(
            options=self._options, folder=self._folder, file=self.file, log=self._log, on_use=self._on_use
        )

    def _on_use(self) -> None:
        self._last_use = self._clock.monotonic()

    async def _stop_when_idle(self, live_runs: LiveRuns) -> None:
        while True:
            if live_runs.count:
                self._on_use()
            left = self._last_use + self._options.idle_seconds - self._clock.monotonic()
            if left <= 0:
                self._log.info("server is not needed any more", idle_seconds=self._options.idle_seconds)
                self._stop.set()
                return
            await self._clock.sleep(left)

    async def _stay_known(self) -> None:
        """Say again who serves this folder where that was lost; leave a folder that is not ours any more."""
        while True:
            await self._clock.sleep(_LOOK_SECONDS)
            if not self._lock.is_in_place():
                self._log.warning("server.lock was removed or replaced; the next server takes the agents up")
                self._stop.set()
                return
            try:
                await anyio.to_thread.run_sync(self._tell_who_serves)
            except OSError as error:
                self._log.warning("server.json cannot be written", reason=str(error))

    def _tell_who_serves(self) -> None:
        if read_server_file(self._folder.root) != self.file:
            write_server_file(self._folder.root, self.file)
            self._log.info("server.json written again")
        if not self._lock.tells(self.file.to_bytes()):
            self._lock.tell(self.file.to_bytes())

    async def _stop_on_signal(self) -> None:
        with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
            async for _ in signals:
                self._stop.set()

    async def _end_on_stop(self, live_runs: LiveRuns, server: uvicorn.Server) -> None:
        await self._stop.wait()
        live_runs.stop()
        server.should_exit = True

    async def _checkpoint(self, database: Database) -> None:
        while True:
            await self._clock.sleep(_CHECKPOINT_SECONDS)
            await anyio.to_thread.run_sync(database.checkpoint)


@contextmanager
def open_server(options: ServerOptions) -> Iterator[HostedServer]:
    """A server that has its folder to itself and listens; at the end its ``server.json`` is gone."""
    folder = StateFolder(options.state_dir.absolute())
    folder.make()
    with ExitStack() as stack:
        lock = stack.enter_context(sole_server(folder))
        listener = stack.enter_context(listen(folder, port=options.port))
        log_file = stack.enter_context(open_log(folder.log))
        server = HostedServer(options, folder=folder, lock=lock, listener=listener, log_file=log_file)
        try:
            yield server
        finally:
            _remove_own_file(folder, server.file)


class _Server(uvicorn.Server):
    """Signals are ours: streams must be ended before uvicorn waits for its connections."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave all signals alone."""
        yield


def _remove_own_file(folder: StateFolder, own: ServerFile) -> None:
    if read_server_file(folder.root) == own:
        server_file_path(folder.root).unlink(missing_ok=True)
