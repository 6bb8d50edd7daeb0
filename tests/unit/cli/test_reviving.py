"""A local server that is gone in mid-run is started again."""

import os
from contextlib import suppress
from pathlib import Path

import anyio.lowlevel

from orchestrate.cli.reviving import keep_server
from orchestrate.server.discovery import read_server_file
from tests.support.server import server_process


class Sleeps:
    """A clock whose pauses are noted and end at once, so many of them; the next one lasts for ever."""

    def __init__(self, count: int) -> None:
        self._left = count
        self.taken: list[float] = []

    def now(self) -> float:
        return 0.0

    def monotonic(self) -> float:
        return 0.0

    async def sleep(self, seconds: float) -> None:
        self.taken.append(seconds)
        self._left -= 1
        if self._left < 0:
            raise _Enough
        await anyio.lowlevel.checkpoint()


class _Enough(Exception):
    """The test has seen what it wanted to see."""


async def keep(folder: Path, *, url: str, looks: int) -> tuple[list[str], list[float]]:
    """What is told, and the pauses, in so many looks."""
    told: list[str] = []
    sleeps = Sleeps(looks)
    with suppress(_Enough):
        await keep_server(folder, url=url, environment=dict(os.environ), clock=sleeps, tell=told.append)
    return told, sleeps.taken


async def test_a_server_that_lives_is_left_alone(tmp_path: Path) -> None:
    with server_process(tmp_path) as server:
        told, _ = await keep(tmp_path, url=server.url, looks=2)

        assert told == []
        assert read_server_file(tmp_path) == server.file


async def test_a_server_that_is_gone_comes_back_at_the_same_address(tmp_path: Path) -> None:
    with server_process(tmp_path) as server:
        server.kill()

        told, _ = await keep(tmp_path, url=server.url, looks=2)

        back = read_server_file(tmp_path)
        assert told == ["the local server was gone; it was started again, agents went on meanwhile."]
        assert back is not None
        assert back.endpoint == server.endpoint
        assert back.pid != server.file.pid


async def test_a_server_that_comes_back_elsewhere_is_told_and_not_looked_after(tmp_path: Path) -> None:
    with server_process(tmp_path) as server:
        server.kill()

        told, pauses = await keep(tmp_path, url="http://127.0.0.1:1", looks=5)

        assert told[1] == (
            f"it listens at {server.url} now, not at http://127.0.0.1:1;"
            " leave with Ctrl-C and type the same command again."
        )
        assert len(pauses) == 1


async def test_a_start_that_fails_is_told_and_tried_again_later(tmp_path: Path) -> None:
    folder = tmp_path / "a file"
    folder.write_text("where the folder should be")

    told, pauses = await keep(folder, url="http://127.0.0.1:1", looks=3)

    assert told[0].startswith("the local server is gone and could not be started again: ")
    assert pauses == [1.0, 30.0, 1.0, 30.0]
