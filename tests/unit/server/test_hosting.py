import anyio

from orchestrate.server.discovery import read_server_file
from orchestrate.server.hosting import ServerOptions, open_server
from tests.support.server import wait_until


async def test_a_server_ends_when_it_is_told_and_takes_its_file_along(tmp_path):
    def wait_for_file():
        wait_until(lambda: read_server_file(tmp_path / "state") == server.file, what="the file")

    with open_server(ServerOptions(state_dir=tmp_path / "state")) as server:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: server.run(handles_signals=False))
            await anyio.to_thread.run_sync(wait_for_file)
            server.stop()

    assert read_server_file(tmp_path / "state") is None


async def test_a_server_ends_when_nobody_needs_it(tmp_path):
    with open_server(ServerOptions(state_dir=tmp_path / "state", idle_seconds=0)) as server:
        await server.run(handles_signals=False)

    assert "not needed any more" in (tmp_path / "state" / "server.log").read_text()


async def test_a_file_of_another_server_is_left_alone(tmp_path):
    with open_server(ServerOptions(state_dir=tmp_path / "state", idle_seconds=0)) as server:
        await server.run(handles_signals=False)
        other = (tmp_path / "state" / "server.json").read_bytes().replace(b'"pid"', b' "pid"')
        (tmp_path / "state" / "server.json").write_bytes(other.replace(server.file.token.encode(), b"other"))

    assert read_server_file(tmp_path / "state").token == "other"
